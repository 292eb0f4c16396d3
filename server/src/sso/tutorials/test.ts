import { copy, download, text, warn, words } from './blocks.js'
import type { Tutorial } from './tutorial.js'

export const test: Tutorial = {
  id: 'test',
  name: 'Test',
  mark: 'T',
  minutes: 2,
  checkedOn: null,
  steps: [
    {
      id: 'urls',
      title: words('The built-in identity provider', 'Le fournisseur d’identité intégré'),
      blocks: [
        text(
          'It is part of the sandbox and already knows this connection, so there is nothing to enter. With a real provider, you would copy these two values:',
          'Il fait partie du bac à sable et connaît déjà cette connexion\u00a0: il n’y a rien à saisir. Chez un fournisseur réel, vous copieriez ces deux valeurs\u00a0:',
        ),
        copy('ACS URL', 'acs_url'),
        copy('Entity ID', 'entity_id'),
        download('sp_metadata'),
        warn(
          'It signs in any user that you name, without a password. Use it for tests only.',
          'Il connecte l’utilisateur de votre choix, sans mot de passe. Il est réservé aux tests.',
        ),
      ],
    },
  ],
  metadata: {
    how: words(
      'The metadata of the built-in identity provider.',
      'Les métadonnées du fournisseur d’identité intégré.',
    ),
    fileHint: 'metadata.xml',
  },
  claims: { email: ['email'], given_name: ['given_name'], family_name: ['family_name'], subject: 'email' },
  quirks: [],
}
