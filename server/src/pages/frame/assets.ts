import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { packageRoot } from '../../platform/package-root.js'

/** A file that pages load; its address changes with its content. */
interface Asset {
  readonly name: 'pages.css' | 'pages.js'
  readonly type: 'css' | 'js'
  /** Of the content, as it stands in the address. */
  readonly hash: string
  readonly url: string
  readonly content: string
}

/** The one style sheet and the one script of the pages. */
interface PageAssets {
  readonly style: Asset
  readonly script: Asset
}

/** In cascade order: later files override earlier ones. */
const styleSheets = ['style.css', 'form.css', 'content.css', 'tutorial.css', 'metadata.css', 'onboarding.css']

/** Reads the files that pages load. The sources are shipped beside the compiled files. */
export function readPageAssets(): PageAssets {
  return {
    style: assetOf('pages.css', 'css', styleSheets.map(read).join('\n')),
    script: assetOf('pages.js', 'js', read('script.js')),
  }
}

function read(name: string): string {
  return readFileSync(new URL(`src/pages/frame/${name}`, packageRoot), 'utf8')
}

function assetOf(name: Asset['name'], type: Asset['type'], content: string): Asset {
  const hash = createHash('sha256').update(content).digest('base64url').slice(0, 16)
  return { name, type, hash, url: `/assets/${hash}/${name}`, content }
}
