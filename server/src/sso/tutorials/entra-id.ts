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
          'Give it a name that your users know, leave **Integrate any other application you don’t find in the gallery (Non-gallery)** chosen, and press **Create**.',
          'Donnez-lui un nom que vos utilisateurs connaissent, laissez **Integrate any other application you don’t find in the gallery (Non-gallery)** choisi, puis **Create**.',
        ),
      ],
    },
    {
      id: 'urls',
      title: words('Connect it to us', 'La relier à nous'),
      blocks: [
        path(yours.app, 'Single sign-on', 'SAML'),
        text(
          'Press **Upload metadata file**, choose the file that you download here, and press **Add**, then **Save**: the fields fill themselves.',
          'Cliquez sur **Upload metadata file**, choisissez le fichier que vous téléchargez ici, puis **Add** et **Save**\u00a0: les champs se remplissent.',
        ),
        download('sp_metadata'),
        text(
          'Or press **Edit** under **Basic SAML Configuration**, and enter them by hand:',
          'Ou cliquez sur **Edit** sous **Basic SAML Configuration** et saisissez-les\u00a0:',
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
          'Under **Attributes & Claims** the defaults are right. They should look like this:',
          'Sous **Attributes & Claims**, les valeurs par défaut conviennent. Elles doivent ressembler à ceci\u00a0:',
        ),
        attributes(
          ['Unique User Identifier', 'user.userprincipalname'],
          [`${wsFederationClaim}/emailaddress`, 'user.mail'],
          [`${wsFederationClaim}/givenname`, 'user.givenname'],
          [`${wsFederationClaim}/surname`, 'user.surname'],
        ),
        warn(
          'emailaddress is left out for users without a mailbox in Microsoft 365, because user.mail is empty then. If you have such users, fill it from **user.userprincipalname**.',
          'emailaddress est omis pour les utilisateurs sans boîte Microsoft 365, car user.mail est alors vide. Si vous en avez, remplissez-le avec **user.userprincipalname**.',
        ),
      ],
    },
    {
      id: 'signing',
      title: words('Check what is signed', 'Vérifier ce qui est signé'),
      blocks: [
        text(
          'Under **SAML Certificates**, press **Edit** beside the token signing certificate. The default, signing the assertion, works; signing both is better, and needed if you turn on token encryption.',
          'Sous **SAML Certificates**, cliquez sur **Edit** à côté du certificat de signature. La valeur par défaut, signer l’assertion, fonctionne\u00a0; signer les deux est mieux, et nécessaire si vous activez le chiffrement des jetons.',
        ),
        settings(['Signing Option', 'Sign SAML response and assertion'], ['Signing Algorithm', 'SHA-256']),
      ],
    },
    {
      id: 'assign',
      title: words('Let your users in', 'Ouvrir l’accès à vos utilisateurs'),
      blocks: [
        path(yours.app, 'Users and groups', 'Add user/group'),
        text(
          'Add the users or groups who may sign in, yourself among them: you will test it in a moment.',
          'Ajoutez les utilisateurs ou groupes qui peuvent se connecter, vous compris\u00a0: vous allez bientôt faire un test.',
        ),
        warn(
          'Who is not assigned sees the error AADSTS50105 at Microsoft, and never gets to us.',
          'Qui n’est pas affecté voit l’erreur AADSTS50105 chez Microsoft et n’arrive jamais chez nous.',
        ),
      ],
    },
    {
      id: 'metadata',
      title: words('Fetch the metadata', 'Récupérer les métadonnées'),
      blocks: [
        path(yours.app, 'Single sign-on', 'SAML Certificates', 'Federation Metadata XML', 'Download'),
        text(
          'Keep the file as it is: on the next page you upload it.',
          'Gardez le fichier tel quel\u00a0: vous le déposez à la page suivante.',
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
      'Your entity ID is https://sts.windows.net/ followed by the id of your tenant. Metadata of another tenant are refused as those of another identity provider.',
      'Votre entité est https://sts.windows.net/ suivi de l’identifiant de votre locataire. Les métadonnées d’un autre locataire sont celles d’un autre fournisseur d’identité.',
    ),
    words(
      'The signing certificate lives three years. Upload the metadata again when you replace it; old and new work side by side as long as both are in the file.',
      'Le certificat de signature vit trois ans. Déposez les métadonnées à nouveau quand vous le remplacez\u00a0; l’ancien et le nouveau fonctionnent ensemble tant que les deux sont dans le fichier.',
    ),
  ],
}
