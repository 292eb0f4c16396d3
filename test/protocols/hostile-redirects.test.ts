import { beforeAll, expect, test } from 'vitest'
import { flowGivenOf, type FlowGiven, type FlowScene } from '../given/flow-given.js'
import { startService, type Service } from '../given/harness.js'
import type { Seen } from '../given/visitor.js'

// An application has registered three addresses. Whatever else is sent for one, in whatever disguise, ends on a page of
// ours: a redirect to it would hand a code to a stranger, or lend them our name (RFC 9700 section 4.1 and 4.11).

const registered = [
  'https://store.example/callback',
  'https://store.example/callback?tenant=a',
  'http://localhost:3000/callback',
]

let service: Service
let given: FlowGiven
let scene: FlowScene

beforeAll(async () => {
  service = await startService()
  const client = await service.client()
  given = flowGivenOf(service, client)
  const { domain: org_domain } = await service.given.organization()
  const application = await service.given.application({ org_domain, allowed_redirect_urls: registered })
  scene = { org_domain, application, user: await service.given.user({ org_domain }) }
})

/** What is sent for redirect_uri, not encoded yet, by what is done to it. */
const families: Readonly<Record<string, readonly string[]>> = {
  'hosts with the registered one in them': [
    'https://store.example.evil.example/callback',
    'https://evilstore.example/callback',
    'https://evil-store.example/callback',
    'https://evil.example/store.example/callback',
    'https://store.example.callback.evil.example',
    'https://www.store.example/callback',
    'https://a.store.example/callback',
    'https://store.example./callback',
    'https://store..example/callback',
    'https://.store.example/callback',
    'https://store.examples/callback',
    'https://store.exampl/callback',
    'https://storeexample/callback',
    'https://store-example/callback',
    'https://example/callback',
    'https://evil.example/callback',
    'https://evil.example/https://store.example/callback',
    'https://evil.example?https://store.example/callback',
    'https://evil.example#https://store.example/callback',
    'https://evil.example/?redirect_uri=https://store.example/callback',
  ],
  'user information': [
    'https://store.example@evil.example/callback',
    'https://store.example:443@evil.example/callback',
    'https://store.example:@evil.example/callback',
    'https://store.example%40evil.example/callback',
    'https://store.example%2540evil.example/callback',
    'https://user@store.example/callback',
    'https://user:password@store.example/callback',
    'https://:@store.example/callback',
    'https://@store.example/callback',
    'https://evil.example@store.example/callback',
    'https://evil.example:x@store.example/callback',
    'https://store.example\\@evil.example/callback',
    'https://store.example/@evil.example/callback',
    'https://store.example#@evil.example/callback',
    'https://store.example?@evil.example/callback',
    'https://evil.example#@store.example/callback',
    'https://evil.example?@store.example/callback',
    'https://store.example;@evil.example/callback',
    'https://store.example&@evil.example/callback',
    'https://store.example@@evil.example/callback',
  ],
  'backslashes and slashes': [
    'https:\\\\store.example\\callback',
    'https:/\\store.example/callback',
    'https:\\/store.example/callback',
    'https://store.example\\callback',
    'https://store.example/\\callback',
    'https://store.example\\.evil.example/callback',
    'https://evil.example\\store.example/callback',
    'https://evil.example\\@store.example/callback',
    'https:///store.example/callback',
    'https:////store.example/callback',
    'https:/store.example/callback',
    'https:store.example/callback',
    '//store.example/callback',
    '///store.example/callback',
    '////store.example/callback',
    '\\\\store.example\\callback',
    '/\\store.example/callback',
    '\\/store.example/callback',
    '//evil.example/callback',
    '/\\evil.example/callback',
    '/callback',
    'callback',
    './callback',
    '?callback',
    '#callback',
    'https://store.example//callback',
    'https://store.example/callback/',
    'https://store.example/callback//',
    'https://store.example///callback',
    'https://store.example/callback\\',
  ],
  'encodings, once and twice': [
    'https%3A%2F%2Fstore.example%2Fcallback',
    'https%253A%252F%252Fstore.example%252Fcallback',
    'https://store.example%2Fcallback',
    'https://store.example%252Fcallback',
    'https://store.example/%63allback',
    'https://store.example/%2563allback',
    'https://store.example/callbac%6B',
    'https://store.example/callbac%6b',
    'https://store.example/callback%2F',
    'https://store.example/callback%252F',
    'https://store.example/callback%00',
    'https://store.example/callback%2500',
    'https://store.example/callback%20',
    'https://store.example/callback%0A',
    'https://store.example/callback%0D%0ALocation:https://evil.example',
    'https://store.example/callback%250d%250aLocation:https://evil.example',
    'https://store.example/callback%3F',
    'https://store.example/callback%23',
    'https://store.example/callback%3Ftenant=a',
    'https://store.example/callback?tenant%3Da',
    'https://store.example/callback?tenant=%61',
    'https://store%2Eexample/callback',
    'https://store%252Eexample/callback',
    'https://%73tore.example/callback',
    'https://store.example%2eevil.example/callback',
    'https://store.example%5Cevil.example/callback',
    'https://store.example%5c%5cevil.example/callback',
    'https://store.example%09.evil.example/callback',
    'https://evil.example%2F@store.example/callback',
    'https://evil.example%23@store.example/callback',
    'https://evil.example%3F@store.example/callback',
    'https://evil.example%00.store.example/callback',
    'https://evil.example%E3%80%82store.example/callback',
    'https://store.example/callback+',
    'https://store.example/+callback',
    'https://store.example/%',
    'https://store.example/callback%',
    'https://store.example/callback%zz',
    'https://store.example/callback%u0000',
    'https://store.example/%c0%afcallback',
  ],
  'addresses in the place of names': [
    'https://127.0.0.1/callback',
    'https://2130706433/callback',
    'https://0x7f000001/callback',
    'https://0177.0.0.1/callback',
    'https://127.1/callback',
    'https://0/callback',
    'https://[::1]/callback',
    'https://[::]/callback',
    'https://[::ffff:127.0.0.1]/callback',
    'https://[0:0:0:0:0:ffff:7f00:1]/callback',
    'https://[fe80::1%25eth0]/callback',
    'https://[2001:db8::1]/callback',
    'https://[store.example]/callback',
    'https://[::1]store.example/callback',
    'https://store.example[::1]/callback',
    'https://169.254.169.254/callback',
    'http://127.0.0.1:3000/callback',
    'http://[::1]:3000/callback',
    'http://2130706433:3000/callback',
    'http://0.0.0.0:3000/callback',
    'http://127.1:3000/callback',
    'http://localhost.:3000/callback',
    'http://localhost.evil.example:3000/callback',
    'http://evil.localhost:3000/callback',
    'http://localhost@evil.example:3000/callback',
  ],
  ports: [
    'https://store.example:443/callback',
    'https://store.example:8443/callback',
    'https://store.example:0443/callback',
    'https://store.example:/callback',
    'https://store.example:80/callback',
    'https://store.example:443443/callback',
    'https://store.example:-443/callback',
    'https://store.example:+443/callback',
    'https://store.example: 443/callback',
    'https://store.example:44 3/callback',
    'https://store.example:evil.example/callback',
    'https://store.example:443:443/callback',
    'http://localhost:3001/callback',
    'http://localhost:03000/callback',
    'http://localhost:30000/callback',
    'http://localhost/callback',
    'http://localhost:/callback',
    'http://localhost:80/callback',
    'http://localhost:3000:80/callback',
    'http://localhost:3000@evil.example/callback',
  ],
  case: [
    'HTTPS://store.example/callback',
    'Https://store.example/callback',
    'https://STORE.example/callback',
    'https://store.EXAMPLE/callback',
    'https://Store.Example/callback',
    'https://store.example/Callback',
    'https://store.example/CALLBACK',
    'https://store.example/callbacK',
    'https://store.example/callback?Tenant=a',
    'https://store.example/callback?tenant=A',
    'HTTP://localhost:3000/callback',
    'http://LOCALHOST:3000/callback',
    'http://localhost:3000/CALLBACK',
    'HTTPS://STORE.EXAMPLE/CALLBACK',
    'hTTps://sTorE.exaMple/cAllbAck',
  ],
  schemes: [
    'http://store.example/callback',
    'ftp://store.example/callback',
    'ws://store.example/callback',
    'wss://store.example/callback',
    'file://store.example/callback',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'javascript://store.example/%0aalert(1)',
    'JaVaScRiPt:alert(document.domain)',
    'java\tscript:alert(1)',
    'data:text/html,<script>alert(1)</script>',
    'data:text/html;base64,PHNjcmlwdD4=',
    'vbscript:msgbox(1)',
    'blob:https://store.example/1',
    'about:blank',
    'view-source:https://store.example/callback',
    'intent://store.example/callback#Intent;scheme=https;end',
    'com.store.example:/callback',
    'store.example:/callback',
    'urn:ietf:wg:oauth:2.0:oob',
    'urn:ietf:wg:oauth:2.0:oob:auto',
    'httpss://store.example/callback',
    'https+x://store.example/callback',
    'https;//store.example/callback',
    'xhttps://store.example/callback',
    '://store.example/callback',
    'https://localhost:3000/callback',
    'mailto:ada@store.example',
    'feed:https://store.example/callback',
    'jar:https://store.example/callback!/',
  ],
  'fragments and queries': [
    'https://store.example/callback#',
    'https://store.example/callback#a',
    'https://store.example/callback#access_token=x',
    'https://store.example/callback?',
    'https://store.example/callback?#',
    'https://store.example/callback?a',
    'https://store.example/callback?a=b',
    'https://store.example/callback?code=stolen',
    'https://store.example/callback?state=mine',
    'https://store.example/callback?iss=https://evil.example',
    'https://store.example/callback?tenant=a&',
    'https://store.example/callback?tenant=a&b=c',
    'https://store.example/callback?tenant=b',
    'https://store.example/callback?tenant=',
    'https://store.example/callback?tenant',
    'https://store.example/callback?tenant=a#',
    'https://store.example/callback?&tenant=a',
    'https://store.example/callback?tenant=a&tenant=a',
    'https://store.example/callback??tenant=a',
    'https://store.example/callback;tenant=a',
    'https://store.example/callback&tenant=a',
    'https://store.example/callback;jsessionid=1',
    'https://store.example/callback?next=https://evil.example',
    'https://store.example/callback?x=%26code=y',
    'https://store.example/callback#/../../evil',
  ],
  'control characters and blanks': [
    ' https://store.example/callback',
    'https://store.example/callback ',
    '\thttps://store.example/callback',
    'https://store.example/callback\t',
    '\nhttps://store.example/callback',
    'https://store.example/callback\n',
    'https://store.example/callback\r\n',
    'https://store.example/callback\r\nSet-Cookie: a=b',
    'https://store.example/callback\0',
    '\0https://store.example/callback',
    'https://store.example\0.evil.example/callback',
    'https://store.example\t.evil.example/callback',
    'https://store.example\n.evil.example/callback',
    'https://store.example .evil.example/callback',
    'https://sto\tre.example/callback',
    'https://sto\nre.example/callback',
    'ht\ttps://store.example/callback',
    'https:\n//store.example/callback',
    'https://store.example/call\u0000back',
    'https://store.example/callback\u007f',
    'https://store.example/callback\u0085',
    'https://store.example/callback\u00a0',
    'https://store.example/callback\u2028',
    '\ufeffhttps://store.example/callback',
    'https://store.example/callback\u200b',
  ],
  'characters that look alike': [
    'https://ѕtore.example/callback',
    'https://stоre.example/callback',
    'https://store.exаmple/callback',
    'https://store.example/сallback',
    'https://ｓtore.example/callback',
    'https://store．example/callback',
    'https://store。example/callback',
    'https://store｡example/callback',
    'https://store.example／callback',
    'https:／／store.example/callback',
    'https：//store.example/callback',
    'https://store.example⁄callback',
    'https://store.example∕callback',
    'https://store.example﹨callback',
    'https://store.example＠evil.example/callback',
    'https://store.example＃@evil.example/callback',
    'https://store.example？@evil.example/callback',
    'https://ⓢtore.example/callback',
    'https://ſtore.example/callback',
    'https://store.example/callback\u0301',
    'https://store.exa\u00admple/callback',
    'https://store.exa\u200dmple/callback',
    'https://xn--tore-9ve.example/callback',
    'https://store.example/call\u202eback',
    'https://store.example/ｃallback',
  ],
  'paths that lead elsewhere': [
    'https://store.example/callback/..',
    'https://store.example/callback/../callback',
    'https://store.example/./callback',
    'https://store.example/../callback',
    'https://store.example/x/../callback',
    'https://store.example/callback/.',
    'https://store.example/callback/x',
    'https://store.example/callback/../../evil',
    'https://store.example/callback/%2e%2e/evil',
    'https://store.example/callback/..%2fevil',
    'https://store.example/callback/..%252fevil',
    'https://store.example/callback/..\\evil',
    'https://store.example/callback/..;/evil',
    'https://store.example/callbacks',
    'https://store.example/callback.html',
    'https://store.example/callbac',
    'https://store.example/',
    'https://store.example',
    'https://store.example/evil',
    'https://store.example/logout?next=/callback',
    'http://localhost:3000/callback/..',
    'http://localhost:3000/',
    'http://localhost:3000',
    'https://*.example/callback',
    'https://store.example/*',
  ],
}

/** What comes as it is, in a query of its own, § being what is registered: more than one, none, or one that readers take for another. */
const queries: readonly string[] = [
  'redirect_uri=§&redirect_uri=https://evil.example',
  'redirect_uri=https://evil.example&redirect_uri=§',
  'redirect_uri=§&redirect_uri=§',
  'redirect_uri=§&redirect_uri=',
  'redirect_uri=&redirect_uri=§',
  'redirect_uri=§&redirect%5Furi=https://evil.example',
  'redirect_uri[]=§',
  'redirect_uri[]=§&redirect_uri[]=https://evil.example',
  'redirect_uri[0]=§',
  'redirect_uri%5B%5D=§',
  'redirect_uri[url]=§',
  'redirect_uri.url=§',
  'Redirect_uri=§',
  'REDIRECT_URI=§',
  'redirect-uri=§',
  'redirectUri=§',
  'redirect_url=§',
  ' redirect_uri=§',
  'redirect_uri =§',
  'redirect_uri%00=§',
  'redirect_uri==§',
  'redirect_uri=§%26redirect_uri%3Dhttps://evil.example',
  'redirect_uri=§;redirect_uri=https://evil.example',
  'redirect_uri=§,https://evil.example',
  'redirect_uri=§%20https://evil.example',
  'redirect_uri=§|https://evil.example',
  'redirect_uri=["§"]',
  'redirect_uri={"url":"§"}',
  'redirect_uri',
  'redirect_uri=',
]

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

/** A request whose fault would be told to the address, if it were the application's. */
function faulty(): Record<string, string> {
  return given.parameters(scene, { redirect_uri: undefined, response_type: 'token' })
}

function ask(redirectQuery: string): Promise<Seen> {
  const rest = new URLSearchParams(faulty())
  return given.visitorOf().request(`/t/${scene.org_domain}/authorize?${redirectQuery}&${rest.toString()}`)
}

const refused = { status: 400, location: null, refresh: null, hasScript: false, leadsAway: false }

/** Whether a page leads anywhere: by a header, by itself, or by a link or form of its own. */
function toVerdict({ status, location, headers, html }: Seen) {
  return {
    status,
    location,
    refresh: headers.get('refresh') ?? /http-equiv="refresh"/i.exec(html)?.[0] ?? null,
    hasScript: /alert\(/.test(html),
    leadsAway: /(href|action|src)="[^"]*(evil|store)\.example/.test(html),
  }
}
