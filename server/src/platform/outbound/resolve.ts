import { promises, Resolver, type LookupAddress } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { inTurn } from '../in-turn.js'

/**
 * Looks names up by asking name servers, without the threads that the system's own lookup occupies: a few names of one
 * tenant whose servers are silent would keep the names of all others waiting, and whatever else needs those threads.
 *
 * @param fallback Also asks the system for a name that name servers do not know, so that its file of hosts is read. Such
 *   names are private ones.
 * @param timeoutMs How long a question may go unanswered before it is asked once more, and somewhat longer.
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
    // One at a time: whoever can have names answered as unknown can have the system's lookup of them hang.
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

/** Said of a name that name servers know not to have an address. */
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
