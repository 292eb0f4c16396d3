import { Resolver } from 'node:dns'

/** The answer of name servers for the TXT records of a name. */
export type TxtAnswer =
  | { readonly outcome: 'found'; readonly texts: readonly string[] }
  /** They say that the name, or such a record of it, is not there. */
  | { readonly outcome: 'none' }
  /** Nothing is known: no answer in time, a failure of theirs, or a malformed answer. */
  | { readonly outcome: 'no_answer' }

/** @param asker The account for which it is asked. */
export type ReadTxt = (name: string, asker: string) => Promise<TxtAnswer>

/** Look-ups of one account at once, so that nobody floods a resolver, or takes the turns of others. */
const maxAtOnce = 4

/** How much of an answer is looked at: its owner decides its size. */
const maxTexts = 50
const maxBytes = 8_000

/** For all tries of all servers. */
const patienceFactor = 4

/** Codes of a definite answer: the name does not exist, or has no TXT record. */
const definiteCodes = new Set(['ENOTFOUND', 'ENODATA'])

/**
 * Makes a reader of TXT records that asks name servers and connects to nothing else. Wildcards and aliases are followed by
 * the name servers.
 *
 * @param servers Addresses with or without a port; empty: those of the system's configuration.
 * @param timeoutMs How long a query waits for an answer before it is repeated once, somewhat longer.
 */
export function txtReader({
  servers = [],
  timeoutMs = 2_000,
}: {
  servers?: readonly string[]
  timeoutMs?: number
} = {}): ReadTxt {
  const atOnce = sharedTurns(maxAtOnce)
  const ask = (name: string) =>
    new Promise<TxtAnswer>((resolve) => {
      const resolver = new Resolver({ timeout: timeoutMs, tries: 2 })
      if (servers.length > 0) resolver.setServers(servers)
      // Ends with ECANCELLED what no server answers.
      const timer = setTimeout(() => resolver.cancel(), timeoutMs * patienceFactor)
      resolver.resolveTxt(name, (error, records) => {
        clearTimeout(timer)
        if (error === null) resolve({ outcome: 'found', texts: boundedTexts(records) })
        else resolve({ outcome: definiteCodes.has(error.code ?? '') ? 'none' : 'no_answer' })
      })
    })
  return (name, asker) => atOnce(asker, () => ask(name))
}

/** Runs work of each key, some at once, in the order of the calls. */
function sharedTurns(most: number) {
  const running = new Map<string, number>()
  const waiting = new Map<string, (() => void)[]>()
  return async <Result>(key: string, work: () => Promise<Result>): Promise<Result> => {
    const count = running.get(key) ?? 0
    if (count < most) running.set(key, count + 1)
    else await new Promise<void>((go) => waiting.set(key, [...(waiting.get(key) ?? []), go]))
    try {
      return await work()
    } finally {
      const [next, ...others] = waiting.get(key) ?? []
      if (others.length > 0) waiting.set(key, others)
      else waiting.delete(key)
      const left = (running.get(key) ?? 1) - 1
      // The next one takes this turn.
      if (next !== undefined) next()
      else if (left > 0) running.set(key, left)
      else running.delete(key)
    }
  }
}

/** The texts of the first records; a record of several strings is one text (RFC 7208 section 3.3). */
function boundedTexts(records: readonly (readonly string[])[]): string[] {
  const texts: string[] = []
  let bytes = 0
  for (const record of records.slice(0, maxTexts)) {
    const text = record.join('')
    bytes += Buffer.byteLength(text)
    if (bytes > maxBytes) break
    texts.push(text)
  }
  return texts
}
