import { setTimeout as pause } from 'node:timers/promises'
import { createClient, openMagicLink, type Client } from '@portico/sdk'
import { anything } from '../given/given.js'

const writers = 6
/** Minimum pause between steps of a loop, so that an hour of load fits on a small disk. */
const restMs = 200

export interface LoadOptions {
  readonly baseUrl: string
  readonly account: string
  readonly credentials: { readonly client_id: string; readonly client_secret: string }
  readonly org_domain: string
}

/** A write with an idempotency key, repeated until it is acknowledged. */
export interface Write {
  readonly email: string
  /** Id of the record, set after acknowledgement. */
  id?: string
}

/** The load that continues through all faults, and its results. */
export interface Load {
  readonly writes: readonly Write[]
  /** Violations: answers that callers cannot handle, reads slower than a caller's timeout. */
  readonly wrong: readonly string[]
  readonly counts: { reads: number; signIns: number; refused: number }
  /** Acknowledged requests for mailed links, each to a different user. */
  readonly mails: readonly { readonly id: string; readonly to: string; readonly at: number }[]
  /**
   * Resolves once a write, a read and a sign-in started now have succeeded, to the last of them and its previous
   * failure; rejects after a timeout.
   */
  succeeds(withinMs: number): Promise<string>
  /** Ends the load; resolves when every write is acknowledged. */
  settle(): Promise<void>
}

/** Starts loops of writes with keys, reads, sign-ins and mailed links. */
export function startLoad({ baseUrl, account, credentials, org_domain }: LoadOptions): Load {
  const { client_id: clientId, client_secret: clientSecret } = credentials
  const clientWith = (maxRetries: number) =>
    createClient({
      baseUrl,
      domain: account,
      clientId,
      clientSecret,
      maxRetries,
      clock: { random: () => 0.1 },
    })
  const patient = clientWith(100_000)
  const once = clientWith(0)
  const writes: Write[] = []
  const wrong: string[] = []
  const counts = { reads: 0, signIns: 0, refused: 0 }
  const mails: { id: string; to: string; at: number }[] = []
  let mailed = 0
  let signedIn = 0
  let isStopped = false
  const loops = [
    ...Array.from({ length: writers }, () => loop(() => write(patient))),
    loop(() => tolerant('read', () => read(once))),
    loop(() => tolerant('sign-in', () => signIn(once))),
    loop(() => tolerant('mail', () => mail(once))),
  ]

  async function loop(step: () => Promise<void>): Promise<void> {
    while (!isStopped) await Promise.all([step(), pause(restMs)])
  }

  async function write(client: Client): Promise<void> {
    const entry: Write = { email: newEmail() }
    writes.push(entry)
    const idempotencyKey = anything() + anything()
    const { id, email } = await client.users.create({ org_domain, email: entry.email }, { idempotencyKey })
    if (email !== entry.email) wrong.push(`a write was answered with that of ${email}`)
    entry.id = id
  }

  /** Repeats a step until it succeeds; after a second without a result, the next attempt starts concurrently. */
  async function again(step: () => Promise<boolean>, deadline: number): Promise<string> {
    let isDone = false
    let last = 'no refusal'
    while (!isDone) {
      const attempt = step().then(
        (succeeded) => void (isDone ||= succeeded),
        (error: unknown) => (last = String(error)),
      )
      await Promise.race([attempt, pause(1_000)])
      if (!isDone && performance.now() > deadline) throw new Error(`${step.name}: ${last}`)
      if (!isDone) await pause(50)
    }
    return `${step.name}, ${last}`
  }

  /** Runs a step that may fail by a lost connection or a retryable answer; any other failure is a violation. */
  async function tolerant(what: string, step: () => Promise<unknown>): Promise<void> {
    const begun = performance.now()
    try {
      await step()
    } catch (error) {
      counts.refused += 1
      const { name, status, code } = error as { name?: string; status?: number; code?: string }
      // A jump of the clock expires codes and tokens early.
      const isToldToComeBack = status === 503 || code === 'invalid_grant' || code === 'invalid_token'
      if (name !== 'ConnectionError' && !isToldToComeBack) wrong.push(`${what}: ${String(error)}`)
    }
    const ms = performance.now() - begun
    if (ms > longestMs) wrong.push(`${what} took ${Math.round(ms)} ms`)
  }

  async function read(client: Client): Promise<void> {
    await client.users.list({ org_domain, per_page: 5 }, { timeoutMs: callerMs })
    counts.reads += 1
  }

  /** Resolves to whether a sign-in was completed. */
  async function signIn(client: Client): Promise<boolean> {
    // Only the latest link of a user is valid, so each sign-in uses a different user than other sign-ins and mailed links.
    const { email: user_email, id } = writes[signedIn * 2 + 1] ?? {}
    if (user_email === undefined || id === undefined) return false
    signedIn += 1
    const limited = { timeoutMs: callerMs }
    const { magic_link } = await client.magicLink.createChallenge(
      { org_domain, user_email, send_email: false },
      limited,
    )
    // The page is requested without the client, whose errors do not contain the status.
    const code = await openMagicLink(magic_link ?? '').then(
      (opened) => opened.code,
      () => undefined,
    )
    if (code === undefined) return false
    await client.oauth.token({ grant_type: 'authorization_code', code }, limited)
    counts.signIns += 1
    return true
  }

  /** Requests a link of a different user each time, because the next link of the same user would cancel the mail. */
  async function mail(client: Client): Promise<void> {
    const user = writes[mailed * 2]
    if (user?.id === undefined) return
    mailed += 1
    const { email: to } = user
    const limited = { timeoutMs: callerMs }
    const { request_id: id } = await client.magicLink.createChallenge({ org_domain, user_email: to }, limited)
    mails.push({ id, to, at: performance.now() })
  }

  return {
    writes,
    wrong,
    counts,
    mails,
    async succeeds(withinMs) {
      const deadline = performance.now() + withinMs
      const entry: Write = { email: newEmail() }
      writes.push(entry)
      const idempotencyKey = anything() + anything()
      const writeOnce = async () => {
        const { id } = await once.users.create({ org_domain, email: entry.email }, { idempotencyKey })
        entry.id = id
        return true
      }
      const readOnce = () => read(once).then(() => true)
      const signInOnce = () => signIn(once)
      let last = ''
      const one = async (step: () => Promise<boolean>) => void (last = await again(step, deadline))
      await Promise.all([writeOnce, readOnce, signInOnce].map(one))
      return last
    },
    async settle() {
      isStopped = true
      await Promise.all(loops)
    },
  }
}

/** Unique among the users of an hour, where shorter names repeat. */
function newEmail(): string {
  return `${anything()}${anything()}@people.example`
}

/** Timeout of callers. */
const callerMs = 20_000
/** Longest permitted duration: a statement times out after 3 s, and some requests have several. */
const longestMs = 25_000
