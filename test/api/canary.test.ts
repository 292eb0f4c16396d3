import { openApiDocument } from '@portico/contract/openapi'
import { followMagicLink, openMagicLink, type UserTokens } from '@portico/sdk'
import { SignJWT } from 'jose'
import { createHash, generateKeyPairSync, randomBytes, type KeyObject } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { longTest } from '../sampled.js'
import { impersonationGivenOf } from '../protocols/impersonation-given.js'
import { startDatabaseProxy } from '../given/database-proxy.js'
import { discoveryGivenOf } from '../given/discovery-given.js'
import { anyEmail, anything, givenOf } from '../given/given.js'
import { createWorld, giveRegistration } from '../given/world.js'
import { startService, type Service } from '../given/harness.js'
import { invitationGivenOf } from '../given/invitation-given.js'
import { ada, oidcGivenOf } from '../given/oidc-given.js'
import { startReceiver } from '../given/receiver.js'
import { scimProvider } from '../given/scim-given.js'
import { stepSeconds, totpGivenOf } from '../given/totp-given.js'

/** All values of the fields that the contract marks secret, by field name. */
type Canaries = Record<string, string[]>

interface Witness {
  readonly where: string
  readonly text: string
}

let service: Service
let severed: Service
let canaries: Canaries
/** Stored and logged data after each step, and the answers to refused requests. */
const witnesses: Witness[] = []

beforeAll(async () => {
  // With a mail server, which the recording mailer replaces, production mail is not stored.
  const variables = { LOG_LEVEL: 'trace', SMTP_URL: 'smtp://localhost' }
  service = await startService({ variables })
  const proxy = await startDatabaseProxy(service.databaseUrl)
  severed = await startService({ databaseUrl: proxy.url, variables })
  canaries = await signInWithEverything()
  await sendEverythingWrongly(canaries)
  await proxy.during('reset', () => sendTokenRequests(severed, canaries))
  witnesses.push(...(await tables()), ...logs())
  // Several hundred requests are slow on a busy machine.
}, 120_000)

/** A complete sign-in with PKCE, in which each secret is correctly sent and returned once. */
async function signInWithEverything(): Promise<Canaries> {
  const { account } = service
  const credentials = await service.apiKey()
  const grant = { ...credentials, domain: account.domain, grant_type: 'client_credentials' }
  const issued = await Promise.all(
    ['/api/v2/oauth/token', '/oauth/token'].map((path) => tokensOf(path, grant)),
  )

  const { domain: org_domain } = await service.given.organization()
  const user = await service.given.user({ org_domain })
  const application = await service.given.application({
    org_domain,
    code_exchange: 'pkce',
    organization_domain_scope: org_domain,
  })
  const code_verifier = randomBytes(32).toString('base64url')
  const { magic_link } = await (
    await service.client()
  ).magicLink.createChallenge({
    org_domain,
    user_email: user.email,
    send_email: false,
    code_challenge: createHash('sha256').update(code_verifier).digest('base64url'),
    scope: 'openid offline_access',
  })
  witnesses.push(...(await tables()))
  const link = magic_link ?? ''
  const { code } = await openMagicLink(link)
  witnesses.push(...(await tables()))
  const exchange = { grant_type: 'authorization_code', client_id: application.id, code, code_verifier }
  const tokens = await tokensOf(`/t/${org_domain}/oauth/token`, exchange)
  const relayUri = await carryToPartner(org_domain, tokens.access_token)
  const refreshTokens = await refreshAndRevoke(application.id, tokens.refresh_token ?? '')
  const password = await setAndUsePassword()
  const { uri, secret, recoveryCodes } = await passSecondFactor(org_domain, user.id)
  const { client_secret, client_assertion, ...privateKeys } = await authenticateApplications(org_domain)
  return {
    ...password,
    ...privateKeys,
    client_secret: [credentials.client_secret, client_secret],
    client_assertion: withSignature(client_assertion),
    code: [code, ...password.code],
    code_verifier: [code_verifier],
    magic_link: [link, new URL(link).searchParams.get('token') ?? '', ...password.magic_link],
    access_token: [...issued, tokens].flatMap(({ access_token }) => withSignature(access_token)),
    id_token: withSignature(tokens.id_token),
    authorization_url: await signInBySso(),
    // The secrets of a directory, and of an application.
    value: [...(await askWithBothSecrets()), client_secret],
    oidc_client_secret: await signInByOidc(),
    relay_uri: [relayUri, relayUri.split('/').at(-1) ?? ''],
    signature_key: await signWithBothKeys(),
    private_key: await connectApple(),
    credential: await addPasskey(),
    uri: [uri, secret],
    recovery_codes: recoveryCodes,
    // Six digits occur by chance; test/api/totp-sms.test.ts searches for those of one user.
    first_verification_code: [],
    ...(await discoverAndEnter()),
    invitation_url: await inviteAndOpen(org_domain),
    url: await impersonate(),
    refresh_token: refreshTokens,
    // Revoked and introspected tokens.
    token: [...refreshTokens],
  }
}

/** A passkey that is made on a page of an application: what its authenticator has signed. */
async function addPasskey() {
  const client = await service.client()
  const { org_domain = '', user_id = '', application_id = '' } = await createWorld(service)
  const { registration_id, credential } = await giveRegistration(client, {
    org_domain,
    user_id,
    application_id,
  })
  const sent = JSON.parse(credential) as Parameters<
    typeof client.passkeys.completeRegistration
  >[0]['credential']
  await client.passkeys.completeRegistration({ org_domain, registration_id, credential: sent })
  witnesses.push(...(await tables()))
  return [sent.response.clientDataJSON, sent.response.attestationObject]
}

/** An invitation whose URL is handed over, up to the mail of its link. */
async function inviteAndOpen(org_domain: string) {
  const client = await service.client()
  const invitation = await client.invitations.create({ org_domain, email: anyEmail(), send_email: false })
  const url = invitation.invitation_url ?? ''
  await invitationGivenOf(service, client).open(url)
  witnesses.push(...(await tables()))
  return [url, url.slice(-43)]
}

/** A discovery on pages of an application's own, up to our page for the password that is missing. */
async function discoverAndEnter() {
  const client = await service.client()
  const { domain: org_domain } = await service.given.organization()
  await client.password.createConnection({ org_domain })
  await client.magicLink.updateConnection({ org_domain, active: false })
  const { email: user_email } = await service.given.user({ org_domain })
  const redirect_uri = 'https://store.example/callback'
  const application = await service.given.application({ org_domain, allowed_redirect_urls: [redirect_uri] })
  const discoveries = discoveryGivenOf(service, client)
  const link = await discoveries.linkOf({ user_email, application_id: application.id })
  witnesses.push(...(await tables()))
  const discovery_code = await discoveries.codeOf(link)
  witnesses.push(...(await tables()))
  const { discovery_token } = await client.discovery.exchange({ discovery_code })
  witnesses.push(...(await tables()))
  const { continue_url } = await client.discovery.enter({ discovery_token, org_domain, redirect_uri })
  witnesses.push(...(await tables()))
  const url = continue_url ?? ''
  await discoveries.press(url)
  return {
    discovery_code: [discovery_code],
    discovery_token: [discovery_token],
    continue_url: [url, new URL(url).searchParams.get('token') ?? ''],
  }
}

/** An impersonation with the handle that its application gets. */
async function impersonate(): Promise<string[]> {
  const given = impersonationGivenOf(service, await service.client())
  const scene = await given.scene()
  const { created, visitor, handle } = await given.handle(scene)
  witnesses.push(...(await tables()))
  await given.answer(scene, { impersonation: handle }, visitor)
  const { url } = created
  return [url ?? '', new URL(url ?? '').searchParams.get('token') ?? '', handle]
}

/** Authenticates an application by a secret and by its key, and sends private keys in the place of public ones. */
async function authenticateApplications(org_domain: string) {
  const client = await service.client()
  const [ec, rsa] = [generateKeyPairSync('ec', { namedCurve: 'P-256' }), newRsaKeyPair()]
  const settings = { org_domain, application_type: 'node', token_signing_alg: 'ES256' } as const
  const { client_id } = await service.given.application({ ...settings, client_authentication: 'secret' })
  const { value } = await client.applicationSecrets.create({ org_domain, client_id })
  const client_secret = value ?? ''
  const revocation = { token: 'unknown', client_id }
  await client.oauth.revoke({ ...revocation, client_secret })
  const jwk = (key: KeyObject) => key.export({ format: 'jwk' }) as { kty: 'EC' | 'RSA' }
  await client.applications.update({
    ...{ org_domain, client_id },
    client_authentication: 'private_key_jwt',
    jwks: { keys: [jwk(ec.publicKey)] },
  })
  const client_assertion = await new SignJWT({})
    .setProtectedHeader({ alg: 'ES256' })
    .setIssuer(client_id)
    .setSubject(client_id)
    .setAudience(service.baseUrl)
    .setJti(anything())
    .setExpirationTime(Math.floor(service.clock.now().getTime() / 1000) + 60)
    .sign(ec.privateKey)
  const client_assertion_type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
  await client.oauth.revoke({ ...revocation, client_assertion, client_assertion_type })
  for (const { privateKey } of [ec, rsa])
    await expect(
      client.applications.update({ org_domain, client_id, jwks: { keys: [jwk(privateKey)] } }),
    ).rejects.toMatchObject({ status: 422 })
  witnesses.push(...(await tables()))
  const { d = '', p = '', q = '', dp = '', dq = '', qi = '' } = rsa.privateKey.export({ format: 'jwk' })
  const ofEc = ec.privateKey.export({ format: 'jwk' }).d ?? ''
  const members = { d: [d, ofEc], p: [p], q: [q], dp: [dp], dq: [dq], qi: [qi], k: [] as string[] }
  return { client_secret, client_assertion, ...members }
}

function newRsaKeyPair() {
  return generateKeyPairSync('rsa', { modulusLength: 2048 })
}

/** Refreshes twice, then introspects and revokes the last token. */
async function refreshAndRevoke(client_id: string, first: string): Promise<string[]> {
  const client = await service.client()
  const grant_type = 'refresh_token'
  const second = await client.oauth.token({ grant_type, client_id, refresh_token: first })
  witnesses.push(...(await tables()))
  const [, next = ''] = 'refresh_token' in second ? [first, second.refresh_token] : []
  const key = await service.apiKey()
  const told = await client.oauth.introspect({ ...key, token: next })
  expect(told.active).toBe(true)
  await client.oauth.revoke({ client_id, token: next })
  witnesses.push(...(await tables()))
  return [first, next].flatMap((token) => [token, ...token.split('.')])
}

/** Sets a password with a link, signs in with it, gets a renewal code, and sends an incorrect password. */
async function setAndUsePassword() {
  const client = await service.client()
  const { domain: org_domain } = await service.given.organization()
  await client.password.createConnection({ org_domain })
  await service.given.application({ org_domain, organization_domain_scope: org_domain })
  const { email: user_email } = await service.given.user({ org_domain })
  const of = { org_domain, user_email }
  const redirect_uri = 'https://store.example/callback'
  const { request_id } = await client.password.createRequest({ ...of, redirect_uri })
  const challenge = await client.magicLink.createChallenge({ ...of, request_id, send_email: false })
  const link = challenge.magic_link ?? ''
  const followed = await followMagicLink(link)
  witnesses.push(...(await tables()))
  const password_code = followed.outcome === 'password_code' ? followed.passwordCode : ''
  const plain_text = 'velvet harbour 41 lanterns'
  const set = await client.password.set({ ...of, password_code, plain_text })
  witnesses.push(...(await tables()))
  await client.password.updateConnection({ org_domain, plain_text_min_length: 30 })
  const passed = await client.password.createChallenge({ ...of, plain_text })
  if (!passed['valid?']) expect.unreachable()
  const wrong = 'not the password of anybody here'
  await client.password.createChallenge({ ...of, plain_text: wrong })
  witnesses.push(...(await tables()))
  return {
    code: [set.code ?? '', passed.code],
    magic_link: [link, new URL(link).searchParams.get('token') ?? ''],
    password_code: [password_code, passed.renew_password?.password_code ?? ''],
    plain_text: [plain_text, wrong],
  }
}

/** The secrets of an enrolment whose app and one of whose recovery codes have been used. */
async function passSecondFactor(org_domain: string, user_id: string) {
  const given = totpGivenOf(service, await service.client())
  const place = { org_domain, user_id }
  await given.activate(org_domain)
  const { app, recoveryCodes, enrollment } = await given.begun(place)
  witnesses.push(...(await tables()))
  await (await service.client()).totp.validateEnrollment({ ...place, code: given.codeOf(app) })
  for (const code of [given.codeOf(app, stepSeconds), recoveryCodes[0] ?? '']) {
    await given.challenge(place)
    await given.answer(place, code)
    witnesses.push(...(await tables()))
  }
  return { uri: enrollment.uri ?? '', secret: app.secret, recoveryCodes }
}

/** Opens the URL that starts a sign-in by SSO, and returns it with its token. */
async function signInBySso(): Promise<string[]> {
  const client = await service.client()
  const { id: organization_id, domain: org_domain } = await service.given.organization()
  await service.given.application({ org_domain, organization_domain_scope: org_domain })
  await client.ssoConnections.create({ organization_id, provider_type: 'test' })
  const { authorization_url } = await client.ssoConnections.createSamlChallenge({ org_domain })
  witnesses.push(...(await tables()))
  expect((await fetch(authorization_url, { redirect: 'manual' })).status).toBe(303)
  witnesses.push(...(await tables()))
  return [authorization_url, authorization_url.split('/').at(-1) ?? '']
}

/** The two secrets of a directory, both used by its provider, and a password that the provider sent. */
async function askWithBothSecrets(): Promise<string[]> {
  const { domain: org_domain } = await service.given.organization()
  const client = await service.client()
  const made = await client.directorySync.create({ org_domain, provider_type: 'okta' })
  witnesses.push(...(await tables()))
  const reset = await client.directorySync.reset({ org_domain })
  const secrets = [made, reset].map(({ auth_secret_token }) => auth_secret_token.value ?? '')
  for (const secret of secrets) {
    const scim = scimProvider(made.scim_base_url, secret)
    expect((await scim('GET', '/Schemas')).status).toBe(200)
    // A secret in a misplaced parameter.
    expect((await scim('GET', `/Schemas?password=${secret}`)).status).toBe(200)
  }
  witnesses.push(...(await tables()))
  return secrets
}

/** The secret of the current OpenID Connect client, and the values that bind one of its sign-ins to the browser. */
async function signInByOidc(): Promise<string[]> {
  const client = await service.client()
  const given = oidcGivenOf(service, client)
  const scene = await given.scene()
  const { visitor, address } = await given.atProvider(scene)
  witnesses.push(...(await tables()))
  const back = scene.idp.approve(address, ada)
  await visitor.visit(back)
  await visitor.visit(back)
  witnesses.push(...(await tables()))
  const { searchParams } = new URL(back)
  return [scene.idp.client.secret, searchParams.get('state') ?? '', searchParams.get('code') ?? '']
}

/** The private key of a social provider, whose change is refused once: each line of it has random bytes. */
async function connectApple(): Promise<string[]> {
  const client = await service.client()
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const private_key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  const of = { client_id: 'com.awesome.web', team_id: 'ABCDE12345', key_id: 'KEY1234567', private_key }
  const { id: provider_id } = await client.socialProviders.create({ name: 'apple', ...of })
  await expect(
    client.socialProviders.update({ provider_id, private_key, key_id: 'wrong' }),
  ).rejects.toMatchObject({ status: 422 })
  return private_key.split('\n').slice(1, -2)
}

/** Both signature keys of a webhook after a delivery signed with each. */
async function signWithBothKeys(): Promise<string[]> {
  const client = await service.client()
  const { url: target_url } = await startReceiver()
  const webhook = await client.webhooks.create({ name: 'Receiver', target_url, event_codes: ['all'] })
  const rotated = await client.webhooks.rotateSignatureKey({ webhook_id: webhook.id })
  await client.webhooks.test({ webhook_id: webhook.id })
  await service.runJobs()
  return [webhook.signature_key, rotated.signature_key]
}

/** Hands the user of an access token over to a partner, and returns the relay URL. */
async function carryToPartner(org_domain: string, access_token: string): Promise<string> {
  const client = await service.client()
  const { allowed_redirect_urls } = await service.given.application({ org_domain })
  const { domain: partner_domain } = await service.given.organization()
  const [partner_redirect_uri = ''] = allowed_redirect_urls
  const relay = await client.relays.create({ partner_domain, partner_redirect_uri })
  const { relay_uri } = await client.relays.request({ relay_id: relay.id, access_token })
  witnesses.push(...(await tables()))
  expect((await fetch(relay_uri, { redirect: 'manual' })).status).toBe(303)
  witnesses.push(...(await tables()))
  return relay_uri
}

async function tokensOf(path: string, form: Record<string, string>): Promise<UserTokens> {
  const answer = await fetch(service.baseUrl + path, { method: 'POST', body: new URLSearchParams(form) })
  const tokens = (await answer.json()) as UserTokens
  expect([answer.status, tokens]).toEqual([
    200,
    expect.objectContaining({ access_token: expect.any(String) }),
  ])
  return tokens
}

function withSignature(token: string): string[] {
  return [token, token.split('.').at(-1) ?? '']
}

/** Adds an invented value to each field, and sends all values where they are invalid, consumed or misplaced. */
async function sendEverythingWrongly(all: Canaries): Promise<void> {
  for (const [name, values] of Object.entries(all))
    values.push(`canary-${name}-${randomBytes(12).toString('hex')}`)
  await sendTokenRequests(service, all)

  const token = await service.token()
  const { domain } = await service.given.organization()
  const users = `/api/v2/org/${domain}/users`
  for (const [name, values] of Object.entries(all))
    await Promise.all(values.flatMap((value) => misplaced(name, value)))
  for (const invented of Object.values(all).map((values) => values.at(-1) ?? ''))
    await refused(users, { headers: { authorization: `Bearer ${invented}` } })

  function misplaced(name: string, value: string): Promise<void>[] {
    const json = { 'content-type': 'application/json', authorization: `Bearer ${token}` }
    const body = JSON.stringify({ email: anyEmail(), [name]: value })
    const page = `/t/${domain}/magic-link?token=${encodeURIComponent(value)}`
    return [
      refused(users, { method: 'POST', headers: json, body }),
      refused(users, { method: 'POST', headers: json, body: body.slice(0, -1) }),
      refused(users, { method: 'POST', headers: { ...json, 'content-type': 'text/plain' }, body }),
      refused(users, { method: 'POST', headers: { ...json, 'idempotency-key': anything() }, body }),
      refused(`${users}?${name}=${value}`, { method: 'POST', headers: json }),
      refused(`${users}/${encodeURIComponent(value)}`, { headers: json }),
      refused(users, { headers: { authorization: `Basic ${btoa(`${value}:${value}`)}` } }),
      refused(page, { headers: { cookie: value } }),
      refused(`/relay/${encodeURIComponent(value)}`, {}),
    ]
  }
}

/** Token requests with all values of all fields, in every form, at every endpoint; none may succeed. */
async function sendTokenRequests(at: Service, all: Canaries): Promise<void> {
  const { domain } = service.account
  const rounds = Math.max(...Object.values(all).map((values) => values.length))
  for (let round = 0; round < rounds; round++) {
    const members = Object.entries(all).map(
      ([name, values]) => [name, values[round] ?? values.at(-1) ?? ''] as const,
    )
    for (const grant_type of ['client_credentials', 'authorization_code', 'refresh_token']) {
      const body = { ...Object.fromEntries(members), grant_type, domain, client_id: anything() }
      const introspection = ['/oauth/introspect', `/t/${domain}/oauth/introspect`]
      const paths = ['/api/v2/oauth/token', '/oauth/token', `/t/${domain}/oauth/token`, ...introspection]
      await Promise.all(paths.flatMap((path) => tokenRequestsOf(path, body, at)))
    }
  }
}

function tokenRequestsOf(path: string, body: Record<string, string>, at: Service): Promise<void>[] {
  const form = new URLSearchParams(body)
  const json = JSON.stringify(body)
  const large = JSON.stringify({ ...body, x: 'x'.repeat(110_000) })
  const headers = { 'content-type': 'application/json' }
  return [
    refused(path, { method: 'POST', body: form }, at),
    refused(`${path}?${form.toString()}`, { method: 'POST' }, at),
    ...[json, json.slice(0, -1), large].map((text) =>
      refused(path, { method: 'POST', body: text, headers }, at),
    ),
  ]
}

async function refused(path: string, init: RequestInit, at: Service = service): Promise<void> {
  const answer = await fetch(at.baseUrl + path, { ...init, redirect: 'manual' })
  const text = await answer.text()
  if (answer.status < 400)
    throw new Error(`${init.method ?? 'GET'} ${path} answers ${answer.status}: ${text}`)
  // The page of a link contains the requested link for the language switch.
  const isPage = path.includes('/magic-link?')
  if (!isPage)
    witnesses.push({ where: `the answer to ${init.method ?? 'GET'} ${path.split('?')[0] ?? ''}`, text })
}

/** Every row of every table, with binary columns also decoded as text. */
async function tables(): Promise<Witness[]> {
  const names = await service.query<{ name: string }>(
    `select quote_ident(relname) as name from pg_class where relnamespace = current_schema()::regnamespace
     and relkind in ('r', 'p') and not relispartition order by 1`,
  )
  // One statement for speed, because it runs after each step.
  const parts = names.map(({ name }, place) => `select ${place} as place, t::text as text from ${name} t`)
  const found = await service.query<{ place: number; text: string }>(parts.join(' union all '))
  const tables = names.map(({ name }) => ({ name, rows: [] as string[] }))
  for (const { place, text } of found) tables[place]?.rows.push(text)
  return tables.map(({ name, rows }) => {
    const text = rows.join('\n')
    const bytes = [...text.matchAll(/\\x([0-9a-f]+)/g)].map(([, hex = '']) => Buffer.from(hex, 'hex'))
    return {
      where: `table ${name}`,
      text: [text, ...bytes.map((part) => part.toString('latin1'))].join('\n'),
    }
  })
}

function logs(): Witness[] {
  const lines = [...service.logLines, ...severed.logLines]
  return [{ where: 'the log', text: lines.join('\n') }]
}

longTest('every field that the contract marks secret has values here', () => {
  expect(Object.keys(canaries).sort()).toEqual([...secretNames()].sort())
  for (const [name, values] of Object.entries(canaries))
    expect([name, values.every((value) => value.length >= 10)]).toEqual([name, true])
})

test('there was something to look through: tables, events, jobs, a log at its finest, and refusals', () => {
  const lengths = new Map(witnesses.map(({ where, text }) => [where, text.length]))
  for (const where of [
    'table events',
    'table log_events',
    'table api_keys',
    'table authorization_codes',
    'the log',
  ])
    expect([where, lengths.get(where) ?? 0]).toEqual([where, expect.toSatisfy((length) => length > 100)])
  expect(witnesses.length).toBeGreaterThan(100)
})

test('no secret is in a log line, a table, an event, a job, an idempotency row or the answer to another request', () => {
  const sightings = Object.entries(canaries).flatMap(([name, values]) =>
    values.flatMap((value) => sightingsOf(value).map((where) => `${name} in ${where}`)),
  )
  expect([...new Set(sightings)]).toEqual([])
})

test('the outbox lists no link that was answered', async () => {
  const { data } = await (await service.client()).outbox.list({ per_page: 100 })
  expect(JSON.stringify(data)).not.toContain('token=')
})

test('the link of a sandbox mail is in the outbox and nowhere else', async () => {
  const { client, org_domain, user_email } = await readyToSignIn('sandbox')
  await client.magicLink.createChallenge({ org_domain, user_email })
  await service.runJobs()
  const { data } = await client.outbox.list({ to: user_email })
  const [, token = ''] = /token=([\w-]+)/.exec(data[0]?.text ?? '') ?? []
  expect(token.length).toBeGreaterThan(20)
  const places = [...(await tables()), ...logs()].filter(({ text }) => text.includes(token))
  expect(places.map(({ where }) => where)).toEqual(['table outbox_messages'])
})

test('the link of a production mail is in that mail and nowhere else', async () => {
  const { client, org_domain, user_email } = await readyToSignIn('production')
  await client.magicLink.createChallenge({ org_domain, user_email })
  await service.runJobs()
  const [mail] = await service.sentTo(user_email)
  const [, token = ''] = /token=([\w-]+)/.exec(mail?.text ?? '') ?? []
  expect(token.length).toBeGreaterThan(20)
  const places = [...(await tables()), ...logs()].filter(({ text }) => text.includes(token))
  expect(places).toEqual([])
})

async function readyToSignIn(environment: 'sandbox' | 'production') {
  const client = await service.client({ environment })
  const { domain: org_domain } = await service.given.organization()
  await givenOf(client).application({ org_domain })
  const { email: user_email } = await givenOf(client).user({ org_domain })
  return { client, org_domain, user_email }
}

/** The places where a value occurs, plain or in a reversible encoding. */
function sightingsOf(value: string): string[] {
  const bytes = Buffer.from(value)
  const forms = [
    value,
    encodeURIComponent(value),
    bytes.toString('hex'),
    bytes.toString('base64url').slice(0, -2),
  ]
  return witnesses.filter(({ text }) => forms.some((form) => text.includes(form))).map(({ where }) => where)
}

/** The names of all members of requests and answers that the documents mark secret. */
function secretNames(): Set<string> {
  const names = new Set<string>()
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return
    for (const [name, part] of Object.entries(node)) {
      if (isSecret(part)) names.add(name)
      visit(part)
    }
  }
  visit(openApiDocument({ target: '3.1', serverUrl: service.baseUrl, version: '1' }))
  return names
}

function isSecret(part: unknown): boolean {
  return (
    typeof part === 'object' && part !== null && 'x-sensitivity' in part && part['x-sensitivity'] === 'secret'
  )
}
