import { attributes, copy, download, path, settings, text, warn, words, yours } from './blocks.js'
import { samlNames } from './claim-names.js'
import type { Tutorial } from './tutorial.js'

export const jumpcloud: Tutorial = {
  id: 'jumpcloud',
  name: 'JumpCloud',
  mark: 'JC',
  minutes: 10,
  checkedOn: '2026-11-22',
  steps: [
    {
      id: 'create',
      title: words('Add the application', 'Ajouter l’application'),
      blocks: [
        text(
          'Sign in to the JumpCloud admin portal, and go to:',
          'Connectez-vous au portail d’administration JumpCloud, puis allez à\u00a0:',
        ),
        path('SSO Applications', 'Add New Application', 'Custom Application'),
        text(
          'Choose **Manage Single Sign-On (SSO)** and **Configure SSO with SAML**, press **Next**, enter a display label that your users know, and press **Save Application**, then **Configure Application**.',
          'Choisissez **Manage Single Sign-On (SSO)** et **Configure SSO with SAML**, puis **Next**\u00a0; saisissez un nom que vos utilisateurs connaissent, puis **Save Application** et **Configure Application**.',
        ),
      ],
    },
    {
      id: 'urls',
      title: words('Connect it to us', 'La relier à nous'),
      blocks: [
        text(
          'Under **SSO**, press **Upload Metadata** beside Service Provider Metadata, and choose this file:',
          'Sous **SSO**, cliquez sur **Upload Metadata** à côté de Service Provider Metadata, et choisissez ce fichier\u00a0:',
        ),
        download('sp_metadata'),
        text('Or enter the values by hand:', 'Ou saisissez les valeurs\u00a0:'),
        copy('SP Entity ID', 'entity_id'),
        copy('ACS URLs > Default URL', 'acs_url'),
        settings(
          ['IdP Entity ID', 'https://jumpcloud.com/<your company>'],
          ['SAMLSubject NameID', 'email'],
          ['SAMLSubject NameID Format', 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress'],
          ['Signature Algorithm', 'RSA-SHA256'],
          ['Sign', 'Assertion and Response'],
          ['Declare Redirect Endpoint', '✓'],
        ),
        warn(
          'You make the IdP Entity ID up yourself: it must be one that no other application of yours has. Do not change it later.',
          'C’est vous qui choisissez l’IdP Entity ID\u00a0: aucune autre de vos applications ne doit avoir le même. Ne le changez plus ensuite.',
        ),
      ],
    },
    {
      id: 'attributes',
      title: words('Send the name and the address', 'Envoyer le nom et l’adresse'),
      blocks: [
        text(
          'Further down, under **User Attribute Mapping**, add three attributes, and press **Save**.',
          'Plus bas, sous **User Attribute Mapping**, ajoutez trois attributs, puis **Save**.',
        ),
        attributes(['email', 'email'], ['first_name', 'firstname'], ['last_name', 'lastname']),
      ],
    },
    {
      id: 'assign',
      title: words('Let your users in', 'Ouvrir l’accès à vos utilisateurs'),
      blocks: [
        path(yours.app, 'User Groups'),
        text(
          'Tick the groups whose users may sign in, and press **Save**. Be in one of them yourself: you will test it in a moment.',
          'Cochez les groupes dont les utilisateurs peuvent se connecter, puis **Save**. Soyez dans l’un d’eux\u00a0: vous allez bientôt faire un test.',
        ),
        warn(
          'No group is ticked at first, and nobody can sign in.',
          'Aucun groupe n’est coché au départ, et personne ne peut se connecter.',
        ),
      ],
    },
    {
      id: 'metadata',
      title: words('Fetch the metadata', 'Récupérer les métadonnées'),
      blocks: [
        path(yours.app, 'SSO', 'JumpCloud Metadata', 'Export Metadata'),
        text(
          'Keep the file as it is: on the next page you upload it.',
          'Gardez le fichier tel quel\u00a0: vous le déposez à la page suivante.',
        ),
      ],
    },
  ],
  metadata: {
    how: words('SSO, JumpCloud Metadata, Export Metadata.', 'SSO, JumpCloud Metadata, Export Metadata.'),
    fileHint: 'JumpCloud-saml2-metadata.xml',
  },
  claims: { ...samlNames, subject: 'email' },
  quirks: [
    words(
      'Without **Declare Redirect Endpoint** the metadata name the POST binding alone. That works, with one page more on the way.',
      'Sans **Declare Redirect Endpoint**, les métadonnées ne nomment que la liaison POST. Cela fonctionne, avec une page de plus en chemin.',
    ),
  ],
}
