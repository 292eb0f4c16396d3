import { lookup as systemLookup, Resolver, type LookupAddress } from 'node:dns'
import type { LookupFunction } from 'node:net'

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
  const resolver = new Resolver({ timeout: timeoutMs, tries: 2 })
  if (servers !== undefined) resolver.setServers(servers)
  return (hostname, options, callback) => {
    const questions = [
      ask((done) => resolver.resolve4(hostname, done), 4),
      ask((done) => resolver.resolve6(hostname, done), 6),
    ]
    void Promise.all(questions).then((answers) => {
      const found = answers.flatMap(({ addresses }) => addresses)
      if (found.length > 0) callback(null, found)
      else if (fallback && !answers.some(({ error }) => error?.code === 'ETIMEOUT'))
        systemLookup(hostname, { ...options, all: true }, callback)
      else callback(answers[0]?.error ?? new Error(`${hostname} has no address`), [])
    })
  }
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
