import { gzipSync } from 'node:zlib'
import { routes } from '@portico/contract/walk'
import { build } from 'esbuild'
import type { Figure } from './figures.js'
import { root } from './stage.js'

/** A8: what the SDK adds to a page, beside the client that ts-rest makes of the contract. */
export async function sdkSize(): Promise<Figure[]> {
  const sdk = await bundledKb(`export * from './sdk/src/index.ts'`)
  const tsRest = await bundledKb(`
    import { initClient } from '@ts-rest/core'
    import { contract } from '@portico/contract/contract'
    export const client = (baseUrl) => initClient(contract, { baseUrl, baseHeaders: {} })`)
  return [
    {
      row: 'A8',
      what: `SDK, ${routes().length} endpoints, minified and gzipped`,
      ours: `${sdk.toFixed(1)} kB`,
      beside: `ts-rest client with contract ${tsRest.toFixed(1)} kB`,
      ratio: sdk / tsRest,
    },
  ]
}

async function bundledKb(source: string): Promise<number> {
  const { outputFiles } = await build({
    stdin: { contents: source, resolveDir: root, loader: 'ts' },
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
  })
  const [file] = outputFiles
  return gzipSync(file?.contents ?? '').length / 1000
}
