import { fileURLToPath } from 'node:url'
import { defineConfig } from 'tsdown'

const signature = fileURLToPath(new URL('../contract/src/events/webhook-signature.ts', import.meta.url))

/**
 * Puts the comments of members on lines of their own. In object types the bundler of declarations would append a one-line
 * comment to the previous member, where editors ignore it.
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
  entry: ['index', 'express', 'hono', 'mock', 'next', 'session', 'testing', 'webhooks'].map(
    (name) => `src/${name}.ts`,
  ),
  // The source, so that bundling does not require a compiled contract.
  alias: { '@portico/contract/webhook-signature': signature },
  // Only the code that starts an emulator needs Node, and the application has Next.js itself.
  external: [/^node:/, /^next\//],
  format: ['esm', 'cjs'],
  platform: 'neutral',
  // .mjs and .cjs, as in package.json.
  fixedExtension: true,
  target: 'es2022',
  dts: true,
  tsconfig: 'tsconfig.build.json',
  // Not in `plugins`, which do not run for the declarations of CommonJS.
  inputOptions: ({ plugins, ...options }) => ({ ...options, plugins: [memberComments, plugins] }),
})
