import { attributes, copy, download, path, settings, text, warn, words } from './blocks.js'
import { samlNames } from './claim-names.js'
import type { Tutorial } from './tutorial.js'

export const pingFederate: Tutorial = {
  id: 'ping_federate',
  name: 'PingFederate',
  mark: 'PF',
  minutes: 20,
  checkedOn: '2026-11-22',
  steps: [
    {
      id: 'create',
      title: words('Create the SP connection', 'Créer la connexion SP'),
      blocks: [
        text(
          'Sign in to the administrative console, and go to:',
          'Connectez-vous à la console d’administration, puis allez à\u00a0:',
        ),
        path('Applications', 'Integration', 'SP Connections', 'Create Connection'),
        settings(
          ['Connection Template', 'Do not use a template for this connection'],
          ['Connection Type', 'Browser SSO Profiles'],
          ['Protocol', 'SAML 2.0'],
          ['Connection Options', 'Browser SSO'],
        ),
      ],
    },
    {
      id: 'urls',
      title: words('Import our metadata', 'Importer nos métadonnées'),
      blocks: [
        text(
          'At **Import Metadata**, choose **File** and the file that you download here. PingFederate fills in the rest.',
          'À **Import Metadata**, choisissez **File**, puis le fichier que vous téléchargez ici. PingFederate remplit la suite.',
        ),
        download('sp_metadata'),
        text(
          'Then compare these values at **General Info** and, later, at **Assertion Consumer Service URL**:',
          'Comparez ensuite ces valeurs, à **General Info** puis à **Assertion Consumer Service URL**\u00a0:',
        ),
        copy('Partner’s Entity ID', 'entity_id'),
        copy('Endpoint URL', 'acs_url'),
      ],
    },
    {
      id: 'assertion',
      title: words('Define the attributes', 'Définir les attributs'),
      blocks: [
        path('Browser SSO', 'Configure Browser SSO'),
        settings(
          ['SAML Profiles', 'IdP-Initiated SSO, SP-Initiated SSO'],
          ['Assertion Lifetime', '5 / 5'],
          ['Identity Mapping', 'Standard'],
        ),
        text(
          'At **Attribute Contract**, keep SAML_SUBJECT, add three attributes to the contract, and fulfill it from your data store or adapter:',
          'À **Attribute Contract**, gardez SAML_SUBJECT, ajoutez trois attributs au contrat, et remplissez-le depuis votre annuaire ou votre adaptateur\u00a0:',
        ),
        attributes(
          ['SAML_SUBJECT', 'mail'],
          ['email', 'mail'],
          ['first_name', 'givenName'],
          ['last_name', 'sn'],
        ),
      ],
    },
    {
      id: 'protocol',
      title: words('Choose bindings and signatures', 'Choisir les liaisons et les signatures'),
      blocks: [
        path('Browser SSO', 'Protocol Settings', 'Configure Protocol Settings'),
        settings(
          ['Allowable SAML Bindings', 'POST, Redirect'],
          ['Signature Policy', 'Always sign assertion; Sign response as required'],
          ['Encryption Policy', 'None'],
        ),
        warn(
          'If you encrypt assertions, choose AES-GCM, or sign the response as well: we refuse AES-CBC without a signed response.',
          'Si vous chiffrez les assertions, choisissez AES-GCM, ou signez aussi la réponse\u00a0: nous refusons AES-CBC sans réponse signée.',
        ),
      ],
    },
    {
      id: 'credentials',
      title: words('Choose the signing certificate', 'Choisir le certificat de signature'),
      blocks: [
        path('Credentials', 'Configure Credentials', 'Digital Signature Settings'),
        settings(
          ['Signing Certificate', 'RSA, 2048'],
          ['Signing Algorithm', 'RSA SHA256'],
          ['Include the certificate in the signature', '✓'],
        ),
        text(
          'Continue to the summary, turn the connection on, and click **Save**.',
          'Continuez jusqu’au résumé, activez la connexion, puis **Save**.',
        ),
        warn(
          'An EC certificate cannot be used here: choose one with an RSA key.',
          'Un certificat EC ne peut pas servir ici\u00a0: choisissez-en un avec une clé RSA.',
        ),
      ],
    },
    {
      id: 'metadata',
      title: words('Export the metadata', 'Exporter les métadonnées'),
      blocks: [
        path('System', 'Protocol Metadata', 'Metadata Export'),
        text(
          'Choose **I am the Identity Provider (IdP)**, then **Use a connection for metadata generation**, this connection and its signing certificate, and click **Export**.',
          'Choisissez **I am the Identity Provider (IdP)**, puis **Use a connection for metadata generation**, cette connexion et son certificat de signature, puis **Export**.',
        ),
      ],
    },
  ],
  metadata: {
    how: words(
      'System, Protocol Metadata, Metadata Export, Export.',
      'System, Protocol Metadata, Metadata Export, Export.',
    ),
    fileHint: 'metadata.xml',
  },
  claims: { ...samlNames, subject: 'SAML_SUBJECT' },
  quirks: [
    words(
      'A connection is saved as a draft until its last page, and inactive until it is turned on there.',
      'Une connexion reste un brouillon jusqu’à sa dernière page, et inactive tant qu’elle n’y est pas activée.',
    ),
  ],
}
