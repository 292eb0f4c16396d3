import { isObject } from '../exchange.js'
import { cookiesOf, type CookieJar } from './cookies.js'
import type { Sealer } from './seal.js'
import { randomText } from './digest.js'

/** A sign-in that a browser has begun, kept in a cookie of its own, so that tabs do not disturb one another. */
export interface Transaction {
  readonly nonce: string
  /** code_verifier (RFC 7636). */
  readonly verifier: string
  readonly returnTo: string
  /** The organization that was asked for. */
  readonly organization?: string | undefined
  /** The acr that was asked for. */
  readonly acr?: string | undefined
}

/** The sign-ins that browsers have begun. */
export interface Transactions {
  /** Begins one: its state, and the Set-Cookie headers that keep it. */
  begin(
    transaction: Transaction,
    cookies: string | null,
  ): Promise<{ readonly state: string; readonly setCookies: readonly string[] }>
  /** The transaction of a state, if this browser has begun it. */
  find(state: string, cookies: string | null): Promise<Transaction | undefined>
  /** The Set-Cookie header that ends it. */
  end(state: string): string
}

const lifetimeSeconds = 600
const maxTransactions = 5
const prefix = 'portico-tx-'

export function createTransactions(jar: CookieJar, sealer: Sealer): Transactions {
  const nameOf = (state: string) => prefix + state.slice(0, 8)
  // The whole state: a cookie opens for the answer to its own request alone.
  const placeOf = (state: string) => prefix + state

  return {
    async begin(transaction, cookies) {
      const state = randomText()
      const older = cookiesOf(cookies, jar.nameOf(prefix)).map(({ name }) => name)
      const surplus = older.slice(0, Math.max(0, older.length - maxTransactions + 1))
      const sealed = await sealer.seal(transaction, placeOf(state))
      const removed = surplus.map((name) => jar.remove(prefix + name.slice(jar.nameOf(prefix).length)))
      return { state, setCookies: [...removed, jar.set(nameOf(state), sealed, lifetimeSeconds)] }
    },
    async find(state, cookies) {
      if (!/^[\w-]{43}$/.test(state)) return undefined
      const name = jar.nameOf(nameOf(state))
      for (const cookie of cookiesOf(cookies, name)) {
        const opened = cookie.name === name ? await sealer.open(cookie.value, placeOf(state)) : undefined
        if (isTransaction(opened)) return opened
      }
      return undefined
    },
    end: (state) => jar.remove(nameOf(state)),
  }
}

function isTransaction(value: unknown): value is Transaction {
  return isObject(value) && ['nonce', 'verifier', 'returnTo'].every((name) => typeof value[name] === 'string')
}
