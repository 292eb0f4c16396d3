import { setTimeout as pause } from 'node:timers/promises'
import { openMagicLink, type Client, type Event } from '@portico/sdk'
import { anything } from '../given/given.js'
import type { ScimProvider } from '../given/scim-given.js'
import { until } from './until.js'

const writers = 2
/** In ms. Between the steps of a loop, so that two cores have time for the processes. */
const restMs = 50
/** Enough to see what goes wrong. */
const maxFailures = 20

export interface UpgradeLoadOptions {
  /** Without a second try of a request. */
  readonly client: Client
  readonly scim: ScimProvider
  readonly org_domain: string
  readonly client_id: string
  readonly fetch: typeof globalThis.fetch
}

/** Requests of all kinds that go on during an upgrade, and what they were answered. */
export interface UpgradeLoad {
  /** Whatever was not answered as it must be. */
  readonly failures: readonly string[]
  /** Users by id, with the name that was acknowledged last. */
  readonly users: ReadonlyMap<string, string>
  /** Resources of the directory by id, with whether they were activated last. */
  readonly provisioned: ReadonlyMap<string, boolean>
  /** Addresses that were promised a mail. */
  readonly mailed: readonly string[]
  /** Events in the order in which a reader of the stream got them. */
  readonly read: readonly Event[]
  readonly counts: Readonly<Record<string, number>>
  /** Resolves once each kind of request was answered so many times more. */
  goesOn(times: number): Promise<void>
  /** Ends the load, and the reader at the last event. */
  settle(lastEventId: () => Promise<string | undefined>): Promise<void>
}

export function startUpgradeLoad(options: UpgradeLoadOptions): UpgradeLoad {
  const { client, scim, org_domain, client_id, fetch } = options
  const failures: string[] = []
  const users = new Map<string, string>()
  const provisioned = new Map<string, boolean>()
  const mailed: string[] = []
  const read: Event[] = []
  const steps = { write, list, signIn, provision, mail }
  const counts: Record<string, number> = Object.fromEntries(Object.keys(steps).map((name) => [name, 0]))
  const listening = new AbortController()
  let isStopped = false

  async function write(): Promise<void> {
    const email = newEmail()
    const { id } = await client.users.create({ org_domain, email })
    users.set(id, '')
    const given_name = `Ada ${anything()}`
    await client.users.update({ org_domain, user_id: id, given_name })
    users.set(id, given_name)
    const found = await client.users.get({ org_domain, user_id: id })
    if (!('profile' in found) || found.profile.given_name !== given_name)
      failures.push(`${id} is read without its change`)
    const twice = await client.users.create({ org_domain, email }).catch((error: unknown) => error)
    if (!(twice instanceof Error && 'code' in twice && twice.code === 'email_taken'))
      failures.push(`a second user of ${email}: ${String(twice)}`)
  }

  async function list(): Promise<void> {
    await client.users.list({ org_domain, per_page: 20 })
    await client.organizations.list({ per_page: 5 })
    await client.applications.list({ org_domain })
  }

  async function signIn(): Promise<void> {
    const user = await client.users.create({ org_domain, email: newEmail() })
    users.set(user.id, '')
    const asked = { org_domain, user_email: user.email, send_email: false, scope: 'openid offline_access' }
    const { magic_link } = await client.magicLink.createChallenge(asked)
    const { code } = await openMagicLink(magic_link ?? '', { fetch })
    let tokens = await client.oauth.token({ grant_type: 'authorization_code', code })
    for (let refresh = 0; refresh < 2; refresh++) {
      const refresh_token = 'refresh_token' in tokens ? (tokens.refresh_token ?? '') : ''
      tokens = await client.oauth.token({ grant_type: 'refresh_token', client_id, refresh_token })
    }
    const again = await client.oauth
      .token({ grant_type: 'authorization_code', code })
      .catch((error: unknown) => error)
    if (!(again instanceof Error)) failures.push('a code was exchanged twice')
  }

  async function provision(): Promise<void> {
    const userName = newEmail()
    const made = await scim('POST', '/Users', {
      body: { userName, name: { givenName: 'Ada' }, active: true },
    })
    const id = String((made.body as { id?: string }).id)
    if (made.status !== 201) throw new Error(`SCIM ${made.status} ${JSON.stringify(made.body)}`)
    provisioned.set(id, true)
    const body = {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
      Operations: [{ op: 'replace', path: 'active', value: false }],
    }
    const changed = await scim('PATCH', `/Users/${id}`, { body })
    if (changed.status !== 200) throw new Error(`SCIM ${changed.status} ${JSON.stringify(changed.body)}`)
    provisioned.set(id, false)
    const found = await scim('GET', `/Users?filter=${encodeURIComponent(`userName eq "${userName}"`)}`)
    const { totalResults } = found.body as { totalResults?: number }
    if (totalResults !== 1) failures.push(`SCIM finds ${String(totalResults)} of ${userName}`)
  }

  /** Sent by a job, which any of the processes runs. */
  async function mail(): Promise<void> {
    const user = await client.users.create({ org_domain, email: newEmail() })
    users.set(user.id, '')
    await client.magicLink.createChallenge({ org_domain, user_email: user.email })
    mailed.push(user.email)
  }

  async function loop(name: keyof typeof steps): Promise<void> {
    while (!isStopped) {
      try {
        await steps[name]()
        counts[name] = (counts[name] ?? 0) + 1
      } catch (error) {
        const cause = error instanceof Error && error.cause !== undefined ? `: ${String(error.cause)}` : ''
        failures.push(`${name}: ${String(error)}${cause}`)
        if (failures.length >= maxFailures) return
      }
      await pause(restMs)
    }
  }

  async function listen(): Promise<void> {
    try {
      for await (const event of client.events.listen({ signal: listening.signal, pauseMs: 100 }))
        read.push(event)
    } catch (error) {
      if (!listening.signal.aborted) failures.push(`listen: ${String(error)}`)
    }
  }

  const running = [
    ...Array.from({ length: writers }, () => loop('write')),
    loop('list'),
    loop('signIn'),
    loop('provision'),
    loop('mail'),
  ]
  const reading = listen()
  return {
    failures,
    users,
    provisioned,
    mailed,
    read,
    counts,
    async goesOn(times) {
      const before = { ...counts }
      const hasGoneOn = () =>
        failures.length > 0 ||
        Object.keys(steps).every((name) => (counts[name] ?? 0) >= (before[name] ?? 0) + times)
      await until(hasGoneOn, { everyMs: 50 })
    },
    async settle(lastEventId) {
      isStopped = true
      await Promise.all(running)
      await until(async () => failures.length > 0 || read.at(-1)?.id === (await lastEventId()), {
        everyMs: 200,
      })
      listening.abort()
      await reading
    },
  }
}

function newEmail(): string {
  return `${anything()}${anything()}@people.example`
}
