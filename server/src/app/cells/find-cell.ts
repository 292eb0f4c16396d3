import type { IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import { promptDb } from '../../platform/db/connect.js'
import { consoleAccountDomain } from '../../platform/console-account.js'
import type { DB } from '../../platform/db/schema.js'
import { keepRecentlyUsed } from '../../platform/recently-used.js'
import { findAdminSecret } from '../../pages/frame/admin-cookie.js'
import { cellKeyOf } from './cell-key.js'
import { keysOfForm } from './form-keys.js'
import { findKeptName, holdsKey, valueOf, type AskedKey } from './holds-key.js'
import { readAhead } from './read-ahead.js'

/** A database among several, as requests are told apart. */
export interface AskedCell {
  readonly name: string
  /** Undefined until it has been reached. */
  readonly db: Kysely<DB> | undefined
}

/** The cell of the account of a request; none where nobody has it, unknown where a cell that cannot be asked may have it. */
type Found<Cell> = Cell | 'none' | 'unknown'

/** A key that a cell keeps for good. */
type LastingKey = Exclude<AskedKey, { readonly kind: 'secret' }>

/** Keys never change their account, nor accounts their cell while a process runs. */
const maxRemembered = 100_000

/**
 * Makes the function that says in which cell the account of a request is. Each cell is asked, in one lookup, once for each key of an
 * account, and for each secret that comes without one.
 *
 * @returns At once for what is remembered.
 */
export function cellFinder<Cell extends AskedCell>(
  cells: readonly Cell[],
  { isHttps }: { readonly isHttps: boolean },
) {
  const remembered = new Map<string, Cell>()

  async function ask(key: AskedKey): Promise<Found<Cell>> {
    if (key.kind === 'domain') return askName(key)
    const cell = await askOf(cells, key)
    if (typeof cell === 'object') remember(key, cell)
    return cell
  }

  /**
   * A name is of the cell for which the first one keeps it, also where another one has it, too: else it would depend on which of them is
   * faster. Where the first lacks the name the others are believed, and where it cannot say, for this once.
   */
  async function askName(key: LastingKey): Promise<Found<Cell>> {
    const [first, ...others] = cells
    const known = askOf(others, key)
    const owner = first === undefined ? 'none' : await Promise.race([ownerOf(first, key), lateAfter(known)])
    if (owner === 'unknown') return (await known) === 'none' ? 'unknown' : known
    const cell = owner === 'none' ? await known : owner
    if (typeof cell === 'object') remember(key, cell)
    return cell
  }

  async function ownerOf(first: Cell, { id }: LastingKey): Promise<Found<Cell>> {
    if (first.db === undefined) return 'unknown'
    try {
      const kept = await findKeptName(promptDb(first.db), id)
      if (kept === undefined) return 'none'
      return kept.cell === null ? first : (cells.find(({ name }) => name === kept.cell) ?? 'none')
    } catch {
      return 'unknown'
    }
  }

  /** The first that has it: one that does not answer holds nobody up. */
  async function askOf(some: readonly Cell[], key: AskedKey): Promise<Found<Cell>> {
    let isUnknown = false
    const asked = some.map(async (cell) => {
      const holds = await holdsOf(cell, key)
      if (holds === undefined) isUnknown = true
      if (holds !== true) throw new Error('another cell')
      return cell
    })
    try {
      return await Promise.any(asked)
    } catch {
      return isUnknown ? 'unknown' : 'none'
    }
  }

  function remember(key: AskedKey, cell: Cell): void {
    if (key.kind === 'secret') return
    keepRecentlyUsed(remembered, nameOf(key), cell, maxRemembered)
  }

  /** The cell that has one of the keys. All are asked at once, so that a cell which does not answer for one delays no other. */
  async function findByKeys(keys: readonly AskedKey[]): Promise<Found<Cell>> {
    for (const key of keys) {
      const cell = key.kind === 'secret' ? undefined : remembered.get(nameOf(key))
      if (cell !== undefined) return cell
    }
    let found: 'none' | 'unknown' = 'none'
    const asked = keys.map(async (key) => {
      const cell = await ask(key)
      if (typeof cell === 'object') return cell
      if (cell === 'unknown') found = cell
      throw new Error('no cell')
    })
    return Promise.any(asked).catch(() => found)
  }

  return function findCell(req: IncomingMessage): Found<Cell> | Promise<Found<Cell>> {
    const { url = '/', headers } = req
    const key = cellKeyOf({ target: originForm(url), authorization: headers.authorization })
    if (key === undefined) return 'none'
    switch (key.kind) {
      case 'none':
        return 'none'
      case 'form':
        return readAhead(req).then((form) => findByKeys(keysOfForm(headers.authorization, form)))
      case 'secret':
        return readAhead(req).then((form) => findByKeys(secretsOf(req, form, isHttps)))
      case 'domain':
        return ofDomain(key.domain.toLowerCase())
      default:
        return known(key)
    }
  }

  /** The reserved account is in each cell: what names it is of none in particular, and so of the first. */
  function ofDomain(id: string): Found<Cell> | Promise<Found<Cell>> {
    return id === consoleAccountDomain ? 'none' : known({ kind: 'domain', id })
  }

  function known(key: LastingKey): Found<Cell> | Promise<Found<Cell>> {
    return remembered.get(nameOf(key)) ?? ask(key)
  }
}

/** In ms. How long a name that another cell has waits for the word of the first. */
const waitForFirstMs = 500

/** What takes the place of the word of the first cell once another one has the name and the first stays silent. */
async function lateAfter(known: Promise<unknown>): Promise<'unknown'> {
  // Where no other has it, the first is waited for.
  if (typeof (await known) !== 'object') return new Promise<never>(() => undefined)
  await sleep(waitForFirstMs, undefined, { ref: false })
  return 'unknown'
}

/** Path and query of a request target, which may be a whole address (RFC 9112 section 3.2). */
function originForm(target: string): string {
  if (target.startsWith('/') || !URL.canParse(target)) return target
  const { pathname, search } = new URL(target)
  return pathname + search
}

/** Undefined where the cell cannot be asked. */
async function holdsOf({ db }: AskedCell, key: AskedKey): Promise<boolean | undefined> {
  if (db === undefined) return undefined
  try {
    return await holdsKey(promptDb(db), key)
  } catch {
    return undefined
  }
}

/** Of the record: a key that is written in another way is not remembered again. */
function nameOf(key: LastingKey): string {
  return `${key.kind} ${String(valueOf(key))}`
}

/** The token of a link, in the address or in the form that it shows; else the cookie of an administrator. */
function secretsOf(
  { url = '/', headers }: IncomingMessage,
  form: Readonly<Record<string, string>>,
  isHttps: boolean,
): AskedKey[] {
  const [path = '', query = ''] = url.split('?', 2)
  const [, first, last] = path.split('/')
  const ofPath = first === 'relay' ? last : undefined
  const secrets = [
    ofPath,
    new URLSearchParams(query).get('token') ?? undefined,
    form['token'],
    findAdminSecret(headers.cookie, isHttps),
  ]
  return secrets.flatMap((secret) =>
    secret === undefined || secret === '' ? [] : [{ kind: 'secret', secret }],
  )
}
