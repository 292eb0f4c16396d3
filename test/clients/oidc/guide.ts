import { readFileSync } from 'node:fs'
import { steps, type OidcClient } from './oidc-client.js'

const page = 'docs/guides/client-libraries.md'

/** The table of the guide, cell by cell, as it is in the page. */
export function tableOfGuide(): string[][] {
  const rows = read(page)
    .split('\n')
    .filter((line) => /^\| [^-]/.test(line))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
  return rows.filter((row) => row.length === steps.length + 1)
}

/** The same table, as the clients under test are. */
export function tableOf(clients: readonly OidcClient[]): string[][] {
  const head = ['client', ...steps]
  return [head, ...clients.map(({ name, notes }) => [name, ...steps.map((step) => notes?.[step] ?? 'yes')])]
}

/** The block of a client in the guide: the first one below its heading. */
export function blockOfGuide({ name }: OidcClient): string | undefined {
  const [, below = ''] = read(page).split(`\n## ${name}\n`)
  const [section = ''] = below.split('\n## ')
  return /```\S*(?: unchecked)?\n([^]*?)```/.exec(section)?.[1]
}

/** The code of the adapter that is in the guide. */
export function codeOf({ file }: OidcClient): string {
  const text = readFileSync(new URL(file, import.meta.url), 'utf8')
  const code = /(?:\/\/|#) #region guide\n([^]*?)(?:\/\/|#) #endregion\n/.exec(text)?.[1] ?? ''
  // The name under which the older version is installed beside the newer one.
  return code.replace("'openid-client-5'", "'openid-client'")
}

function read(path: string): string {
  return readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')
}
