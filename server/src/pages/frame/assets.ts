import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { packageRoot } from '../../platform/package-root.js'

/** A file that pages load, at an address that is another one as soon as the file is. */
interface Asset {
  readonly name: 'pages.css' | 'pages.js'
  readonly type: 'css' | 'js'
  /** Of the content, as its address has it. */
  readonly hash: string
  readonly url: string
  readonly content: string
}

/** The one style sheet and the one script of the pages. */
interface PageAssets {
  readonly style: Asset
  readonly script: Asset
}

/** In the order in which they are read: what comes later stands over what was before. */
const styleSheets = ['style.css', 'form.css', 'content.css', 'tutorial.css', 'metadata.css', 'onboarding.css']

/** Reads what pages load. The sources are shipped beside what is compiled from them. */
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
