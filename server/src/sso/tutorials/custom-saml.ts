import { attributes, copy, download, settings, text, warn, words } from './blocks.js'
import type { Tutorial } from './tutorial.js'

export const customSaml: Tutorial = {
  id: 'custom_saml',
  name: 'SAML 2.0',
  mark: '<>',
  minutes: 15,
  checkedOn: null,
  steps: [
    {
      id: 'urls',
      title: words('Register us as a service provider', 'Nous enregistrer comme fournisseur de services'),
      blocks: [
        text(
          'If your identity provider imports metadata, use this file or its address. It contains everything.',
          'Si votre fournisseur d’identité importe des métadonnées, donnez-lui ce fichier ou son adresse. Tout y est.',
        ),
        download('sp_metadata'),
        copy('Metadata URL', 'metadata_url'),
        text('Otherwise, enter these values:', 'Sinon, saisissez ces valeurs\u00a0:'),
        copy('Entity ID, audience', 'entity_id'),
        copy('Assertion consumer service (ACS), recipient, destination', 'acs_url'),
        copy('NameID format', 'name_id_format'),
      ],
    },
    {
      id: 'signatures',
      title: words('Choose bindings and signatures', 'Choisir les liaisons et les signatures'),
      blocks: [
        settings(
          ['Response binding', 'HTTP-POST'],
          ['Request binding', 'HTTP-Redirect / HTTP-POST'],
          ['Signed', 'assertion / response / both'],
          ['Signature algorithm', 'rsa-sha256'],
          ['Digest algorithm', 'sha256'],
          ['Canonicalization', 'exclusive'],
          ['Assertion lifetime', '5 min'],
        ),
        warn('SHA-1, HMAC and EC signatures are refused.', 'Les signatures SHA-1, HMAC et EC sont refusées.'),
        text(
          'You can encrypt assertions with our certificate, preferably with AES-GCM. Our requests are signed with the same key, if you want to verify them.',
          'Vous pouvez chiffrer les assertions avec notre certificat, de préférence en AES-GCM. Nos requêtes sont signées avec la même clé, si vous voulez les vérifier.',
        ),
        download('sp_certificate'),
      ],
    },
    {
      id: 'attributes',
      title: words('Send the name and e-mail address', 'Envoyer le nom et l’adresse e-mail'),
      blocks: [
        text(
          'Send a NameID that never changes for a user, and these attributes. Of attribute names that are URIs, we use the last part.',
          'Envoyez un NameID qui ne change jamais pour un utilisateur, et ces attributs. Si un nom d’attribut est une URI, nous en retenons la dernière partie.',
        ),
        attributes(['NameID', 'mail'], ['email', 'mail'], ['first_name', 'givenName'], ['last_name', 'sn']),
      ],
    },
    {
      id: 'metadata',
      title: words('Download the metadata', 'Télécharger les métadonnées'),
      blocks: [
        text(
          'Export the metadata of your identity provider as an XML file. It must contain an IDPSSODescriptor with a signing certificate and a sign-in URL that starts with https.',
          'Exportez les métadonnées de votre fournisseur d’identité en fichier XML. Il doit contenir un IDPSSODescriptor avec un certificat de signature et une adresse de connexion qui commence par https.',
        ),
        warn(
          'Checklist: assertion or response signed with rsa-sha256, a NameID, an AudienceRestriction with our entity ID, and a bearer confirmation whose Recipient is our ACS URL.',
          'Liste de contrôle\u00a0: assertion ou réponse signée par rsa-sha256, un NameID, une AudienceRestriction avec notre identifiant d’entité, et une confirmation bearer dont le Recipient est notre adresse ACS.',
        ),
      ],
    },
  ],
  metadata: {
    how: words(
      'The metadata of your identity provider, as an XML file.',
      'Les métadonnées de votre fournisseur d’identité, en fichier XML.',
    ),
    fileHint: 'metadata.xml',
  },
  claims: {
    email: ['email', 'mail'],
    given_name: ['first_name', 'givenName'],
    family_name: ['last_name', 'sn'],
    subject: 'NameID',
  },
  quirks: [],
}
