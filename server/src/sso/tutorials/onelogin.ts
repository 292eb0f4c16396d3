import { attributes, copy, path, settings, text, warn, words, yours } from './blocks.js'
import { samlNames } from './claim-names.js'
import type { Tutorial } from './tutorial.js'

export const onelogin: Tutorial = {
  id: 'onelogin',
  name: 'OneLogin',
  mark: '1L',
  minutes: 12,
  checkedOn: '2026-11-22',
  steps: [
    {
      id: 'create',
      title: words('Add the connector', 'Ajouter le connecteur'),
      blocks: [
        text(
          'Sign in to OneLogin as an administrator, open **Administration**, and go to:',
          'Connectez-vous à OneLogin en tant qu’administrateur, ouvrez **Administration**, puis allez à\u00a0:',
        ),
        path('Applications', 'Applications', 'Add App'),
        text(
          'Search for **SAML Custom Connector (Advanced)** and choose it. Give it a display name that your users know, and press **Save**.',
          'Cherchez **SAML Custom Connector (Advanced)** et choisissez-le. Donnez-lui un nom que vos utilisateurs connaissent, puis **Save**.',
        ),
      ],
    },
    {
      id: 'urls',
      title: words('Enter our addresses', 'Saisir nos adresses'),
      blocks: [
        path(yours.app, 'Configuration'),
        copy('Audience (EntityID)', 'entity_id'),
        copy('Recipient', 'acs_url'),
        copy('ACS (Consumer) URL Validator', 'acs_url_pattern'),
        copy('ACS (Consumer) URL', 'acs_url'),
        warn(
          'The validator is a regular expression: copy it as it stands here, with its backslashes.',
          'Le validateur est une expression régulière\u00a0: copiez-le tel quel, avec ses barres obliques inverses.',
        ),
        settings(
          ['SAML initiator', 'Service Provider'],
          ['SAML nameID format', 'Email'],
          ['SAML signature element', 'Both'],
        ),
        text('Press **Save**.', 'Cliquez sur **Save**.'),
      ],
    },
    {
      id: 'algorithm',
      title: words('Choose the signature algorithm', 'Choisir l’algorithme de signature'),
      blocks: [
        path(yours.app, 'SSO'),
        settings(['SAML Signature Algorithm', 'SHA-256']),
        warn(
          'The default of older connectors is SHA-1, which we refuse: such signatures can be forged.',
          'Les anciens connecteurs proposent SHA-1, que nous refusons\u00a0: ces signatures peuvent être falsifiées.',
        ),
        text('Press **Save**.', 'Cliquez sur **Save**.'),
      ],
    },
    {
      id: 'attributes',
      title: words('Send the name and the address', 'Envoyer le nom et l’adresse'),
      blocks: [
        path(yours.app, 'Parameters', '+'),
        text(
          'Add three fields. At each, tick **Include in SAML assertion** before you save, then choose its value.',
          'Ajoutez trois champs. Pour chacun, cochez **Include in SAML assertion** avant d’enregistrer, puis choisissez sa valeur.',
        ),
        attributes(['email', 'Email'], ['first_name', 'First Name'], ['last_name', 'Last Name']),
      ],
    },
    {
      id: 'assign',
      title: words('Let your users in', 'Ouvrir l’accès à vos utilisateurs'),
      blocks: [
        text(
          'Under **Access** choose the roles, or under **Users** the single users, who may sign in, yourself among them: you will test it in a moment.',
          'Sous **Access**, choisissez les rôles, ou sous **Users** les utilisateurs qui peuvent se connecter, vous compris\u00a0: vous allez bientôt faire un test.',
        ),
        path(yours.app, 'Access'),
      ],
    },
    {
      id: 'metadata',
      title: words('Fetch the metadata', 'Récupérer les métadonnées'),
      blocks: [
        path(yours.app, 'More Actions', 'SAML Metadata'),
        text(
          'A file is downloaded. Keep it as it is: on the next page you upload it.',
          'Un fichier est téléchargé. Gardez-le tel quel\u00a0: vous le déposez à la page suivante.',
        ),
      ],
    },
  ],
  metadata: {
    how: words('More Actions, SAML Metadata.', 'More Actions, SAML Metadata.'),
    fileHint: 'onelogin_metadata_<number>.xml',
  },
  claims: { ...samlNames, subject: 'Email' },
  quirks: [
    words(
      'A parameter without **Include in SAML assertion** is never sent, and the box is only shown while the field is new or edited.',
      'Un paramètre sans **Include in SAML assertion** n’est jamais envoyé, et la case n’apparaît qu’à la création ou à la modification du champ.',
    ),
  ],
}
