import { describe, expect, test } from 'vitest'
import { isIn } from '../given/flow-given.js'
import { anything } from '../given/given.js'
import { startService } from '../given/harness.js'
import { socialGivenOf } from '../given/social-given.js'
import { answerOf, type StandInRequest } from '../given/social-stand-in.js'

const service = await startService()
const client = await service.client()
const given = socialGivenOf(service, client)

interface Account {
  readonly user: Readonly<Record<string, unknown>>
  readonly emails: unknown
  readonly emailsStatus?: number
}

/** The accounts that the codes of the stand-in are for. */
const accounts = new Map<string, Account>()
const asked: StandInRequest[] = []

/** GitHub as it documents itself, in place of the network (Authorizing OAuth apps; REST API: users, emails). */
const github = {
  post: (request: StandInRequest & { readonly body: string }) => {
    asked.push(request)
    const sent = new URLSearchParams(request.body)
    const isClient = sent.get('client_id') === 'client-1' && sent.get('client_secret') === 'secret-1'
    if (request.url !== 'https://github.com/login/oauth/access_token') return answerOf(404, {})
    // Its errors have the status of a success.
    if (!isClient)
      return answerOf(200, { error: 'incorrect_client_credentials', error_description: 'The client_id…' })
    if (!accounts.has(sent.get('code') ?? '') || (sent.get('code_verifier') ?? '') === '')
      return answerOf(200, {
        error: 'bad_verification_code',
        error_description: 'The code passed is incorrect or expired.',
      })
    return answerOf(200, {
      access_token: `gho_${sent.get('code')}`,
      token_type: 'bearer',
      scope: 'read:user,user:email',
    })
  },
  get: (request: StandInRequest) => {
    asked.push(request)
    const headers = new Headers(request.headers)
    const account = accounts.get((headers.get('authorization') ?? '').replace(/^Bearer gho_/i, ''))
    // It refuses who does not say what they are.
    if (account === undefined || headers.get('user-agent') === null)
      return answerOf(401, { message: 'Bad credentials' })
    if (request.url === 'https://api.github.com/user') return answerOf(200, account.user)
    if (request.url === 'https://api.github.com/user/emails')
      return answerOf(account.emailsStatus ?? 200, account.emails)
    return answerOf(404, { message: 'Not Found' })
  },
}

const provider = await client.socialProviders.create({
  name: 'github',
  client_id: 'client-1',
  client_secret: 'secret-1',
})

/** An account with these addresses, the first of which is primary. */
function accountWith(
  id: number,
  ...addresses: { readonly email: string; readonly verified: boolean }[]
): Account {
  const emails = addresses.map((one, index) => ({ ...one, primary: index === 0, visibility: null }))
  return { user: { id, login: 'octocat', name: 'Octo Cat', email: 'public@elsewhere.example' }, emails }
}

/** Comes back from GitHub with an account. */
async function arrive(account: Account, of?: Awaited<ReturnType<typeof given.scene>>, code = anything()) {
  Object.assign(service.deps.outbound, github)
  const scene = of ?? (await given.scene({ providers: ['github'] }))
  const { visitor, address } = await given.atProvider(scene, 'github')
  const sent = new URL(address)
  if (!code.startsWith('unknown')) accounts.set(code, account)
  const back = new URL(sent.searchParams.get('redirect_uri') ?? '')
  back.search = new URLSearchParams({ code, state: sent.searchParams.get('state') ?? '' }).toString()
  return { of: scene, sent, visitor, landed: await visitor.visit(back.href) }
}

const isAsked = (html: string) => html.includes('6\u2011digit code')

describe('GitHub', () => {
  test('is asked for the user and their addresses, with PKCE and without a nonce', async () => {
    const { sent } = await arrive(accountWith(1))
    expect(`${sent.origin}${sent.pathname}`).toBe('https://github.com/login/oauth/authorize')
    expect(sent.searchParams.get('scope')).toBe('read:user user:email')
    expect(sent.searchParams.get('code_challenge_method')).toBe('S256')
    expect(sent.searchParams.has('nonce')).toBe(false)
  })

  test('names a user by the primary address that they have verified there, which a mail proves', async () => {
    const email = `octo-${anything()}@awesome.example`
    const { of, visitor, landed } = await arrive(
      accountWith(2, { email, verified: true }, { email: 'second@awesome.example', verified: true }),
    )
    expect([isIn(landed), isAsked(landed.html)]).toEqual([false, true])
    const passed = await visitor.press(landed, 'address_code', { code: await given.codeTo(email) })
    expect(isIn(passed)).toBe(true)
    const user = await client.users.getByEmail({ org_domain: of.org_domain, user_email: email })
    expect(user.identities).toMatchObject([{ provider: 'social.github', data: { sub: '2' } }])

    // The number is the user, whatever they call themselves, and whatever their address is.
    const renamed = { ...accountWith(2), user: { id: 2, login: 'other' } }
    expect(isIn((await arrive(renamed, of)).landed)).toBe(true)
    const successor = accountWith(3, { email: `new-${anything()}@awesome.example`, verified: true })
    expect(isIn((await arrive(successor, of)).landed)).toBe(false)
  })

  test.each([
    [
      'is not verified',
      accountWith(
        4,
        { email: 'victim@awesome.example', verified: false },
        { email: 'own@awesome.example', verified: true },
      ),
    ],
    ['cannot be read', { ...accountWith(5), emailsStatus: 404, emails: { message: 'Not Found' } }],
    ['is missing', accountWith(6)],
  ])(
    'is taken at its word of no address where the primary one %s: the user names one',
    async (_, account) => {
      const { landed } = await arrive(account)
      expect([isIn(landed), landed.html.includes('We need an e-mail address')]).toEqual([false, true])
    },
  )

  test.each([
    ['a code that it does not know', accountWith(7), 'unknown', 'bad_verification_code'],
    ['a user without a number', { ...accountWith(8), user: { id: '8', login: 'octocat' } }, '', 'oauth_user'],
    ['addresses that fail', { ...accountWith(9), emailsStatus: 500 }, '', '/user/emails: 500'],
  ])('signs nobody in with %s, and the log says why', async (_, account, kind, reason) => {
    const { of, landed } = await arrive(account, undefined, `${kind}${anything()}`)
    expect([landed.status, isIn(landed)]).toEqual([403, false])
    expect((await given.lastLog(of, 'END_USER_SOCIAL_FAILED'))?.reason).toContain(reason)
    expect((await client.users.list({ org_domain: of.org_domain })).data).toEqual([])
  })

  test('refuses our client with the status of a success, which is a refusal here', async () => {
    await client.socialProviders.update({ provider_id: provider.id, client_secret: 'wrong' })
    const { of, landed } = await arrive(accountWith(10, { email: 'octo@awesome.example', verified: true }))
    expect(landed.status).toBe(403)
    const reason = (await given.lastLog(of, 'END_USER_SOCIAL_FAILED'))?.reason
    expect(reason).toContain('oidc_token: incorrect_client_credentials')
    await client.socialProviders.update({ provider_id: provider.id, client_secret: 'secret-1' })
  })
})
