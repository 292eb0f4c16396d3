import { routes } from '@portico/contract/walk'
import { expect, test } from 'vitest'
import { startService } from '../given/harness.js'
import { createWorld } from '../given/world.js'
import { sampled } from '../sampled.js'
import { senderTo } from './target.js'
import { contractTarget } from './targets.js'

const service = await startService()
const world = await createWorld(service)
const send = senderTo(service.port)

const uuid = '0190c8b0-3f4e-7d5c-b6a7-98f0e1d2c3b4'
const refreshToken = `${'h'.repeat(22)}.${'s'.repeat(43)}`

const contentTypes = [
  'application/json',
  'application/x-www-form-urlencoded',
  'application/json; charset=utf-16',
  'text/plain',
  'multipart/form-data; boundary=b',
  undefined,
]

const bodies: readonly (string | Buffer)[] = [
  '',
  ' ',
  '{',
  '{}',
  '[]',
  'null',
  'true',
  '1e999',
  '"grant_type"',
  '{"grant_type":1,"token":1,"access_token":1}',
  '{"grant_type":null,"token":null,"access_token":null}',
  '{"grant_type":["authorization_code"],"token":["x"],"access_token":["x"]}',
  '{"grant_type":{"a":1},"token":{"a":1},"access_token":{"a":1}}',
  '{"grant_type":"a","grant_type":"b"}',
  '{"__proto__":{"grant_type":"authorization_code"}}',
  '{"grant_type":"authorization_code","code":"\\ud800","token":"\\ud800","client_id":"\\ud800"}',
  '{"grant_type":"authorization_code","code":"\\u0000","token":"\\u0000","client_id":"\\u0000"}',
  `{"grant_type":"authorization_code","code":"x","client_id":"app_${uuid}"}`,
  `{"a":${'['.repeat(5000)}${']'.repeat(5000)}}`,
  '=',
  '&&&',
  '%',
  '%ED%A0%80=%ED%A0%80',
  'grant_type=&token=&access_token=',
  'grant_type=authorization_code',
  'grant_type=authorization_code&code=x&code=y',
  'grant_type=authorization_code&code=%00&token=%00&client_id=%00',
  'grant_type=authorization_code&code=x&code_verifier=%ED%A0%80&redirect_uri=%ED%A0%80',
  'grant_type[a]=authorization_code&token[a]=x&access_token[a]=x',
  `grant_type=refresh_token&refresh_token=${refreshToken}&client_id=${uuid}&scope=%00`,
  `grant_type=refresh_token&refresh_token=x&client_id=_&client_secret=_`,
  `grant_type=client_credentials&client_id=${uuid}&client_secret=keysandbox_x&domain=%00`,
  `token=${refreshToken}&client_id=${uuid}`,
  `token=e30.e30.e30&client_id=${uuid}&token_type_hint=%00`,
  'token=x&client_id=x&client_secret=x',
  'access_token=x',
  `a${'[b]'.repeat(50)}=1`,
  'a=1&'.repeat(1001),
  Buffer.from([0xff, 0xfe, 0x00, 0x80, 0x7b]),
  'x'.repeat(100 * 1024 + 1),
]

const posts = routes().filter(
  ({ method, access }) => method === 'POST' && ['OAuth', 'OpenID Connect'].includes(access.tag.name),
)

/** Those of an organization or account last: each has the handler of another one. */
const distinct = posts.toSorted((one, other) => Number(isTwin(one.name)) - Number(isTwin(other.name)))

function isTwin(name: string): boolean {
  return /^oauth\.(?:organization|account)|^oidc\.postAccount/.test(name)
}

test.each(sampled(distinct, 5).map((route) => [route.name, route] as const))(
  '%s answers forty bodies in six content types with what it declares',
  async (_name, route) => {
    const target = contractTarget(route, world, '')
    const logged = service.logLines.length

    const faults = await Promise.all(
      bodies.flatMap((body) =>
        contentTypes.map(async (type) => {
          const headers: Record<string, string> = type === undefined ? {} : { 'content-type': type }
          const fault = target.faultOf(await send({ method: 'POST', path: target.path, headers, body }))
          return fault === undefined ? [] : [`${type}: ${body.toString().slice(0, 60)}: ${fault}`]
        }),
      ),
    )

    expect(bodies).toHaveLength(40)
    expect(faults.flat()).toEqual([])
    expect(service.logLines.slice(logged).filter((line) => line.includes('"level":"error"'))).toEqual([])
  },
)

test.each(
  posts
    .filter(({ pathParameters }) => pathParameters.length > 0)
    .map((route) => [route.name, route] as const),
)('%s answers a path that cannot be decoded as every other fault of a request', async (_name, route) => {
  const path = route.path.replace(/:\w+/, '%')

  const { status, text } = await send({ method: 'POST', path, headers: {} })

  expect([status, JSON.parse(text)]).toEqual([
    400,
    { error: 'invalid_request', error_description: expect.any(String) },
  ])
})
