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
          'Choose **Manage Single Sign-On (SSO)** and **Configure SSO with SAML**, click **Next**, enter a display label that your users know, and click **Save Application**, then **Configure Application**.',
          'Choisissez **Manage Single Sign-On (SSO)** et **Configure SSO with SAML**, puis **Next**\u00a0; saisissez un nom que vos utilisateurs connaissent, puis **Save Application** et **Configure Application**.',
        ),
      ],
    },
    {
      id: 'urls',
      title: words('Enter our details', 'Saisir nos données'),
      blocks: [
        text(
          'Under **SSO**, click **Upload Metadata** next to Service Provider Metadata, and choose this file:',
          'Sous **SSO**, cliquez sur **Upload Metadata** à côté de Service Provider Metadata, et choisissez ce fichier\u00a0:',
        ),
        download('sp_metadata'),
        text('Or enter the values yourself:', 'Ou saisissez vous-même les valeurs\u00a0:'),
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
          'You choose the IdP Entity ID yourself. It must be different from that of your other applications. Do not change it later.',
          'C’est vous qui choisissez l’IdP Entity ID\u00a0: aucune autre de vos applications ne doit avoir le même. Ne le changez plus ensuite.',
        ),
      ],
    },
    {
      id: 'attributes',
      title: words('Send the name and e-mail address', 'Envoyer le nom et l’adresse e-mail'),
      blocks: [
        text(
          'Further down, under **User Attribute Mapping**, add three attributes, and click **Save**.',
          'Plus bas, sous **User Attribute Mapping**, ajoutez trois attributs, puis **Save**.',
        ),
        attributes(['email', 'email'], ['first_name', 'firstname'], ['last_name', 'lastname']),
      ],
    },
    {
      id: 'assign',
      title: words('Assign your users', 'Affecter vos utilisateurs'),
      blocks: [
        path(yours.app, 'User Groups'),
        text(
          'Tick the groups whose users can sign in, and click **Save**. You should be in one of them, because you will test the sign-in in a moment.',
          'Cochez les groupes dont les utilisateurs peuvent se connecter, puis **Save**. Faites partie de l’un d’eux\u00a0: vous allez bientôt tester la connexion.',
        ),
        warn(
          'By default no group is ticked, and nobody can sign in.',
          'Par défaut, aucun groupe n’est coché, et personne ne peut se connecter.',
        ),
      ],
    },
    {
      id: 'metadata',
      title: words('Download the metadata', 'Télécharger les métadonnées'),
      blocks: [
        path(yours.app, 'SSO', 'JumpCloud Metadata', 'Export Metadata'),
        text(
          'Do not change the file: you upload it on the next page.',
          'Ne modifiez pas le fichier\u00a0: vous le déposerez à la page suivante.',
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
      'Without **Declare Redirect Endpoint**, the metadata contains only the POST binding. This works, with one additional page during sign-in.',
      'Sans **Declare Redirect Endpoint**, les métadonnées n’indiquent que la liaison POST. Cela fonctionne, avec une page intermédiaire de plus.',
    ),
  ],
}
