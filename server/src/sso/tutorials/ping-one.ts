import { attributes, copy, download, path, settings, text, warn, words, yours } from './blocks.js'
import { samlNames } from './claim-names.js'
import type { Tutorial } from './tutorial.js'

export const pingOne: Tutorial = {
  id: 'ping_one',
  name: 'PingOne',
  mark: 'P1',
  minutes: 10,
  checkedOn: '2026-11-22',
  steps: [
    {
      id: 'create',
      title: words('Add the application', 'Ajouter l’application'),
      blocks: [
        text(
          'Sign in to the PingOne admin console, choose your environment, and go to:',
          'Connectez-vous à la console d’administration PingOne, choisissez votre environnement, puis allez à\u00a0:',
        ),
        path('Applications', 'Applications', '+'),
        text(
          'Enter a name that your users know, choose **SAML Application**, and click **Configure**.',
          'Saisissez un nom que vos utilisateurs connaissent, choisissez **SAML Application**, puis **Configure**.',
        ),
      ],
    },
    {
      id: 'urls',
      title: words('Enter our details', 'Saisir nos données'),
      blocks: [
        text(
          'Choose **Import Metadata** and upload this file. PingOne reads both addresses from it.',
          'Choisissez **Import Metadata** et déposez ce fichier\u00a0; PingOne y lit les deux adresses.',
        ),
        download('sp_metadata'),
        text('Or choose **Manually Enter**, and copy:', 'Ou choisissez **Manually Enter**, et copiez\u00a0:'),
        copy('ACS URLs', 'acs_url'),
        copy('Entity ID', 'entity_id'),
        text('Click **Save**.', 'Cliquez sur **Save**.'),
      ],
    },
    {
      id: 'signing',
      title: words('Check what is signed', 'Vérifier ce qui est signé'),
      blocks: [
        path(yours.app, 'Configuration', 'Edit'),
        settings(
          ['Sign Assertion & Response', '✓'],
          ['Signing Algorithm', 'RSA_SHA256'],
          ['Subject NameID Format', 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress'],
        ),
      ],
    },
    {
      id: 'attributes',
      title: words('Send the name and e-mail address', 'Envoyer le nom et l’adresse e-mail'),
      blocks: [
        path(yours.app, 'Attribute Mappings', 'Edit'),
        text(
          'The left side has the name of the attribute that we receive, the right side the value it is filled with.',
          'À gauche, le nom de l’attribut que nous recevons\u00a0; à droite, la valeur qui le remplit.',
        ),
        attributes(
          ['saml_subject', 'Email Address'],
          ['email', 'Email Address'],
          ['first_name', 'Given Name'],
          ['last_name', 'Family Name'],
        ),
      ],
    },
    {
      id: 'enable',
      title: words('Turn the application on', 'Activer l’application'),
      blocks: [
        text(
          'Turn on the toggle at the top right of the application. Without groups under **Access**, every user of the environment can sign in.',
          'Activez l’interrupteur en haut à droite de l’application. Sans groupe sous **Access**, tous les utilisateurs de l’environnement peuvent se connecter.',
        ),
        warn(
          'A new application is off, and PingOne refuses every sign-in until you turn it on.',
          'Une nouvelle application est désactivée\u00a0: PingOne refuse toute connexion tant que vous ne l’activez pas.',
        ),
      ],
    },
    {
      id: 'metadata',
      title: words('Download the metadata', 'Télécharger les métadonnées'),
      blocks: [
        path(yours.app, 'Configuration', 'Download Metadata'),
        text(
          'Do not change the file: you upload it on the next page.',
          'Ne modifiez pas le fichier\u00a0: vous le déposerez à la page suivante.',
        ),
      ],
    },
  ],
  metadata: {
    how: words('Configuration, Download Metadata.', 'Configuration, Download Metadata.'),
    fileHint: 'saml2-metadata-idp.xml',
  },
  claims: { ...samlNames, subject: 'Email Address' },
  quirks: [
    words(
      'saml_subject is filled from the user’s ID by default. This works if the e-mail address is sent as the attribute email.',
      'saml_subject est rempli par défaut avec l’identifiant interne. Cela fonctionne si l’adresse est envoyée dans l’attribut email.',
    ),
  ],
}
