import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

/** The documentation site as files. */
export interface BuiltSite {
  readonly folder: string
  /** The pages, from the folder. */
  readonly pages: readonly string[]
  readonly read: (page: string) => string
}

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Builds the site if it is stale, like `npm start`. */
export async function buildSite(): Promise<BuiltSite> {
  await promisify(execFile)(process.execPath, ['docs/build-when-stale.js'], { cwd: root })
  return siteIn(join(root, 'docs/dist/site'))
}

export function siteIn(folder: string): BuiltSite {
  const pages = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => name.endsWith('.html'))
    .toSorted()
  return { folder, pages, read: (page) => readFileSync(join(folder, page), 'utf8') }
}

/** The links of all pages, resolved like in a browser; links to other sites are listed but not requested. */
export function linksOf(site: BuiltSite): { dead: string[]; external: string[] } {
  const dead: string[] = []
  const external = new Set<string>()
  const anchors = new Map<string, Set<string>>()
  const anchorsOf = (page: string) => {
    const known = anchors.get(page) ?? new Set(idsIn(site.read(page)))
    anchors.set(page, known)
    return known
  }
  for (const page of site.pages)
    for (const target of targetsIn(site.read(page))) {
      const [path = '', anchor] = target.split('#')
      const file = path === '' ? page : join(dirname(page), path).replaceAll('\\', '/')
      if (/^[a-z]+:/.test(target)) external.add(target)
      else if (path.startsWith('/') || !existsSync(join(site.folder, file)) || file.startsWith('..'))
        dead.push(`${page}: ${target}`)
      else if (anchor !== undefined && !anchorsOf(file).has(anchor)) dead.push(`${page}: ${target}`)
    }
  return { dead, external: [...external].toSorted() }
}

/** The values of id attributes in a page. */
export function idsIn(markup: string): string[] {
  return valuesOf(markup, / id="([^"]+)"/g)
}

function targetsIn(markup: string): string[] {
  return valuesOf(markup, / (?:href|src)="([^"]*)"/g).map((target) => target.replaceAll('&amp;', '&'))
}

function valuesOf(markup: string, pattern: RegExp): string[] {
  return [...markup.matchAll(pattern)].map(([, value]) => value ?? '')
}
