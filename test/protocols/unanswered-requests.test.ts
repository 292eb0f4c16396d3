import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { callback, flowGivenOf } from '../given/flow-given.js'
import { startService } from '../given/harness.js'
import { withoutReference } from '../given/visitor.js'
import { until } from '../resilience/until.js'
import { codeGivenOf } from './code-given.js'

const service = await startService()
const client = await service.client()
const flows = flowGivenOf(service, client)
const codes = codeGivenOf(service, client)
const of = await codes.scene()
const ofApplication = {
  account_id: service.account.id,
  environment: 'sandbox',
  client_id: of.application.client_id,
}

/** Sends a request that gets a page, and gives that with what the log of the service says. */
async function unanswered(url: string) {
  const requestId = randomUUID()
  const seen = await flows.visitorOf().request(url, { headers: { 'x-request-id': requestId } })
  expect([seen.status, seen.location]).toEqual([400, null])
  const isOfRefusal = (line: string) => line.includes(requestId) && line.includes('"reason"')
  await until(() => service.logLines.some(isOfRefusal))
  const { level, msg, reason, issuer, account_id, environment, client_id, redirect_uri } = JSON.parse(
    service.logLines.find(isOfRefusal) ?? '',
  )
  expect([level, msg]).toEqual(['info', 'an authorization request cannot be answered'])
  const logged = { reason, issuer, account_id, environment, client_id, redirect_uri }
  return { html: seen.html, logged }
}

const issuer = `${service.baseUrl}/t/${of.org_domain}`
const urlOf = (members: Record<string, string | undefined> = {}) => flows.authorizeUrl(of, members)

test('the log says which of the three conditions a request does not meet, and of whom', async () => {
  const other = await codes.scene()
  const stranger = randomUUID()
  const usual = { issuer, redirect_uri: callback }

  const mismatch = await unanswered(urlOf({ redirect_uri: `${callback}/` }))
  const unknown = await unanswered(urlOf({ client_id: stranger }))
  const elsewhere = await unanswered(urlOf({ client_id: other.application.client_id }))
  const nowhere = await unanswered(flows.authorizeUrl({ ...of, org_domain: 'nobody-here' }))
  const nameless = await unanswered(urlOf({ client_id: 'not an id' }))
  const atAccount = await unanswered(
    urlOf({ redirect_uri: 'myapp:/x' }).replace(`/t/${of.org_domain}/`, `/a/${service.account.domain}/`),
  )

  expect(mismatch.logged).toEqual({
    reason: 'redirect_uri_mismatch',
    issuer,
    ...ofApplication,
    redirect_uri: `${callback}/`,
  })
  expect(unknown.logged).toEqual({
    reason: 'client_unknown',
    ...usual,
    account_id: service.account.id,
    client_id: stranger,
  })
  expect(elsewhere.logged).toEqual({
    reason: 'client_not_usable',
    ...usual,
    ...ofApplication,
    client_id: other.application.client_id,
  })
  expect(nowhere.logged).toEqual({
    reason: 'issuer_unknown',
    issuer: `${service.baseUrl}/t/nobody-here`,
    client_id: of.application.client_id,
    redirect_uri: callback,
  })
  expect(nameless.logged).toEqual({ reason: 'client_parameters', ...usual })
  expect(atAccount.logged).toEqual({
    reason: 'redirect_uri_mismatch',
    issuer: `${service.baseUrl}/a/${service.account.domain}`,
    ...ofApplication,
    redirect_uri: 'myapp:/x',
  })
})

test('a redirect URI is in the log with an end, and without what a terminal would obey', async () => {
  const { logged } = await unanswered(
    urlOf({ redirect_uri: `${callback}?a=\u001b[2J\u202e${'x'.repeat(400)}` }),
  )

  const sent = `${callback}?a=\u001b[2J\u202e`
  expect(logged.redirect_uri).toBe(`${callback}?a=\\u{1b}[2J\\u{202e}${'x'.repeat(300 - sent.length)}`)
})

test('the page tells the developer of a wrong redirect URI in the sandbox, and nothing in production', async () => {
  const as = await service.client({ environment: 'production' })
  const application = await service.given.application(
    { org_domain: of.org_domain, allowed_redirect_urls: [callback] },
    as,
  )
  const released = { ...of, application }

  const sandbox = await unanswered(urlOf({ redirect_uri: `${callback}/` }))
  const inProduction = await unanswered(flows.authorizeUrl(released, { redirect_uri: `${callback}/` }))
  const unknown = await unanswered(urlOf({ client_id: randomUUID() }))

  expect(sandbox.html).toContain('redirect_uri must be one of the allowed_redirect_urls of this application')
  expect(sandbox.html).not.toContain(callback)
  expect(inProduction.logged).toMatchObject({ reason: 'redirect_uri_mismatch', environment: 'production' })
  expect(withoutReference(inProduction.html)).toBe(withoutReference(unknown.html))
  expect(unknown.html).not.toContain('redirect_uri')
})
