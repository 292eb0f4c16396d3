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
      title: words('Import us as a client', 'Nous importer comme client'),
      blocks: [
        text(
          'Sign in to the admin console, choose your realm, and go to:',
          'Connectez-vous à la console d’administration, choisissez votre realm, puis allez à\u00a0:',
        ),
        path('Clients', 'Import client', 'Browse…'),
        text(
          'Choose the file that you download here, and press **Save**.',
          'Choisissez le fichier que vous téléchargez ici, puis **Save**.',
        ),
        download('sp_metadata'),
      ],
    },
    {
      id: 'urls',
      title: words('Compare what was imported', 'Comparer ce qui a été importé'),
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
          'Our requests are signed; the certificate came with the import. If the page shows none, import it:',
          'Nos requêtes sont signées\u00a0; le certificat est venu avec l’import. Si la page n’en montre aucun, importez-le\u00a0:',
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
      title: words('Send the name and the address', 'Envoyer le nom et l’adresse'),
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
      title: words('Fetch the metadata', 'Récupérer les métadonnées'),
      blocks: [
        path('Realm settings', 'General', 'Endpoints', 'SAML 2.0 Identity Provider Metadata'),
        text(
          'The XML opens in the browser. Save it as a file, or copy it whole. Its address is:',
          'Le XML s’ouvre dans le navigateur. Enregistrez-le comme fichier, ou copiez-le en entier. Son adresse est\u00a0:',
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
      'Users without an e-mail address in the realm have no Name ID of the format email, and cannot sign in.',
      'Les utilisateurs sans adresse e-mail dans le realm n’ont pas de Name ID au format email et ne peuvent pas se connecter.',
    ),
  ],
}
