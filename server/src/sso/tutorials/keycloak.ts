import { attributes, copy, download, path, settings, snippet, text, warn, words, yours } from './blocks.js'
import { samlNames } from './claim-names.js'
import type { Tutorial } from './tutorial.js'

export const keycloak: Tutorial = {
  id: 'keycloak',
  name: 'Keycloak',
  mark: 'K',
  minutes: 10,
  checkedOn: '2026-11-22',
  steps: [
    {
      id: 'create',
      title: words('Create a client from our metadata', 'Créer un client à partir de nos métadonnées'),
      blocks: [
        text(
          'Sign in to the admin console, choose your realm, and go to:',
          'Connectez-vous à la console d’administration, choisissez votre realm, puis allez à\u00a0:',
        ),
        path('Clients', 'Import client', 'Browse…'),
        text(
          'Choose the file that you download here, and click **Save**.',
          'Choisissez le fichier que vous téléchargez ici, puis **Save**.',
        ),
        download('sp_metadata'),
      ],
    },
    {
      id: 'urls',
      title: words('Check the imported values', 'Vérifier les valeurs importées'),
      blocks: [
        path('Clients', yours.client, 'Settings'),
        copy('Client ID', 'entity_id'),
        copy('Valid redirect URIs', 'acs_url'),
        settings(
          ['Name ID format', 'email'],
          ['Force POST binding', 'On'],
          ['Sign documents', 'On'],
          ['Sign assertions', 'On'],
          ['Signature algorithm', 'RSA_SHA256'],
          ['Canonicalization method', 'EXCLUSIVE'],
        ),
      ],
    },
    {
      id: 'keys',
      title: words('Check the keys', 'Vérifier les clés'),
      blocks: [
        path('Clients', yours.client, 'Keys'),
        settings(['Client signature required', 'On'], ['Encrypt assertions', 'Off']),
        text(
          'Our requests are signed, and our certificate is part of the import. If the page does not show it, import it here:',
          'Nos requêtes sont signées, et notre certificat fait partie de l’import. S’il n’apparaît pas sur la page, importez-le ici\u00a0:',
        ),
        download('sp_certificate'),
        warn(
          'If you turn on **Encrypt assertions**, leave **Sign documents** on as well.',
          'Si vous activez **Encrypt assertions**, laissez aussi **Sign documents** activé.',
        ),
      ],
    },
    {
      id: 'attributes',
      title: words('Send the name and e-mail address', 'Envoyer le nom et l’adresse e-mail'),
      blocks: [
        path(
          'Clients',
          yours.client,
          'Client scopes',
          '…-dedicated',
          'Add mapper',
          'By configuration',
          'User Property',
        ),
        text(
          'Add three mappers. SAML Attribute NameFormat can stay **Basic**.',
          'Ajoutez trois mappers. SAML Attribute NameFormat peut rester **Basic**.',
        ),
        attributes(['email', 'email'], ['first_name', 'firstName'], ['last_name', 'lastName']),
      ],
    },
    {
      id: 'metadata',
      title: words('Download the metadata', 'Télécharger les métadonnées'),
      blocks: [
        path('Realm settings', 'General', 'Endpoints', 'SAML 2.0 Identity Provider Metadata'),
        text(
          'The XML opens in the browser. Save it as a file, or copy all of it. Its address is:',
          'Le XML s’ouvre dans le navigateur. Enregistrez-le dans un fichier, ou copiez-le en entier. Son adresse est\u00a0:',
        ),
        snippet('Descriptor', 'https://keycloak.example.com/realms/<realm>/protocol/saml/descriptor'),
      ],
    },
  ],
  metadata: {
    how: words(
      'Realm settings, General, Endpoints, SAML 2.0 Identity Provider Metadata.',
      'Realm settings, General, Endpoints, SAML 2.0 Identity Provider Metadata.',
    ),
    fileHint: 'descriptor.xml',
  },
  claims: { ...samlNames, subject: 'email' },
  quirks: [
    words(
      'Users without an e-mail address in the realm have no Name ID in the format email and cannot sign in.',
      'Les utilisateurs sans adresse e-mail dans le realm n’ont pas de Name ID au format email et ne peuvent pas se connecter.',
    ),
  ],
}
