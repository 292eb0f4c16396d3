import { expect, test } from 'vitest'
import { flowGivenOf } from '../given/flow-given.js'
import { startService } from '../given/harness.js'
import type { Seen } from '../given/visitor.js'
import { families, queries } from './hostile-redirect-uris.js'

// An application registered three redirect URLs. Any other value, however disguised, must end on a hosted page:
// a redirect to it would leak a code, or make the service an open redirector (RFC 9700 section 4.1 and 4.11).

const registered = [
  'https://store.example/callback',
  'https://store.example/callback?tenant=a',
  'http://localhost:3000/callback',
]

const service = await startService()
const client = await service.client()
const given = flowGivenOf(service, client)
const { domain: org_domain } = await service.given.organization()
const application = await service.given.application({ org_domain, allowed_redirect_urls: registered })
const scene = { org_domain, application, user: await service.given.user({ org_domain }) }

const hostile = Object.values(families).flat()

test('there are more than three hundred of them, and no two are the same', () => {
  expect(new Set(hostile).size).toBe(hostile.length)
  expect(hostile.length + queries.length).toBeGreaterThanOrEqual(300)
  expect(hostile.filter((url) => registered.includes(url))).toEqual([])
})

test('those that are registered lead to them, so that nothing else is refused here', async () => {
  const seen = await Promise.all(registered.map((url) => ask(`redirect_uri=${encodeURIComponent(url)}`)))

  expect(seen.map(({ location }) => location)).toEqual(registered.map((url) => expect.stringContaining(url)))
})

test.each(Object.entries(families))('%s get a page and no redirect', async (_, urls) => {
  const seen = await Promise.all(urls.map((url) => ask(`redirect_uri=${encodeURIComponent(url)}`)))

  expect(seen.map(toVerdict)).toEqual(urls.map(() => refused))
})

test('a parameter that is not there once, and once alone, gets a page and no redirect', async () => {
  const seen = await Promise.all(
    queries.map((query) => ask(query.replaceAll('§', encodeURIComponent(registered[0] ?? '')))),
  )

  expect(seen.map(toVerdict)).toEqual(queries.map(() => refused))
})

test('the same by a form', async () => {
  const seen = await Promise.all(
    hostile.map((url) => {
      const body = new URLSearchParams({ ...faulty(), redirect_uri: url })
      return given.visitorOf().request(`/t/${scene.org_domain}/authorize`, { method: 'POST', body })
    }),
  )

  expect(seen.map(toVerdict)).toEqual(hostile.map(() => refused))
})

/** A request with a fault that would be reported to the redirect URL if it were registered. */
function faulty(): Record<string, string> {
  return given.parameters(scene, { redirect_uri: undefined, response_type: 'token' })
}

function ask(redirectQuery: string): Promise<Seen> {
  const rest = new URLSearchParams(faulty())
  return given.visitorOf().request(`/t/${scene.org_domain}/authorize?${redirectQuery}&${rest.toString()}`)
}

const refused = { status: 400, location: null, refresh: null, hasScript: false, leadsAway: false }

/** Whether a page leads anywhere: by a header, an automatic redirect, a link or a form. */
function toVerdict({ status, location, headers, html }: Seen) {
  return {
    status,
    location,
    refresh: headers.get('refresh') ?? /http-equiv="refresh"/i.exec(html)?.[0] ?? null,
    hasScript: /alert\(/.test(html),
    leadsAway: /(href|action|src)="[^"]*(evil|store)\.example/.test(html),
  }
}
