import { attributes, copy, download, path, settings, text, warn, words, yours } from './blocks.js'
import { wsFederationClaim, wsFederationNames } from './claim-names.js'
import type { Tutorial } from './tutorial.js'

export const entraId: Tutorial = {
  id: 'entra_id',
  name: 'Microsoft Entra ID',
  mark: 'ME',
  minutes: 10,
  checkedOn: '2026-11-22',
  steps: [
    {
      id: 'create',
      title: words('Create the enterprise application', 'Créer l’application d’entreprise'),
      blocks: [
        text(
          'Sign in to the Microsoft Entra admin center as a Cloud Application Administrator or higher, and go to:',
          'Connectez-vous au centre d’administration Microsoft Entra en tant qu’administrateur d’application cloud ou plus, puis allez à\u00a0:',
        ),
        path('Entra ID', 'Enterprise apps', 'New application', 'Create your own application'),
        text(
          'Give it a name that your users know, leave **Integrate any other application you don’t find in the gallery (Non-gallery)** chosen, and click **Create**.',
          'Donnez-lui un nom que vos utilisateurs connaissent, laissez **Integrate any other application you don’t find in the gallery (Non-gallery)** choisi, puis **Create**.',
        ),
      ],
    },
    {
      id: 'urls',
      title: words('Enter our details', 'Saisir nos données'),
      blocks: [
        path(yours.app, 'Single sign-on', 'SAML'),
        text(
          'Click **Upload metadata file**, choose the file that you download here, and click **Add**, then **Save**: this fills in the fields.',
          'Cliquez sur **Upload metadata file**, choisissez le fichier que vous téléchargez ici, puis **Add** et **Save**\u00a0: les champs sont alors remplis.',
        ),
        download('sp_metadata'),
        text(
          'Or click **Edit** under **Basic SAML Configuration**, and enter the values yourself:',
          'Ou cliquez sur **Edit** sous **Basic SAML Configuration** et saisissez vous-même les valeurs\u00a0:',
        ),
        copy('Identifier (Entity ID)', 'entity_id'),
        copy('Reply URL (Assertion Consumer Service URL)', 'acs_url'),
        text(
          'Sign on URL, Relay State and Logout URL stay empty.',
          'Sign on URL, Relay State et Logout URL restent vides.',
        ),
      ],
    },
    {
      id: 'claims',
      title: words('Check which claims are sent', 'Vérifier les revendications envoyées'),
      blocks: [
        text(
          'Under **Attributes & Claims**, keep the defaults. They should look like this:',
          'Sous **Attributes & Claims**, les valeurs par défaut conviennent. Elles doivent ressembler à ceci\u00a0:',
        ),
        attributes(
          ['Unique User Identifier', 'user.userprincipalname'],
          [`${wsFederationClaim}/emailaddress`, 'user.mail'],
          [`${wsFederationClaim}/givenname`, 'user.givenname'],
          [`${wsFederationClaim}/surname`, 'user.surname'],
        ),
        warn(
          'For users without a Microsoft 365 mailbox, user.mail is empty and emailaddress is not sent. If you have such users, fill it from **user.userprincipalname** instead.',
          'Pour les utilisateurs sans boîte aux lettres Microsoft 365, user.mail est vide et emailaddress n’est pas envoyé. Si vous en avez, utilisez plutôt **user.userprincipalname**.',
        ),
      ],
    },
    {
      id: 'signing',
      title: words('Check what is signed', 'Vérifier ce qui est signé'),
      blocks: [
        text(
          'Under **SAML Certificates**, click **Edit** next to the token signing certificate. The default, signing the assertion, works; signing both is better, and needed if you turn on token encryption.',
          'Sous **SAML Certificates**, cliquez sur **Edit** à côté du certificat de signature. La valeur par défaut, signer l’assertion, fonctionne\u00a0; signer les deux est mieux, et nécessaire si vous activez le chiffrement des jetons.',
        ),
        settings(['Signing Option', 'Sign SAML response and assertion'], ['Signing Algorithm', 'SHA-256']),
      ],
    },
    {
      id: 'assign',
      title: words('Assign your users', 'Affecter vos utilisateurs'),
      blocks: [
        path(yours.app, 'Users and groups', 'Add user/group'),
        text(
          'Add the users or groups who can sign in, including yourself, because you will test the sign-in in a moment.',
          'Ajoutez les utilisateurs ou groupes qui peuvent se connecter, vous compris\u00a0: vous allez bientôt tester la connexion.',
        ),
        warn(
          'Users who are not assigned see the error AADSTS50105 at Microsoft and never reach us.',
          'Un utilisateur non affecté voit l’erreur AADSTS50105 chez Microsoft et n’arrive jamais jusqu’à nous.',
        ),
      ],
    },
    {
      id: 'metadata',
      title: words('Download the metadata', 'Télécharger les métadonnées'),
      blocks: [
        path(yours.app, 'Single sign-on', 'SAML Certificates', 'Federation Metadata XML', 'Download'),
        text(
          'Do not change the file: you upload it on the next page.',
          'Ne modifiez pas le fichier\u00a0: vous le déposerez à la page suivante.',
        ),
      ],
    },
  ],
  metadata: {
    how: words(
      'SAML Certificates, Federation Metadata XML, Download.',
      'SAML Certificates, Federation Metadata XML, Download.',
    ),
    fileHint: '<application>.xml',
  },
  claims: {
    ...wsFederationNames,
    email: [...wsFederationNames.email, `${wsFederationClaim}/name`],
    subject: 'user.userprincipalname',
  },
  quirks: [
    words(
      'Your entity ID is https://sts.windows.net/ followed by your tenant ID. The metadata of another tenant belongs to another identity provider.',
      'Votre identifiant d’entité est https://sts.windows.net/ suivi de l’identifiant de votre locataire. Les métadonnées d’un autre locataire sont celles d’un autre fournisseur d’identité.',
    ),
    words(
      'The signing certificate is valid for three years. Upload the metadata again when you replace it; the old and the new certificate both work as long as both are in the file.',
      'Le certificat de signature est valable trois ans. Déposez les métadonnées à nouveau quand vous le remplacez\u00a0; l’ancien et le nouveau fonctionnent ensemble tant que les deux sont dans le fichier.',
    ),
  ],
}
