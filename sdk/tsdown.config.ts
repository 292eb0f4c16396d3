import { fileURLToPath } from 'node:url'
import { defineConfig } from 'tsdown'

const signature = fileURLToPath(new URL('../contract/src/events/webhook-signature.ts', import.meta.url))

/**
 * Gives the comments of members lines of their own. The bundler of the declarations would put a comment on one line behind
 * the member before it, inside of object types, and there it belongs to nothing.
 */
const memberComments = {
  name: 'member-comments',
  transform: {
    order: 'pre',
    filter: { id: /\.d\.[cm]?ts$/ },
    handler: (code: string) => code.replace(/^( +)\/\*\* (.*) \*\/$/gm, '$1/**\n$1 * $2\n$1 */'),
  },
} as const

export default defineConfig({
  entry: ['src/index.ts', 'src/mock.ts', 'src/testing.ts', 'src/webhooks.ts'],
  // From its source, so that a bundle does not wait for the contract to be compiled.
  alias: { '@portico/contract/webhook-signature': signature },
  // What starts an emulator needs Node; everything else runs anywhere.
  external: [/^node:/],
  format: ['esm', 'cjs'],
  platform: 'neutral',
  // .mjs and .cjs, as package.json names them.
  fixedExtension: true,
  target: 'es2022',
  dts: true,
  tsconfig: 'tsconfig.build.json',
  // Not among `plugins`, which the declarations of CommonJS are bundled without.
  inputOptions: ({ plugins, ...options }) => ({ ...options, plugins: [memberComments, plugins] }),
})
