import { followMagicLink, type Client } from '@portico/sdk'
import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { startService, type Service } from '../given/harness.js'
import { sampled } from '../sampled.js'
import { stepSeconds, totpGivenOf, type EnrolledScene, type TotpGiven } from '../given/totp-given.js'
import { goodPassword, passwordGivenOf, type PasswordGiven, type PasswordScene } from './password-given.js'

// Every state of a sign-in with a second factor, combined with every request that could advance it. Requests other than the
// listed moves return neither a code nor tokens.

let service: Service
let client: Client
let given: TotpGiven
let passwords: PasswordGiven
let token: string

beforeAll(async () => {
  service = await startService()
  client = await service.client()
  given = totpGivenOf(service, client)
  passwords = passwordGivenOf(service, client)
  token = await service.token()
})

/** The outcome of a request; `none` does not advance the sign-in. */
type Outcome = 'none' | 'asked' | 'first factor' | 'second factor' | 'code' | 'tokens'

/** The secrets that the user has obtained; missing ones are empty. */
interface Held {
  readonly scene: EnrolledScene & PasswordScene
  /** Id of a pending sign-in after the first factor. */
  readonly pendingId: string
  /** Id of an open challenge. */
  readonly challengeId: string
  readonly usedCode: string
  readonly code: string
  readonly passwordCode: string
}

/** A user with a password and an app, whose current code is unused. */
async function begin(held: Partial<Held> = {}): Promise<Held> {
  const scene = await passwords.sceneWithPassword()
  const place = { ...scene, user_id: scene.user.id }
  await given.activate(scene.org_domain)
  const { usedCode, ...app } = await given.enroll(place)
  await service.clock.advance(stepSeconds)
  const nothing = { pendingId: '', challengeId: '', code: '', passwordCode: '' }
  return { ...nothing, scene: { ...place, ...app }, usedCode, ...held }
}

async function pending(): Promise<Held> {
  const held = await begin()
  const { org_domain, user } = held.scene
  const of = { org_domain, user_email: user.email, plain_text: goodPassword }
  return { ...held, pendingId: (await client.password.createChallenge(of)).request_id }
}

async function asked(): Promise<Held> {
  const held = await pending()
  const { org_domain, user_id } = held.scene
  const linked = { org_domain, user_id, password_request_id: held.pendingId }
  return { ...held, challengeId: (await client.totp.createChallenge(linked)).request_id }
}

const states = {
  'nothing has begun': begin,
  'the password was right': pending,
  'a code was asked for': asked,

  'a code was asked for, and not for this sign-in': async () => {
    const held = await pending()
    return { ...held, challengeId: (await given.challenge(held.scene)).request_id }
  },

  'both factors were passed': async () => {
    const held = await asked()
    const usedCode = given.codeOf(held.scene.app)
    const { code } = await given.answer(held.scene, usedCode)
    return { ...held, usedCode, code: code ?? '' }
  },

  'its ten minutes are over': async () => {
    const held = await asked()
    await service.clock.advance(600)
    token = await service.token()
    return held
  },

  'five codes were wrong': async () => {
    const held = await asked()
    const wrong = given.wrongCode(held.scene.app)
    for (let attempt = 0; attempt < 5; attempt++) await given.answer(held.scene, wrong).catch(() => undefined)
    return held
  },

  'another password was set': async () => {
    const held = await asked()
    await passwords.set(held.scene, `${goodPassword} two`)
    return held
  },

  'a new password may be set': async () => {
    const held = await asked()
    return { ...held, passwordCode: await passwords.code(held.scene) }
  },

  'another app was enrolled by force': async () => {
    const held = await asked()
    const again = await given.enroll(held.scene, { force_enroll: true })
    await service.clock.advance(stepSeconds)
    expect(again.app).not.toEqual(held.scene.app)
    return held
  },

  'another enrolment has begun': async () => {
    const held = await asked()
    const { app } = await given.begun(held.scene, { force_enroll: true })
    return { ...held, usedCode: given.codeOf(app) }
  },

  'the user was deactivated': async () => {
    const held = await asked()
    const { org_domain, user_id } = held.scene
    await client.users.update({ org_domain, user_id, active: false })
    return held
  },

  'the user was deactivated for a while': async () => {
    const held = await asked()
    const passwordCode = await passwords.code(held.scene)
    const { org_domain, user_id } = held.scene
    await client.users.update({ org_domain, user_id, active: false })
    await client.users.update({ org_domain, user_id, active: true })
    return { ...held, passwordCode }
  },

  'passwords were switched off': async () => {
    const held = await asked()
    await client.password.updateConnection({ org_domain: held.scene.org_domain, active: false })
    return held
  },

  'another app was enrolled by force after the password': async () => {
    const held = await pending()
    await given.enroll(held.scene, { force_enroll: true })
    await service.clock.advance(stepSeconds)
    return held
  },

  'the address may not sign in any more': async () => {
    const held = await asked()
    const { org_domain } = held.scene
    await client.organizations.update({ org_domain, allowed_email_domains: ['corp.example'] })
    return held
  },
} satisfies Record<string, () => Promise<Held>>

const requests = {
  'password-challenge: the password': ({ scene }) =>
    send('POST', '/api/v2/password-challenge', { ...userOf(scene), plain_text: goodPassword }),
  'password-challenge: a code for a password': ({ scene }) =>
    send('POST', '/api/v2/password-challenge', {
      ...userOf(scene),
      plain_text: given.codeOf(scene.app),
    }),
  'a magic link': async ({ scene }) => {
    const link = await client.magicLink
      .createChallenge({ ...userOf(scene), send_email: false })
      .catch(() => undefined)
    return link === undefined ? 'none' : open(link.magic_link ?? '')
  },
  'password: another one is set': ({ scene, passwordCode }) =>
    send('POST', '/api/v2/password', {
      ...userOf(scene),
      password_code: passwordCode,
      plain_text: 'seven quiet harbours 12',
    }),

  'totp-challenge: of nothing': (held) => ask(held, {}),
  'totp-challenge: of the request': (held) => ask(held, { password_request_id: held.pendingId }),
  'totp-challenge: an empty request': (held) => ask(held, { password_request_id: '' }),
  'totp-challenge: a malformed request': (held) => ask(held, { password_request_id: { $ne: '' } }),
  'totp-challenge: an invented request': (held) => ask(held, { password_request_id: randomUUID() }),

  'validation: nothing': (held) => validate(held, {}),
  'validation: an empty code': (held) => validate(held, { code: '' }),
  'validation: null': (held) => validate(held, { code: null }),
  'validation: a list': (held) => validate(held, { code: [given.codeOf(held.scene.app)] }),
  'validation: a wrong code': (held) => validate(held, { code: given.wrongCode(held.scene.app) }),
  'validation: a code that was used, or not validated': (held) => validate(held, { code: held.usedCode }),
  'validation: the request for a code': (held) => validate(held, { code: held.pendingId }),
  'validation: the code in other digits': (held) =>
    validate(held, { code: given.codeOf(held.scene.app).replace(/\d/g, fullWidth) }),
  'validation: the code, of an invented challenge': (held) =>
    validate(held, { code: given.codeOf(held.scene.app), request_id: randomUUID() }),
  'validation: a recovery code that was used': async (held) => {
    const [, , third = ''] = held.scene.recoveryCodes
    await validate(held, { code: third })
    return validate(held, { code: third })
  },

  'token: the request': ({ pendingId }) => exchange(pendingId),
  'token: the challenge': ({ challengeId }) => exchange(challengeId),
  'token: the code of the app': ({ scene }) => exchange(given.codeOf(scene.app)),
  'token: a recovery code': ({ scene }) => exchange(scene.recoveryCodes[0] ?? ''),

  'validation: the code': (held) => validate(held, { code: given.codeOf(held.scene.app) }),
  'validation: a recovery code': (held) => validate(held, { code: held.scene.recoveryCodes[0] ?? '' }),
  'token: the authorization code': ({ code }) => exchange(code),
} satisfies Record<string, (held: Held) => Promise<Outcome>>

type Moves = {
  readonly [State in keyof typeof states]?: { readonly [Name in keyof typeof requests]?: Outcome }
}

const firstFactors = {
  'password-challenge: the password': 'first factor',
  'a magic link': 'first factor',
} as const

/** Moves that only create another challenge. */
const askedAgain = { 'totp-challenge: of the request': 'asked' } as const

const bothFactors = {
  ...firstFactors,
  ...askedAgain,
  'validation: the code': 'code',
  'validation: a recovery code': 'code',
  // The first of its two requests is the previous entry.
  'validation: a recovery code that was used': 'none',
} as const

/** All requests that advance the sign-in. */
const moves: Moves = {
  'nothing has begun': firstFactors,
  'the password was right': { ...firstFactors, ...askedAgain },
  'a code was asked for': bothFactors,
  'a code was asked for, and not for this sign-in': {
    ...firstFactors,
    ...askedAgain,
    'validation: the code': 'second factor',
    'validation: a recovery code': 'second factor',
    'validation: a recovery code that was used': 'none',
  },
  'both factors were passed': { ...firstFactors, 'token: the authorization code': 'tokens' },
  'its ten minutes are over': firstFactors,
  'five codes were wrong': { ...firstFactors, ...askedAgain },
  'another password was set': { 'a magic link': 'first factor' },
  'a new password may be set': bothFactors,
  'another app was enrolled by force': firstFactors,
  'another enrolment has begun': bothFactors,
  'the user was deactivated for a while': firstFactors,
  'passwords were switched off': { 'a magic link': 'first factor', ...askedAgain },
  'the address may not sign in any more': askedAgain,
  'another app was enrolled by force after the password': firstFactors,
}

const everyMove = Object.keys(states).flatMap((state) =>
  Object.keys(moves[state as keyof Moves] ?? {}).map((name) => ({ state, name })),
)
const wholeState = 'a code was asked for'
const tellingMoves = everyMove.filter(
  ({ state, name }) =>
    state === wholeState ||
    [
      ['nothing has begun', 'a magic link'],
      ['a code was asked for, and not for this sign-in', 'validation: the code'],
      ['both factors were passed', 'token: the authorization code'],
      ['its ten minutes are over', 'password-challenge: the password'],
    ].some(([at, move]) => state === at && name === move),
)
const sampledMoves = sampled(
  [...tellingMoves, ...everyMove.filter((move) => !tellingMoves.includes(move))],
  tellingMoves.length,
)
/** Malformed requests, refused in every state. */
const malformed = [
  'totp-challenge: an empty request',
  'totp-challenge: a malformed request',
  'validation: nothing',
  'validation: an empty code',
  'validation: null',
  'validation: a list',
]
const statesOfMalformed = sampled(
  [wholeState, ...Object.keys(states).filter((state) => state !== wholeState)],
  1,
)

describe.each(Object.entries(states))('%s:', (state, reach) => {
  const listed: Readonly<Record<string, Outcome>> = moves[state as keyof Moves] ?? {}
  const own = Object.entries(listed).filter(([name]) =>
    sampledMoves.some((move) => move.state === state && move.name === name),
  )

  test('no well-formed request but a listed move leads on', async () => {
    const wellFormed = Object.entries(requests).filter(([name]) => !malformed.includes(name))
    const unlisted = wellFormed.filter(([name]) => !(name in listed))

    expect(await leadingOn(await reach(), unlisted)).toEqual([])
  })

  if (statesOfMalformed.includes(state))
    test('no empty or malformed request leads on', async () => {
      const refused = Object.entries(requests).filter(([name]) => malformed.includes(name))

      expect(await leadingOn(await reach(), refused)).toEqual([])
    })

  test.each(own)('%s leads to %s', async (name, outcome) => {
    const request = requests[name as keyof typeof requests]
    expect(await request(await reach())).toBe(outcome)
  })
})

/** Sends the requests one after the other, and returns those that advance the sign-in. */
async function leadingOn(
  held: Held,
  asked: readonly [string, (held: Held) => Promise<Outcome>][],
): Promise<[string, Outcome][]> {
  const outcomes: [string, Outcome][] = []
  for (const [name, request] of asked) {
    // Five incorrect codes lock the enrolment, which is a separate state: later requests would be refused for that reason.
    await service.query('update totp_enrollments set failures = 0 where failures < 5')
    outcomes.push([name, await request(held)])
  }
  return outcomes.filter(([, outcome]) => outcome !== 'none')
}

function userOf({ org_domain, user }: PasswordScene) {
  return { org_domain, user_email: user.email }
}

/** Creates a challenge without a sign-in; later requests show that it completes none. */
async function ask({ scene }: Held, body: object): Promise<Outcome> {
  const path = `/api/v2/org/${scene.org_domain}/totp-challenge/${scene.user_id}`
  const outcome = await send('POST', path, body)
  return outcome === 'asked' && !('password_request_id' in body) ? 'none' : outcome
}

function validate({ scene }: Held, body: object): Promise<Outcome> {
  return send('PUT', `/api/v2/org/${scene.org_domain}/totp-challenge/validation/${scene.user_id}`, body)
}

function exchange(code: string): Promise<Outcome> {
  return send('POST', '/oauth/token', { grant_type: 'authorization_code', code })
}

function fullWidth(digit: string): string {
  return String.fromCodePoint(0xff10 + Number(digit))
}

async function open(link: string): Promise<Outcome> {
  return followMagicLink(link).then(
    ({ outcome }) => (outcome === 'code' ? 'code' : outcome === 'totp_required' ? 'first factor' : 'none'),
    () => 'none',
  )
}

async function send(method: string, path: string, body: object): Promise<Outcome> {
  const answer = await fetch(service.baseUrl + path, {
    method,
    headers: {
      'content-type': 'application/json',
      ...(path.startsWith('/api/') && { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(body),
  })
  const members = (await answer.json()) as Record<string, unknown>
  if (typeof members['access_token'] === 'string') return 'tokens'
  if (typeof members['code'] === 'string') return 'code'
  if (members['error'] === 'totp_required') return 'first factor'
  if (members['success'] === true) return 'second factor'
  return members['success'] === false ? 'asked' : 'none'
}
