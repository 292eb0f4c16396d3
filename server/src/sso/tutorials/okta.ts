import { attributes, copy, path, settings, text, warn, words, yours } from './blocks.js'
import { samlNames } from './claim-names.js'
import type { Tutorial } from './tutorial.js'

export const okta: Tutorial = {
  id: 'okta',
  name: 'Okta',
  mark: 'O',
  minutes: 10,
  checkedOn: '2026-11-22',
  steps: [
    {
      id: 'create',
      title: words('Create the app integration', 'Créer l’intégration'),
      blocks: [
        text(
          'Sign in to the Okta Admin Console with an account that can add applications, and go to:',
          'Connectez-vous à la console d’administration d’Okta avec un compte qui peut ajouter des applications, puis allez à\u00a0:',
        ),
        path('Applications', 'Applications', 'Create App Integration'),
        text(
          'Choose **SAML 2.0** and click **Next**. Give the app a name that your users know, and click **Next**.',
          'Choisissez **SAML 2.0**, puis **Next**. Donnez à l’application un nom que vos utilisateurs connaissent, puis **Next**.',
        ),
      ],
    },
    {
      id: 'urls',
      title: words('Enter our addresses', 'Saisir nos adresses'),
      blocks: [
        text(
          'On the page **Configure SAML**, copy these two values into the fields of the same name:',
          'À la page **Configure SAML**, copiez ces deux valeurs dans les champs du même nom\u00a0:',
        ),
        copy('Single sign-on URL', 'acs_url'),
        copy('Audience URI (SP Entity ID)', 'entity_id'),
        text(
          'Leave **Use this for Recipient URL and Destination URL** ticked, and choose:',
          'Laissez **Use this for Recipient URL and Destination URL** coché, et choisissez\u00a0:',
        ),
        settings(
          ['Default RelayState', '—'],
          ['Name ID format', 'EmailAddress'],
          ['Application username', 'Email'],
        ),
      ],
    },
    {
      id: 'attributes',
      title: words('Send the name and e-mail address', 'Envoyer le nom et l’adresse e-mail'),
      blocks: [
        text(
          'Further down on the same page, under **Attribute Statements**, add three lines. The format can stay **Unspecified**.',
          'Plus bas sur la même page, sous **Attribute Statements**, ajoutez trois lignes. Le format peut rester **Unspecified**.',
        ),
        attributes(['email', 'user.email'], ['first_name', 'user.firstName'], ['last_name', 'user.lastName']),
        text(
          'Click **Next**. On the last page choose **I’m an Okta customer adding an internal app**, and click **Finish**.',
          'Cliquez sur **Next**. À la dernière page, choisissez **I’m an Okta customer adding an internal app**, puis **Finish**.',
        ),
      ],
    },
    {
      id: 'assign',
      title: words('Assign your users', 'Affecter vos utilisateurs'),
      blocks: [
        text(
          'Okta only signs in users who are assigned to the app. Open the app, and add people or groups under **Assignments**, including yourself, because you will test the sign-in in a moment.',
          'Okta ne connecte que les utilisateurs affectés à l’application. Ouvrez-la et, sous **Assignments**, ajoutez des personnes ou des groupes, vous compris\u00a0: vous allez bientôt tester la connexion.',
        ),
        path('Applications', yours.app, 'Assignments', 'Assign'),
        warn(
          'Without an assignment, Okta refuses the sign-in itself, and it does not appear in our tests.',
          'Sans affectation, c’est Okta qui refuse la connexion, et elle n’apparaît pas dans nos tests.',
        ),
      ],
    },
    {
      id: 'metadata',
      title: words('Download the metadata', 'Télécharger les métadonnées'),
      blocks: [
        text(
          'Open the tab **Sign On** of the app. Under **SAML Signing Certificates**, in the row of the active certificate, choose:',
          'Ouvrez l’onglet **Sign On** de l’application. Sous **SAML Signing Certificates**, à la ligne du certificat actif, choisissez\u00a0:',
        ),
        path('Sign On', 'Actions', 'View IdP metadata'),
        text(
          'The XML opens in a new tab. Save it as a file, or copy all of it: you upload or paste it on the next page.',
          'Le XML s’ouvre dans un nouvel onglet. Enregistrez-le dans un fichier, ou copiez-le en entier\u00a0: vous le déposerez ou le collerez à la page suivante.',
        ),
      ],
    },
  ],
  metadata: {
    how: words(
      'Sign On, Actions, View IdP metadata; then save the page as a file.',
      'Sign On, Actions, View IdP metadata\u00a0; puis enregistrez la page comme fichier.',
    ),
    fileHint: 'metadata.xml',
  },
  claims: { ...samlNames, subject: 'user.email' },
  quirks: [
    words(
      'The metadata belongs to this app only. Another app in your Okta has a different entity ID and a different certificate.',
      'Les métadonnées sont propres à cette application. Une autre application de votre Okta a un autre identifiant d’entité et un autre certificat.',
    ),
  ],
}
