import { promises, Resolver, type LookupAddress } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { inTurn } from '../in-turn.js'

/**
 * Looks names up by asking name servers, without the thread pool of the system's own lookup: a few names of one tenant
 * with silent servers would block the lookups of all others, and all other work of the pool.
 *
 * @param fallback Also asks the system for a name that name servers do not know, so that its hosts file is read. Such
 *   names are private.
 * @param timeoutMs How long a query waits for an answer before it is repeated once, somewhat longer.
 * @param servers Instead of those of the system's configuration, in tests.
 */
export function resolvingLookup({
  fallback,
  timeoutMs = 2_000,
  servers,
}: {
  fallback: boolean
  timeoutMs?: number
  servers?: readonly string[]
}): LookupFunction {
  const resolverOf = renewed(() => {
    const resolver = new Resolver({ timeout: timeoutMs, tries: 2 })
    if (servers !== undefined) resolver.setServers(servers)
    return resolver
  })
  const askSystem = inTurn(systemAddresses)
  async function addressesOf(hostname: string): Promise<LookupAddress[]> {
    const resolver = resolverOf()
    const answers = await Promise.all([
      ask((done) => resolver.resolve4(hostname, done), 4),
      ask((done) => resolver.resolve6(hostname, done), 6),
    ])
    const found = answers.flatMap(({ addresses }) => addresses)
    if (found.length > 0) return found
    const isUnknown = answers.every(({ error }) => error !== null && unknownCodes.has(error.code ?? ''))
    // One at a time: an attacker whose names are answered as unknown could also make the system's lookup of them hang.
    if (fallback && isUnknown) return askSystem(hostname)
    throw answers[0].error ?? new Error(`${hostname} has no address`)
  }
  return (hostname, _options, callback) => {
    addressesOf(hostname).then(
      (addresses) => callback(null, addresses),
      (error: NodeJS.ErrnoException) => callback(error, []),
    )
  }
}

/** Codes of a name without an address. */
const unknownCodes = new Set(['ENOTFOUND', 'ENODATA'])

/** A resolver reads the system's configuration once; a machine may get other name servers at any time. */
const renewalMs = 60_000

function renewed<Thing>(make: () => Thing): () => Thing {
  let made: { readonly thing: Thing; readonly tick: number } | undefined
  return () => {
    if (made === undefined || performance.now() - made.tick > renewalMs)
      made = { thing: make(), tick: performance.now() }
    return made.thing
  }
}

function systemAddresses(hostname: string): Promise<LookupAddress[]> {
  return promises.lookup(hostname, { all: true })
}

interface AddressAnswer {
  readonly addresses: LookupAddress[]
  readonly error: NodeJS.ErrnoException | null
}

function ask(
  question: (done: (error: NodeJS.ErrnoException | null, addresses: string[]) => void) => void,
  family: 4 | 6,
): Promise<AddressAnswer> {
  return new Promise((resolve) => {
    question((error, addresses) => {
      const found = error === null ? addresses.map((address) => ({ address, family })) : []
      resolve({ addresses: found, error })
    })
  })
}
