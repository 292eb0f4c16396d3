import type { Danger } from '@portico/contract/access'
import { consoleContract } from '@portico/contract/console'
import { contract } from '@portico/contract/contract'
import { environments, type Environment } from '@portico/contract/fields'
import { staffRoles, type StaffRole } from '@portico/contract/staff'
import { routes, type Route } from '@portico/contract/walk'
import { rightsTable } from '../console/rights-table.js'

/** What each role may do, as docs/guides/console.md has it: a row for the resources that roles may do the same with. */
export function rolesTable(): string {
  const all = routes({ ...contract, ...consoleContract }).filter(
    ({ name, access }) => access.scope !== null && rightsTable[name] !== '',
  )
  const byTag = grouped(all, ({ access }) => access.tag.name)
  const rows = [...byTag].map(([tag, own]) => ({ tag, cells: staffRoles.map((role) => cellOf(own, role)) }))
  const alike = grouped(rows, ({ cells }) => cells.join('|'))
  return table(
    ['', ...staffRoles],
    [...alike.values()].map((group) => [group.map(({ tag }) => tag).join(', '), ...(group[0]?.cells ?? [])]),
  )
}

function cellOf(own: readonly Route[], role: StaffRole): string {
  const [sandbox = '', production = ''] = environments
    .toSorted((one) => (one === 'sandbox' ? -1 : 1))
    .map((environment) => rightIn(own, role, environment))
  return sandbox === production ? sandbox : `${production}; sandbox: ${sandbox}`
}

/** What a role may do with a resource in an environment. */
function rightIn(own: readonly Route[], role: StaffRole, environment: Environment): string {
  const letter = environment === 'production' ? role.charAt(0).toUpperCase() : role.charAt(0)
  const there = own.filter(({ access }) => !access.sandboxOnly || environment === 'sandbox')
  if (there.length === 0) return '–'
  const [may, not] = [true, false].map((isAllowed) =>
    there.filter(({ name }) => rightsTable[name]?.includes(letter) === isAllowed),
  )
  if (may === undefined || not === undefined || may.length === 0) return '–'
  if (not.length === 0) return may.every(isReading) ? 'read' : 'all'
  const also = may.filter((route) => !isReading(route))
  if (also.length > not.length) return `all but ${namesOf(not)}`
  const unread = not.filter(isReading)
  const read = unread.length === 0 ? 'read' : `read but ${namesOf(unread)}`
  return also.length === 0 ? read : `${read}, ${namesOf(also)}`
}

function isReading({ access }: Route): boolean {
  return access.scope?.startsWith('read:') === true
}

function namesOf(several: readonly Route[]): string {
  return several.map(({ name }) => `\`${name.split('.')[1] ?? name}\``).join(', ')
}

function grouped<Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>()
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item])
  return groups
}

/** Which operations ask for what in production, as the guide has it. */
export function dangerList(): string {
  const all = routes({ ...contract, ...consoleContract }).filter(
    ({ access }) => access.danger !== false && access.asUser !== 'refused',
  )
  const titles = { reason: 'A reason', proof: 'A reason and a proof' }
  return (['reason', 'proof'] as const)
    .map((asked) => `- **${titles[asked]}**: ${all.flatMap((route) => askedBy(route, asked)).join(', ')}.`)
    .join('\n')
}

function askedBy({ name, access: { danger } }: Route, asked: Danger): string[] {
  if (typeof danger !== 'object') return danger === asked ? [`\`${name}\``] : []
  const members = Object.entries(danger).flatMap(([member, level]) => (level === asked ? [member] : []))
  return members.length === 0
    ? []
    : [`\`${name}\` of ${members.map((member) => `\`${member}\``).join(' and ')}`]
}

/** Without the spaces that align a table. */
export function unaligned(markdown: string): string {
  return markdown.replace(/ +/g, ' ').replace(/\| -+ /g, '| - ')
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '-'), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`.replace('|  |', '| |'))
    .join('\n')
}
