import { eventCodes } from '@portico/contract/event-catalog'
import type { ApiDocument } from '@portico/contract/openapi'
import type { PlacedOperation } from '../operations.js'

/** Where the site has what the contract names. An address begins with a slash, which is the root of the site. */
export interface Addresses {
  /** By name: operations, records, error codes, event codes. */
  readonly of: (name: string) => string | undefined
}

/** @param errorsPage Where the error codes of the document are explained. */
export function readAddresses(
  document: ApiDocument,
  operations: readonly PlacedOperation[],
  errorsPage: string,
): Addresses {
  const addresses = new Map([
    ...operations.map(({ operationId, tags }) => [operationId, operationAddress(operationId, tags)] as const),
    ...recordNames(document).map((name) => [name, `/records/${name}.html`] as const),
    ...Object.keys(document['x-error-codes']).map((code) => [code, `${errorsPage}#${code}`] as const),
    ...eventCodes.map((code) => [code, `/events.html#${code}`] as const),
  ])
  return { of: (name) => addresses.get(name) }
}

function operationAddress(name: string, [tag = '']: readonly string[]): string {
  return `${resourceAddress(tag)}#${name}`
}

/** The page of the operations of a tag. */
export function resourceAddress(tag: string): string {
  return `/reference/${slugOf(tag)}.html`
}

/** The named schemas that answers are made of. */
export function recordNames(document: ApiDocument): string[] {
  return Object.keys(document.components.schemas).filter((name) => !name.endsWith('Body'))
}

/** The anchor that a heading gets on the pages of a repository's host. */
export function slugOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-')
}

/** A page whose links begin at the root of the site, with links that begin at the page itself. */
export function withRelativeLinks(markup: string, pageAddress: string): string {
  const up = '../'.repeat(pageAddress.split('/').length - 2)
  return markup.replace(/ (href|src)="\/(?!\/)([^"]*)"/g, (_, name: string, path: string) => {
    return ` ${name}="${up}${path}"`
  })
}
