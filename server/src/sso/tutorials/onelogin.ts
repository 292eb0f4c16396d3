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
          'Search for **SAML Custom Connector (Advanced)** and choose it. Give it a display name that your users know, and click **Save**.',
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
          'The validator is a regular expression: copy it exactly as shown, including the backslashes.',
          'Le validateur est une expression régulière\u00a0: copiez-le tel quel, barres obliques inverses comprises.',
        ),
        settings(
          ['SAML initiator', 'Service Provider'],
          ['SAML nameID format', 'Email'],
          ['SAML signature element', 'Both'],
        ),
        text('Click **Save**.', 'Cliquez sur **Save**.'),
      ],
    },
    {
      id: 'algorithm',
      title: words('Choose the signature algorithm', 'Choisir l’algorithme de signature'),
      blocks: [
        path(yours.app, 'SSO'),
        settings(['SAML Signature Algorithm', 'SHA-256']),
        warn(
          'Older connectors use SHA-1 by default. We refuse it, because such signatures can be forged.',
          'Les anciens connecteurs utilisent SHA-1 par défaut. Nous le refusons, car ces signatures peuvent être falsifiées.',
        ),
        text('Click **Save**.', 'Cliquez sur **Save**.'),
      ],
    },
    {
      id: 'attributes',
      title: words('Send the name and e-mail address', 'Envoyer le nom et l’adresse e-mail'),
      blocks: [
        path(yours.app, 'Parameters', '+'),
        text(
          'Add three fields. For each one, tick **Include in SAML assertion** before you save, then choose its value.',
          'Ajoutez trois champs. Pour chacun, cochez **Include in SAML assertion** avant d’enregistrer, puis choisissez sa valeur.',
        ),
        attributes(['email', 'Email'], ['first_name', 'First Name'], ['last_name', 'Last Name']),
      ],
    },
    {
      id: 'assign',
      title: words('Assign your users', 'Affecter vos utilisateurs'),
      blocks: [
        text(
          'Choose who can sign in: roles under **Access**, or individual users under **Users**, including yourself, because you will test the sign-in in a moment.',
          'Choisissez qui peut se connecter\u00a0: des rôles sous **Access**, ou des utilisateurs sous **Users**, vous compris\u00a0: vous allez bientôt tester la connexion.',
        ),
        path(yours.app, 'Access'),
      ],
    },
    {
      id: 'metadata',
      title: words('Download the metadata', 'Télécharger les métadonnées'),
      blocks: [
        path(yours.app, 'More Actions', 'SAML Metadata'),
        text(
          'This downloads a file. Do not change it: you upload it on the next page.',
          'Un fichier est téléchargé. Ne le modifiez pas\u00a0: vous le déposerez à la page suivante.',
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
      'A parameter without **Include in SAML assertion** is never sent. The box only appears while you create or edit the field.',
      'Un paramètre sans **Include in SAML assertion** n’est jamais envoyé, et la case n’apparaît qu’à la création ou à la modification du champ.',
    ),
  ],
}
