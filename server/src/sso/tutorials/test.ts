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
      title: words(
        'Meet the built-in identity provider',
        'Faire connaissance avec le fournisseur d’identité intégré',
      ),
      blocks: [
        text(
          'It is part of the sandbox and knows this connection already, so that nothing is to be entered. With another one you would copy these two values:',
          'Il fait partie du bac à sable et connaît déjà cette connexion\u00a0: il n’y a rien à saisir. Chez un autre, vous copieriez ces deux valeurs\u00a0:',
        ),
        copy('ACS URL', 'acs_url'),
        copy('Entity ID', 'entity_id'),
        download('sp_metadata'),
        warn(
          'It signs in whomever you name, with no password. It is good for trying things out, and for nothing else.',
          'Il connecte qui vous voulez, sans mot de passe. Il sert à essayer, et à rien d’autre.',
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
