import { defineConfig } from 'tsdown'

export default defineConfig({
  entry: ['src/index.ts', 'src/mock.ts'],
  format: ['esm', 'cjs'],
  platform: 'neutral',
  // .mjs and .cjs, as package.json names them.
  fixedExtension: true,
  target: 'es2022',
  dts: true,
})
