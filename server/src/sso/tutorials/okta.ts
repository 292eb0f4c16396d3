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
          'Sign in to the Okta admin console with an account that may add applications, and go to:',
          'Connectez-vous à la console d’administration d’Okta avec un compte qui peut ajouter des applications, puis allez à\u00a0:',
        ),
        path('Applications', 'Applications', 'Create App Integration'),
        text(
          'Choose **SAML 2.0** and press **Next**. Give the app a name that your users know, and press **Next**.',
          'Choisissez **SAML 2.0**, puis **Next**. Donnez à l’application un nom que vos utilisateurs connaissent, puis **Next**.',
        ),
      ],
    },
    {
      id: 'urls',
      title: words('Tell Okta where to send users', 'Dire à Okta où envoyer les utilisateurs'),
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
      title: words('Send the name and the address', 'Envoyer le nom et l’adresse'),
      blocks: [
        text(
          'Further down on the same page, under **Attribute Statements**, add three lines. The format can stay **Unspecified**.',
          'Plus bas sur la même page, sous **Attribute Statements**, ajoutez trois lignes. Le format peut rester **Unspecified**.',
        ),
        attributes(['email', 'user.email'], ['first_name', 'user.firstName'], ['last_name', 'user.lastName']),
        text(
          'Press **Next**. On the last page choose **I’m an Okta customer adding an internal app**, and press **Finish**.',
          'Cliquez sur **Next**. À la dernière page, choisissez **I’m an Okta customer adding an internal app**, puis **Finish**.',
        ),
      ],
    },
    {
      id: 'assign',
      title: words('Let your users in', 'Ouvrir l’accès à vos utilisateurs'),
      blocks: [
        text(
          'Okta only signs in users to whom the app is assigned. Open the app, and under **Assignments** add people or groups, yourself among them: you will test it in a moment.',
          'Okta ne connecte que ceux à qui l’application est attribuée. Ouvrez-la et, sous **Assignments**, ajoutez des personnes ou des groupes, vous compris\u00a0: vous allez bientôt faire un test.',
        ),
        path('Applications', yours.app, 'Assignments', 'Assign'),
        warn(
          'Without an assignment Okta refuses the sign-in itself, and we never hear of it.',
          'Sans attribution, c’est Okta qui refuse la connexion, et nous n’en savons rien.',
        ),
      ],
    },
    {
      id: 'metadata',
      title: words('Fetch the metadata', 'Récupérer les métadonnées'),
      blocks: [
        text(
          'Open the tab **Sign On** of the app. Under **SAML Signing Certificates**, at the active certificate, choose:',
          'Ouvrez l’onglet **Sign On** de l’application. Sous **SAML Signing Certificates**, auprès du certificat actif, choisissez\u00a0:',
        ),
        path('Sign On', 'Actions', 'View IdP metadata'),
        text(
          'The XML opens in a tab of the browser. Save it as a file, or copy it whole; on the next page you upload or paste it.',
          'Le XML s’ouvre dans un onglet. Enregistrez-le comme fichier, ou copiez-le en entier\u00a0; à la page suivante, vous le déposez ou le collez.',
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
      'The metadata belong to this one app. Those of another app of your Okta have another entity ID and another certificate.',
      'Les métadonnées sont propres à cette application. Celles d’une autre application de votre Okta ont une autre entité et un autre certificat.',
    ),
  ],
}
