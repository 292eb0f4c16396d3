import { fileURLToPath } from 'node:url'
import { defineConfig } from 'tsdown'

const signature = fileURLToPath(new URL('../contract/src/webhook-signature.ts', import.meta.url))

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
})
