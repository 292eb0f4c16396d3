import { followMagicLink, type Client } from '@portico/sdk'
import { beforeAll, describe, expect, test } from 'vitest'
import { startService, type Service } from '../given/harness.js'
import { sampled } from '../sampled.js'
import {
  callback,
  goodPassword,
  passwordGivenOf,
  type PasswordGiven,
  type PasswordScene,
} from './password-given.js'

// Every state of a sign-in with a password, combined with every request that could advance it. Requests other than the
// listed moves return neither a code nor tokens. Another factor adds states, requests and moves to the tables.

let service: Service
let client: Client
let given: PasswordGiven
let token: string

beforeAll(async () => {
  service = await startService()
  client = await service.client()
  given = passwordGivenOf(service, client)
  token = await service.token()
})

/** The outcome of a request; `none` does not advance the sign-in. */
type Outcome = 'none' | 'password_code' | 'code' | 'tokens'

/** The secrets that the user has obtained; missing ones are empty. */
interface Held {
  readonly scene: PasswordScene
  readonly password: string
  readonly oldPassword: string
  readonly requestId: string
  readonly link: string
  readonly passwordCode: string
  readonly code: string
}

function holding(scene: PasswordScene, held: Partial<Held> = {}): Held {
  const nothing = { password: '', oldPassword: '', requestId: '', link: '', passwordCode: '', code: '' }
  return { ...nothing, ...held, scene }
}

const states = {
  'nothing has begun': async () => holding(await given.scene()),

  'a password was asked for': async () => {
    const scene = await given.scene()
    return holding(scene, { requestId: (await given.request(scene)).request_id })
  },

  'its link is made': async () => {
    const scene = await given.scene()
    const { request_id: requestId } = await given.request(scene)
    return holding(scene, { requestId, link: await given.link(scene, requestId) })
  },

  'its link was opened': async () => {
    const scene = await given.scene()
    const { request_id: requestId } = await given.request(scene)
    const link = await given.link(scene, requestId)
    return holding(scene, { requestId, link, passwordCode: await given.open(link) })
  },

  'its hour is over': async () => {
    const scene = await given.scene()
    const { request_id: requestId } = await given.request(scene)
    const link = await given.link(scene, requestId)
    const passwordCode = await given.code(scene)
    await service.clock.advance(3601)
    token = await service.token()
    return holding(scene, { requestId, link, passwordCode })
  },

  'the password is set': async () => {
    const scene = await given.scene()
    const { request_id: requestId } = await given.request(scene)
    const link = await given.link(scene, requestId)
    const passwordCode = await given.open(link)
    const { org_domain, user } = scene
    const set = { org_domain, user_email: user.email, password_code: passwordCode, plain_text: goodPassword }
    const { code } = await client.password.set(set)
    return holding(scene, { requestId, link, passwordCode, password: goodPassword, code: code ?? '' })
  },

  'the user has signed in': async () => {
    const scene = await given.sceneWithPassword()
    return holding(scene, { password: goodPassword, code: (await given.signIn(scene)).code })
  },

  'the tokens were retrieved': async () => {
    const scene = await given.sceneWithPassword()
    const { code } = await given.signIn(scene)
    await client.oauth.token({ grant_type: 'authorization_code', code })
    return holding(scene, { password: goodPassword, code })
  },

  'a renewal is due': async () => {
    const scene = await given.sceneWithPassword()
    const { org_domain } = scene
    await client.password.updateConnection({
      org_domain,
      plain_text_min_length: 16,
      plain_text_max_length: 20,
    })
    const { renew_password } = await given.signIn(scene)
    await client.password.updateConnection({ org_domain, plain_text_max_length: 128 })
    return holding(scene, { password: goodPassword, passwordCode: renew_password?.password_code ?? '' })
  },

  'the password was replaced': async () => {
    const scene = await given.sceneWithPassword()
    const { code } = await given.signIn(scene)
    const passwordCode = await given.code(scene)
    await given.set(scene, `${goodPassword} two`)
    return holding(scene, { oldPassword: goodPassword, code, passwordCode })
  },

  'the user was deactivated': async () => {
    const held = await heldAtTheEnd()
    const { org_domain, user } = held.scene
    await client.users.update({ org_domain, user_id: user.id, active: false })
    return held
  },

  'the user was deactivated for a while': async () => {
    const held = await heldAtTheEnd()
    const { org_domain, user } = held.scene
    await client.users.update({ org_domain, user_id: user.id, active: false })
    await client.users.update({ org_domain, user_id: user.id, active: true })
    return held
  },

  'the connection was switched off': async () => {
    const held = await heldAtTheEnd()
    await client.password.updateConnection({ org_domain: held.scene.org_domain, active: false })
    return held
  },

  'the address may not sign in any more': async () => {
    const held = await heldAtTheEnd()
    const { org_domain } = held.scene
    await client.organizations.update({ org_domain, allowed_email_domains: ['corp.example'] })
    return held
  },
} satisfies Record<string, () => Promise<Held>>

/** A user with a password, a session, and an open code that sets another password. */
async function heldAtTheEnd(): Promise<Held> {
  const scene = await given.sceneWithPassword()
  const { code } = await given.signIn(scene)
  const { request_id: requestId } = await given.request(scene)
  const passwordCode = await given.open(await given.link(scene, requestId))
  return holding(scene, { password: goodPassword, code, requestId, passwordCode })
}

const requests = {
  'password-challenge: nothing': () => send('/api/v2/password-challenge', {}),
  'password-challenge: without plain_text': ({ scene }) => send('/api/v2/password-challenge', userOf(scene)),
  'password-challenge: an empty password': (held) => challenge(held, ''),
  'password-challenge: null': (held) => challenge(held, null),
  'password-challenge: a list': (held) => challenge(held, [held.password]),
  'password-challenge: an object': (held) => challenge(held, { $ne: '' }),
  'password-challenge: a wrong password': (held) => challenge(held, 'not the password'),
  'password-challenge: the password': (held) => challenge(held, held.password),
  'password-challenge: the password before': (held) => challenge(held, held.oldPassword),
  'password-challenge: the password_code for a password': (held) => challenge(held, held.passwordCode),
  'password-challenge: the password with the request': ({ scene, password, requestId }) =>
    send('/api/v2/password-challenge', { ...userOf(scene), plain_text: password, request_id: requestId }),

  'password-request': ({ scene }) =>
    send('/api/v2/password-request', { ...userOf(scene), redirect_uri: callback }),
  'magic-link-challenge: a link of the request': ({ scene, requestId }) =>
    send('/api/v2/magic-link-challenge', { ...userOf(scene), request_id: requestId, send_email: false }),
  'the link: opened': ({ link }) => open(link),
  'the link: without its token': ({ link }) => open(link.replace(/token=.*/, 'token=')),

  'password: nothing': () => send('/api/v2/password', {}),
  'password: without password_code': ({ scene }) =>
    send('/api/v2/password', { ...userOf(scene), plain_text: 'seven quiet harbours 12' }),
  'password: an empty code': (held) => set(held, ''),
  'password: null for a code': (held) => set(held, null),
  'password: the request for a code': (held) => set(held, held.requestId),
  'password: the token of the link for a code': (held) => set(held, held.link.split('token=')[1] ?? ''),
  'password: the authorization code for a code': (held) => set(held, held.code),
  'password: the code': (held) => set(held, held.passwordCode),
  'password: the code, and no password': (held) => set(held, held.passwordCode, ''),

  'token: nothing': () => exchange(undefined),
  'token: an empty code': () => exchange(''),
  'token: the password_code': (held) => exchange(held.passwordCode),
  'token: the request': (held) => exchange(held.requestId),
  'token: the password': (held) => exchange(held.password),
  'token: the code': (held) => exchange(held.code),
} satisfies Record<string, (held: Held) => Promise<Outcome>>

type Moves = {
  readonly [State in keyof typeof states]?: { readonly [Name in keyof typeof requests]?: Outcome }
}

/** All requests that advance the sign-in. */
const moves: Moves = {
  'its link is made': { 'the link: opened': 'password_code' },
  'its link was opened': { 'password: the code': 'code' },
  'the password is set': { 'password-challenge: the password': 'code', 'token: the code': 'tokens' },
  'the user has signed in': { 'password-challenge: the password': 'code', 'token: the code': 'tokens' },
  'the tokens were retrieved': { 'password-challenge: the password': 'code' },
  'a renewal is due': { 'password-challenge: the password': 'code', 'password: the code': 'code' },
  'the user was deactivated for a while': { 'password-challenge: the password': 'code' },
  // The session predates the deactivation, which does not sign the users of the organization out.
  'the connection was switched off': { 'token: the code': 'tokens' },
}

/** Malformed requests, refused in every state. */
const malformed = [
  'password-challenge: nothing',
  'password-challenge: without plain_text',
  'password-challenge: an empty password',
  'password-challenge: null',
  'password-challenge: a list',
  'password-challenge: an object',
  'the link: without its token',
  'password: nothing',
  'password: without password_code',
  'password: an empty code',
  'password: null for a code',
  'token: nothing',
  'token: an empty code',
]
const first = 'a renewal is due'
const statesOfMalformed = sampled([first, ...Object.keys(states).filter((state) => state !== first)], 1)
/** The states in an order that covers every kind of move first. */
const statesOfMoves = sampled(
  [
    'its link is made',
    'its link was opened',
    'the password is set',
    'the connection was switched off',
    'the user was deactivated for a while',
    'a renewal is due',
    'the user has signed in',
    'the tokens were retrieved',
  ],
  5,
)

describe.each(Object.entries(states))('%s:', (state, begin) => {
  const listed: Readonly<Record<string, Outcome>> = moves[state as keyof Moves] ?? {}

  test('no well-formed request but a listed move leads on', async () => {
    const wellFormed = Object.entries(requests).filter(([name]) => !malformed.includes(name))
    const unlisted = wellFormed.filter(([name]) => !(name in listed))

    expect(await leadingOn(await begin(), unlisted)).toEqual([])
  })

  if (statesOfMalformed.includes(state))
    test('no empty or malformed request leads on', async () => {
      const refused = Object.entries(requests).filter(([name]) => malformed.includes(name))

      expect(await leadingOn(await begin(), refused)).toEqual([])
    })

  test.each(statesOfMoves.includes(state) ? Object.entries(listed) : [])(
    '%s leads to %s',
    async (name, outcome) => {
      const request = requests[name as keyof typeof requests]
      expect(await request(await begin())).toBe(outcome)
    },
  )
})

/** Sends the requests one after the other, and returns those that advance the sign-in. */
async function leadingOn(
  held: Held,
  asked: readonly [string, (held: Held) => Promise<Outcome>][],
): Promise<[string, Outcome][]> {
  const outcomes: [string, Outcome][] = []
  for (const [name, request] of asked) outcomes.push([name, await request(held)])
  return outcomes.filter(([, outcome]) => outcome !== 'none')
}

function userOf({ org_domain, user }: PasswordScene) {
  return { org_domain, user_email: user.email }
}

function challenge({ scene }: Held, plain_text: unknown): Promise<Outcome> {
  return send('/api/v2/password-challenge', { ...userOf(scene), plain_text })
}

function set(
  { scene }: Held,
  password_code: unknown,
  plain_text = 'seven quiet harbours 12',
): Promise<Outcome> {
  return send('/api/v2/password', { ...userOf(scene), password_code, plain_text })
}

function exchange(code: string | undefined): Promise<Outcome> {
  return send('/oauth/token', { grant_type: 'authorization_code', ...(code !== undefined && { code }) })
}

async function open(link: string): Promise<Outcome> {
  if (link === '') return 'none'
  return followMagicLink(link).then(
    ({ outcome }) => (outcome === 'code' || outcome === 'password_code' ? outcome : 'none'),
    () => 'none',
  )
}

async function send(path: string, body: object): Promise<Outcome> {
  const answer = await fetch(service.baseUrl + path, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(path.startsWith('/api/') && { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(body),
  })
  const members = (await answer.json()) as Record<string, unknown>
  // A refusal for another reason would prove nothing about the state.
  expect([path, answer.status]).toEqual([path, expect.toSatisfy((status) => status !== 401 && status < 500)])
  if (typeof members['access_token'] === 'string') return 'tokens'
  return typeof members['code'] === 'string' ? 'code' : 'none'
}
