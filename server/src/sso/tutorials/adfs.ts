import { attributes, copy, download, path, settings, text, warn, words, yours } from './blocks.js'
import { wsFederationNames } from './claim-names.js'
import type { Tutorial } from './tutorial.js'

export const adfs: Tutorial = {
  id: 'adfs',
  name: 'Microsoft AD FS',
  mark: 'AD',
  minutes: 20,
  checkedOn: '2026-11-22',
  steps: [
    {
      id: 'file',
      title: words('Download our metadata', 'Télécharger nos métadonnées'),
      blocks: [
        text(
          'AD FS reads everything it needs from one file. Download it here, and copy it to the server where you manage AD FS.',
          'AD FS lit tout ce qu’il lui faut dans un fichier. Téléchargez-le ici et copiez-le sur le serveur où vous gérez AD FS.',
        ),
        download('sp_metadata'),
      ],
    },
    {
      id: 'create',
      title: words('Add the relying party trust', 'Ajouter l’approbation de partie de confiance'),
      blocks: [
        path('AD FS Management', 'Relying Party Trusts', 'Add Relying Party Trust…'),
        settings(
          ['Welcome', 'Claims aware'],
          ['Select Data Source', 'Import data about the relying party from a file'],
          ['Choose Access Control Policy', 'Permit everyone'],
        ),
        text(
          'Give it a display name, and leave **Configure claims issuance policy for this application** ticked on the last page. Then compare these values with those that the wizard has read:',
          'Donnez-lui un nom, et laissez **Configure claims issuance policy for this application** coché à la dernière page. Comparez ensuite ces valeurs à celles que l’assistant a lues\u00a0:',
        ),
        copy('Relying party trust identifiers', 'entity_id'),
        copy('SAML Assertion Consumer Endpoints (POST)', 'acs_url'),
      ],
    },
    {
      id: 'ldap-rule',
      title: words('First rule: read the directory', 'Première règle\u00a0: lire l’annuaire'),
      blocks: [
        path('Edit Claim Issuance Policy…', 'Add Rule…', 'Send LDAP Attributes as Claims'),
        text(
          'Choose **Active Directory** as the attribute store, and map:',
          'Choisissez **Active Directory** comme magasin d’attributs, et associez\u00a0:',
        ),
        attributes(
          ['E-Mail Address', 'E-Mail-Addresses'],
          ['Given Name', 'Given-Name'],
          ['Surname', 'Surname'],
        ),
      ],
    },
    {
      id: 'name-id-rule',
      title: words('Second rule: the Name ID', 'Seconde règle\u00a0: le Name ID'),
      blocks: [
        path('Add Rule…', 'Transform an Incoming Claim'),
        settings(
          ['Incoming claim type', 'E-Mail Address'],
          ['Outgoing claim type', 'Name ID'],
          ['Outgoing name ID format', 'Email'],
          ['Claim values', 'Pass through all claim values'],
        ),
        warn(
          'This rule must come after the first one. Without it there is no Name ID, and every sign-in fails at the check subject.',
          'Cette règle doit venir après la première. Sans elle, il n’y a pas de Name ID, et toute connexion échoue à la vérification subject.',
        ),
      ],
    },
    {
      id: 'algorithm',
      title: words('Check the hash algorithm', 'Vérifier l’algorithme de hachage'),
      blocks: [
        path('Relying Party Trusts', yours.trust, 'Properties', 'Advanced'),
        settings(['Secure hash algorithm', 'SHA-256']),
        text(
          'Because our metadata contains a certificate, AD FS encrypts assertions with AES-CBC. We accept this only if the response is signed as well. Run this in PowerShell:',
          'Comme nos métadonnées contiennent un certificat, AD FS chiffre les assertions par AES-CBC. Nous ne l’acceptons que si la réponse est également signée. Exécutez ceci dans PowerShell\u00a0:',
        ),
        {
          t: 'snippet',
          field: 'PowerShell',
          template:
            'Set-AdfsRelyingPartyTrust -TargetIdentifier "{entity_id}" -SamlResponseSignature MessageAndAssertion',
        },
      ],
    },
    {
      id: 'metadata',
      title: words('Download the metadata', 'Télécharger les métadonnées'),
      blocks: [
        text(
          'Open this address in a browser, with the host name of your AD FS, and save the file:',
          'Ouvrez cette adresse dans un navigateur, avec le nom d’hôte de votre AD FS, et enregistrez le fichier\u00a0:',
        ),
        {
          t: 'snippet',
          field: 'Federation metadata',
          template: 'https://adfs.example.com/FederationMetadata/2007-06/FederationMetadata.xml',
        },
      ],
    },
  ],
  metadata: {
    how: words(
      'https://<your AD FS>/FederationMetadata/2007-06/FederationMetadata.xml',
      'https://<votre AD FS>/FederationMetadata/2007-06/FederationMetadata.xml',
    ),
    fileHint: 'FederationMetadata.xml',
  },
  claims: { ...wsFederationNames, subject: 'E-Mail-Addresses' },
  quirks: [
    words(
      'AD FS replaces its signing certificate automatically once a year. Upload the metadata again as soon as it contains the new one: the old and the new certificate both work.',
      'AD FS remplace automatiquement son certificat de signature chaque année. Déposez à nouveau les métadonnées dès que le nouveau y figure\u00a0: les deux fonctionnent ensemble.',
    ),
    words(
      'The file also contains roles of WS-Federation and of a service provider. We ignore them.',
      'Le fichier contient aussi des rôles WS-Federation et de fournisseur de services. Nous les ignorons.',
    ),
    words(
      'If the clock of the server is off by more than two minutes, every assertion is refused. Synchronize it with NTP.',
      'Si l’horloge du serveur est décalée de plus de deux minutes, chaque assertion est refusée. Réglez-la par NTP.',
    ),
  ],
}
