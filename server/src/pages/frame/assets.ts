import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { packageRoot } from '../../platform/package-root.js'

/** A file that pages load; its address changes with its content. */
interface Asset {
  readonly name: string
  readonly type: 'css' | 'js' | 'woff2'
  /** Of the content, as it stands in the address. */
  readonly hash: string
  readonly url: string
  readonly content: string | Buffer
}

/** The one style sheet and the one script of the pages, that of screens beside it, and the files of their font. */
interface PageAssets {
  readonly style: Asset
  readonly screensStyle: Asset
  readonly script: Asset
  /** The script of the pages on which an authenticator answers. */
  readonly passkeyScript: Asset
  /** Of Latin first, which every page needs. */
  readonly fonts: readonly [Asset, Asset]
}

/** In cascade order: later files override earlier ones. */
const styleSheets = [
  'font.css',
  'style.css',
  'form.css',
  'content.css',
  'tutorial.css',
  'metadata.css',
  'onboarding.css',
]

/** The same of screens, below server/src/screens. */
const screenStyleSheets = ['frame.css', 'records.css', 'forms.css', 'figures.css']

/** Reads the files that pages load. The sources are shipped beside the compiled files. */
export function readPageAssets(): PageAssets {
  const fonts = [fontOf('inter-latin.woff2'), fontOf('inter-latin-ext.woff2')] as const
  const style = fonts.reduce(
    (css, { name, url }) => css.replace(`url('${name}')`, `url('${url}')`),
    textOf(styleSheets),
  )
  return {
    style: assetOf('pages.css', 'css', style),
    screensStyle: assetOf(
      'screens.css',
      'css',
      textOf(screenStyleSheets.map((name) => `../../screens/${name}`)),
    ),
    script: assetOf('pages.js', 'js', read('script.js').toString('utf8')),
    passkeyScript: assetOf('passkey.js', 'js', read('passkey.js').toString('utf8')),
    fonts: [...fonts],
  }
}

function fontOf(name: string): Asset {
  return assetOf(name, 'woff2', read(`fonts/${name}`))
}

function textOf(names: readonly string[]): string {
  return names.map((name) => read(name).toString('utf8')).join('\n')
}

function read(name: string): Buffer {
  return readFileSync(new URL(`src/pages/frame/${name}`, packageRoot))
}

function assetOf(name: string, type: Asset['type'], content: Asset['content']): Asset {
  const hash = createHash('sha256').update(content).digest('base64url').slice(0, 16)
  return { name, type, hash, url: `/assets/${hash}/${name}`, content }
}
