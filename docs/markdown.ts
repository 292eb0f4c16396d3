import { STATUS_CODES } from 'node:http'
import { errorCodes, type PublicErrorCode } from '@portico/contract/errors'
import { eventCatalog, eventCodes, type EventCode, type EventKind } from '@portico/contract/event-catalog'
import { nameOf } from '@portico/contract/record'
import { everyOperation, namesAnswering, namesEmitting, type PlacedOperation } from './operations.js'

/** errors.md: one heading for each error code, so that its address can be given out. */
export function errorsPage(operations: readonly PlacedOperation[]): string {
  const intro =
    'Every failure of the API answers `{"error": {"code", "message", "docs_url", "request_id", "fields"}}`; `fields` comes ' +
    'with 422 alone and names each parameter at fault. Decide by `code`. The OAuth endpoints answer RFC 6749 section 5.2 instead.'
  const sections = codesOf(errorCodes).map((code) => errorSection(operations, code))
  return ['# Errors', built, intro, ...sections].join('\n\n') + '\n'
}

function errorSection(operations: readonly PlacedOperation[], code: PublicErrorCode): string {
  const { status, message, remedy } = errorCodes[code]
  const names = namesAnswering(operations, code)
  const answered = everyOperation(operations, names) ?? `${names.map(quoted).join(', ')}.`
  return [
    `## ${code}`,
    `**${status} ${STATUS_CODES[status] ?? ''}.** ${message}`,
    `What to do: ${remedy}`,
    `Answered by: ${answered}`,
  ].join('\n\n')
}

/** events.md: what each event code tells, and which operations emit it. */
export function eventsPage(operations: readonly PlacedOperation[]): string {
  const intro =
    'A webhook subscribes to codes, to a family such as `user.all`, or to `all`. A code is family, resource, action and outcome.'
  const rows = eventCodes.map((code) => [
    quoted(code),
    eventCatalog[code].tells,
    nameOf(eventCatalog[code].data),
    emitters(operations, code),
  ])
  return ['# Events', built, intro, table(['Code', 'Tells', 'Data', 'Emitted by'], rows)].join('\n\n') + '\n'
}

function emitters(operations: readonly PlacedOperation[], code: EventCode): string {
  const { elsewhere = [] }: EventKind = eventCatalog[code]
  return [...namesEmitting(operations, code).map(quoted), ...elsewhere.map(({ source }) => source)].join(', ')
}

const built = 'Built from the contract by `npm run -w docs build`.'

function codesOf<Code extends string>(codes: Readonly<Record<Code, unknown>>): Code[] {
  // An object literal has no keys but those of its type.
  return Object.keys(codes) as Code[]
}

function quoted(text: string): string {
  return `\`${text}\``
}

/** A table with columns of equal width, as the formatter writes it. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) =>
    Math.max(...[head, ...rows].map((row) => row[column]?.length ?? 0), title.length),
  )
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n')
}
