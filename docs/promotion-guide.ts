import { readFileSync } from 'node:fs'
import { routes } from '@portico/contract/walk'
import { table } from './markdown.js'

/** guides/promotion.md, whose table of what stays out is written from the headings of the contract. */
export function promotionGuide(): string {
  const guide = readFileSync(new URL('guides/promotion.md', import.meta.url), 'utf8')
  const tags = new Set(routes().map(({ access }) => access.tag))
  const rows = [...tags].flatMap(({ name, notPromoted }) =>
    notPromoted === undefined ? [] : [[name, notPromoted]],
  )
  return guide.replace(
    /^\| resource .*\n(?:\|.*\n)+/m,
    () => `${table(['resource', 'stays out, because'], rows)}\n`,
  )
}
