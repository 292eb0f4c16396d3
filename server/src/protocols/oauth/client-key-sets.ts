import { z } from 'zod/v4'
import { ClientKey } from '@portico/contract/client-authentication'
import type { Deps } from '../../delivery/deps.js'
import { shareAmongOwners } from '../../platform/recently-used.js'

/** Limits of an answer from an application's server. */
const answerLimits = { timeoutMs: 5_000, maxAnswerBytes: 64 * 1024 }

const keptMs = 15 * 60 * 1000
/** How soon a key set is read again for a key that it lacks, or after a failure: strangers can ask for either. */
const pauseMs = 60 * 1000
const maxKept = 1_000

const KeySet = z.object({ keys: z.array(z.unknown()) })

/** The keys of an answer, and when it was asked for. */
interface KeysAt {
  readonly keys: readonly ClientKey[]
  readonly readAt: number
}

interface Kept {
  /** The last keys that were read, also where a later attempt has failed; undefined while an attempt replaces none. */
  last: KeysAt | undefined
  /** Ends with the attempt, after which `last` has its keys. */
  readonly reading: Promise<void>
  readonly triedAt: number
}

/** An address of keys, and the account of its application: accounts do not take places from each other. */
interface KeySetAddress {
  readonly accountId: string
  readonly url: string
}

/**
 * Makes the function that finds the public keys at the jwks_uri of an application (RFC 7517 section 5): those of the last quarter of
 * an hour, or newer ones where these lack the key. An attempt that fails leaves them as they are, and nobody whose key they have
 * waits for one: strangers can ask for it.
 */
export function clientKeySets({ outbound, now, log }: Pick<Deps, 'outbound' | 'now' | 'log'>) {
  const kept = shareAmongOwners<Kept>(maxKept)

  async function read(url: string): Promise<readonly ClientKey[] | undefined> {
    const answer = await outbound.get({ url, headers: { accept: 'application/json' }, ...answerLimits })
    const isUsable = answer.outcome === 'answered' && answer.status === 200 && answer.isWhole
    const keys = isUsable ? readKeySet(answer.body) : undefined
    if (keys === undefined)
      log.info({ outcome: answer.outcome }, 'the key set of an application cannot be read')
    return keys
  }

  function readAgain({ accountId, url }: KeySetAddress, at: number, fresh: KeysAt | undefined): Kept {
    const reading = read(url).then((keys) => {
      attempt.last = keys === undefined ? (fresh ?? { keys: [], readAt: at }) : { keys, readAt: at }
    })
    const attempt: Kept = { last: fresh, reading, triedAt: at }
    return kept.keep(accountId, url, attempt)
  }

  /** @param isMeant Whether a key may be the one that is sought. */
  return async function findKeys(
    address: KeySetAddress,
    isMeant: (key: ClientKey) => boolean,
  ): Promise<readonly ClientKey[]> {
    const at = now().getTime()
    const known = kept.get(address.accountId, address.url)
    const fresh = known?.last !== undefined && at - known.last.readAt < keptMs ? known.last : undefined
    const found = fresh?.keys.filter(isMeant) ?? []
    if (found.length > 0) return found
    const isBeingRead = known !== undefined && known.last === undefined
    const isTried = known !== undefined && fresh !== undefined && at - known.triedAt < pauseMs
    const attempt = isBeingRead || isTried ? known : readAgain(address, at, fresh)
    await attempt.reading
    return attempt.last?.keys.filter(isMeant) ?? []
  }
}

/** The keys of a set that we can use; undefined where it is none. */
function readKeySet(text: string): ClientKey[] | undefined {
  try {
    const { data } = KeySet.safeParse(JSON.parse(text))
    return data?.keys.flatMap((key) => ClientKey.safeParse(key).data ?? [])
  } catch {
    return undefined
  }
}
