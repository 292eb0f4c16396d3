import { isContents, longestMember, type Contents } from './contents.js'
import { cookiesOf, type CookieJar } from './cookies.js'
import type { SessionSettings } from './options.js'
import type { Sealer } from './seal.js'
import { SessionError } from './session-error.js'
import { digestOf, randomText } from './digest.js'

/** The session of a request. */
export interface OpenedSession {
  readonly contents: Contents
  /** The id of its contents in the store; undefined where the cookie has them itself. */
  readonly id: string | undefined
}

/** The cookie that is the session, or names its contents in the store. */
export interface SessionCookie {
  /** The name as the browser has it. */
  readonly name: string
  /** `none` without a cookie, `unreadable` for one that does not open. */
  open(cookies: string | null): Promise<OpenedSession | 'none' | 'unreadable'>
  /**
   * Seals contents, under the id that they had, or a new one.
   *
   * @returns The value of the cookie.
   */
  seal(contents: Contents, id?: string): Promise<string>
  /** Seals contents into a value of their own, which is in no store. */
  sealed(contents: Contents): Promise<string>
  /**
   * The Set-Cookie header for a value.
   *
   * @throws SessionError `session_too_large`
   */
  set(value: string, contents: Contents): string
  /** The Set-Cookie header that removes it. */
  remove(): string
  /** Deletes the contents in the store. */
  forget(opened: OpenedSession): Promise<void>
}

const ownName = 'portico'
const maxBytes = 1_500

export function createSessionCookie(
  { now, store }: SessionSettings,
  jar: CookieJar,
  sealer: Sealer,
): SessionCookie {
  const name = jar.nameOf(ownName)
  const sealed = (contents: Contents) => sealer.seal(contents, name)

  async function openValue(value: string): Promise<OpenedSession | undefined> {
    // Ids have no dot, sealed values have.
    const isId = store !== undefined && !value.includes('.')
    const place = isId ? await digestOf(value) : name
    const text = isId ? await store.get(place) : value
    const contents = text === undefined ? undefined : await sealer.open(text, place)
    if (!isContents(contents) || contents.end <= now()) return undefined
    return { contents, id: isId ? value : undefined }
  }

  return {
    name,
    async open(cookies) {
      const [cookie, another] = cookiesOf(cookies, name).filter((each) => each.name === name)
      if (cookie === undefined) return 'none'
      // Of two with one name, one was put there by somebody else, and nothing tells which.
      const opened = another === undefined ? await openValue(cookie.value) : undefined
      return opened ?? 'unreadable'
    },
    async seal(contents, id = randomText()) {
      if (store === undefined) return sealed(contents)
      const key = await digestOf(id)
      await store.set(key, await sealer.seal(contents, key), contents.end - now())
      return id
    },
    sealed,
    set(value, contents) {
      const header = jar.set(ownName, value, contents.end - now())
      if (header.length <= maxBytes) return header
      const fault = `the cookie would have ${header.length} bytes, and ${maxBytes} are the most`
      throw new SessionError('session_too_large', `${fault}: ${longestMember(contents)} is the longest claim`)
    },
    remove: () => jar.remove(ownName),
    async forget({ id }) {
      if (id !== undefined) await store?.delete(await digestOf(id))
    },
  }
}
