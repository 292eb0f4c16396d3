import { describe, expect, test } from 'vitest'
import { startDatabaseProxy } from '../../given/database-proxy.js'
import { startService } from '../../given/harness.js'
import { scimGivenOf, scimProvider } from '../../given/scim-given.js'

const service = await startService()
const client = await service.client()
const given = scimGivenOf(client)

const errorSchemas = ['urn:ietf:params:scim:api:messages:2.0:Error']

describe('a request without the secret of its directory', () => {
  /** An answer without the parts that differ between requests. */
  async function answerTo(url: string, headers: Record<string, string>) {
    const answer = await fetch(url, { headers })
    const { 'x-request-id': _, date: _date, ...rest } = Object.fromEntries(answer.headers)
    return { status: answer.status, headers: rest, body: await answer.text() }
  }

  test('401: whatever is wrong, the answer is one', async () => {
    const mine = await given.directory()
    const others = await given.directory()
    const strangers = await scimGivenOf(
      await service.client({ account: await service.createAccount() }),
    ).directory()
    const production = await scimGivenOf(await service.client({ environment: 'production' })).directory({
      org_domain: mine.org_domain,
    })
    const deleted = await given.directory()
    await client.directorySync.delete({ org_domain: deleted.org_domain })
    const ofDeletedOrganization = await given.directory()
    await client.organizations.delete({ org_domain: ofDeletedOrganization.org_domain })
    const url = mine.directory.scim_base_url
    const root = `${service.baseUrl}/scim/v2`
    const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` })
    const token = await service.token()

    const wrong: [string, Record<string, string>][] = [
      [url, {}],
      [url, { authorization: '' }],
      [url, bearer('')],
      [url, bearer(mine.secret.slice(0, -1) + (mine.secret.endsWith('x') ? 'y' : 'x'))],
      [url, bearer(`${mine.secret}x`)],
      [url, bearer(mine.secret.toUpperCase())],
      [url, bearer(`${mine.secret} ${mine.secret}`)],
      [url, { authorization: mine.secret }],
      [url, { authorization: `Basic ${btoa(`scim:${mine.secret}`)}` }],
      [url, bearer(others.secret)],
      [url, bearer(strangers.secret)],
      [url, bearer(production.secret)],
      [url, bearer(token)],
      [others.directory.scim_base_url, bearer(mine.secret)],
      [strangers.directory.scim_base_url, bearer(mine.secret)],
      [production.directory.scim_base_url, bearer(mine.secret)],
      [deleted.directory.scim_base_url, bearer(deleted.secret)],
      [ofDeletedOrganization.directory.scim_base_url, bearer(ofDeletedOrganization.secret)],
      [url.toUpperCase().replace(service.baseUrl.toUpperCase(), service.baseUrl), bearer(mine.secret)],
      [root, bearer(mine.secret)],
      [`${root}/${'0'.repeat(36)}`, bearer(mine.secret)],
      [`${root}/%00`, bearer(mine.secret)],
      [`${root}/%`, bearer(mine.secret)],
      [`${root}/'or'1`, bearer(mine.secret)],
    ]
    const answers = await Promise.all(
      wrong.map(([address, headers]) => answerTo(`${address}/Users`, headers)),
    )

    expect(answers[0]).toMatchObject({
      status: 401,
      headers: { 'www-authenticate': 'Bearer', 'content-type': 'application/scim+json; charset=utf-8' },
    })
    expect(JSON.parse(answers[0]?.body ?? '')).toMatchObject({ schemas: errorSchemas, status: '401' })
    for (const [index, answer] of answers.entries())
      expect([wrong[index], answer]).toEqual([wrong[index], answers[0]])
    expect((await mine.scim('GET', '/ServiceProviderConfig')).status).toBe(200)
  })

  test('is in no log of a directory', async () => {
    const { org_domain, directory } = await given.directory()
    await answerTo(`${directory.scim_base_url}/Users`, { authorization: 'Bearer nonsense' })

    expect((await client.directorySync.listRequests({ org_domain })).data).toEqual([])
  })
})

test('403: a directory that is switched off answers nothing, and says so in its log', async () => {
  const { org_domain, scim } = await given.directory({ active: false })

  const { status, body } = await scim('GET', '/ServiceProviderConfig')

  expect([status, body]).toEqual([
    403,
    { schemas: errorSchemas, status: '403', detail: 'The directory is switched off.' },
  ])
  expect((await client.directorySync.listRequests({ org_domain })).data).toMatchObject([{ status: 403 }])
  await client.directorySync.update({ org_domain, active: true })
  expect((await scim('GET', '/ServiceProviderConfig')).status).toBe(200)
})

test('429: so many requests a second of one directory, of which the log has the first that was too many', async () => {
  const limited = await startService({
    databaseUrl: service.databaseUrl,
    variables: { SCIM_RATE_PER_SECOND: '5' },
  })
  const own = scimGivenOf(await limited.client({ account: service.account }))
  const { org_domain, scim } = await own.directory()
  const other = await own.directory()
  const ask = () => scim('GET', '/ServiceProviderConfig')

  const start = performance.now()

  const answers = await Promise.all(Array.from({ length: 40 }, ask))

  // The number of seconds over which the requests may be spread.
  const seconds = Math.ceil((performance.now() - start) / 1000) + 1
  const refused = answers.filter(({ status }) => status === 429)
  expect(refused.length).toBeGreaterThanOrEqual(Math.max(1, 40 - 5 * seconds))
  expect(refused[0]?.headers.get('retry-after')).toBe('1')
  expect(refused[0]?.body).toMatchObject({ schemas: errorSchemas, status: '429' })
  expect((await other.scim('GET', '/ServiceProviderConfig')).status).toBe(200)
  const { data } = await client.directorySync.listRequests({ org_domain, per_page: 100 })
  const logged = data.filter(({ status }) => status === 429).length
  expect(logged).toBeGreaterThanOrEqual(1)
  expect(logged).toBeLessThanOrEqual(seconds)
  await limited.clock.advance(1)
  expect((await ask()).status).toBe(200)
})

describe('discovery', () => {
  test('tells what is supported', async () => {
    const { scim, directory } = await given.directory()

    const { status, headers, body } = await scim('GET', '/ServiceProviderConfig')

    expect([status, headers.get('content-type')]).toEqual([200, 'application/scim+json; charset=utf-8'])
    expect(body).toMatchObject({
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'],
      patch: { supported: true },
      bulk: { supported: false },
      filter: { supported: true, maxResults: 200 },
      changePassword: { supported: false },
      sort: { supported: true },
      etag: { supported: true },
      authenticationSchemes: [{ type: 'oauthbearertoken' }],
      meta: { location: `${directory.scim_base_url}/ServiceProviderConfig` },
    })
  })

  test('tells of users and groups, all together and each by its name', async () => {
    const { scim, directory } = await given.directory()
    const all = await scim('GET', '/ResourceTypes')
    expect(all.body).toMatchObject({
      schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
      totalResults: 2,
      Resources: [
        {
          id: 'User',
          endpoint: '/Users',
          schemaExtensions: [
            { schema: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User', required: false },
          ],
        },
        { id: 'Group', endpoint: '/Groups', schemaExtensions: [] },
      ],
    })

    const { body } = await scim('GET', '/ResourceTypes/Group')

    expect(body).toMatchObject({
      id: 'Group',
      meta: { location: `${directory.scim_base_url}/ResourceTypes/Group` },
    })
  })

  test('tells each attribute of a schema, with all that RFC 7643 section 7 demands of one', async () => {
    const { scim } = await given.directory()
    const { body } = await scim('GET', '/Schemas')
    expect(body).toMatchObject({ totalResults: 3 })

    const user = await scim('GET', '/Schemas/urn:ietf:params:scim:schemas:core:2.0:User')

    expect(user.body).toMatchObject({
      id: 'urn:ietf:params:scim:schemas:core:2.0:User',
      attributes: expect.arrayContaining([
        {
          name: 'userName',
          type: 'string',
          multiValued: false,
          description: expect.any(String),
          required: true,
          caseExact: false,
          mutability: 'readWrite',
          returned: 'default',
          uniqueness: 'server',
        },
        expect.objectContaining({
          name: 'password',
          mutability: 'writeOnly',
          returned: 'never',
        }),
      ]),
    })
  })

  test('403: it cannot be filtered (RFC 7644 section 4)', async () => {
    const { scim } = await given.directory()

    for (const path of ['/Schemas', '/ResourceTypes', '/ServiceProviderConfig'])
      expect((await scim('GET', `${path}?filter=id%20pr`)).status).toBe(403)
  })

  test('HEAD answers as GET, without the body', async () => {
    const { scim } = await given.directory()

    const { status, body, headers } = await scim('HEAD', '/Schemas')

    expect([status, body]).toEqual([200, undefined])
    expect(Number(headers.get('content-length'))).toBeGreaterThan(1000)
  })
})

describe('a request that cannot be read', () => {
  const id = '0190c8a4-11d2-7a6f-8e3b-7c9d0e1f2a46'

  test.each([
    ['GET', '/Nothing', 404],
    ['GET', '/users', 404],
    ['GET', '/Users/a/b', 404],
    ['GET', '/%E0%A4%A', 404],
    ['GET', '/', 404],
    ['GET', '', 404],
    ['POST', '/Bulk', 501],
    ['GET', '/Me', 501],
    ['POST', '/.search', 501],
  ])('%s %s answers %i, as SCIM says it', async (method, path, expected) => {
    const { scim } = await given.directory()

    const { status, body } = await scim(method, path)

    expect(status).toBe(expected)
    expect(body).toMatchObject({ schemas: errorSchemas, status: String(expected) })
  })

  test.each([
    ['DELETE', '/Users', 'GET, HEAD, POST'],
    ['PUT', '/Groups', 'GET, HEAD, POST'],
    ['POST', `/Users/${id}`, 'GET, HEAD, PUT, PATCH, DELETE'],
    ['GET', '/Users/.search', 'POST'],
    ['POST', '/Schemas', 'GET, HEAD'],
    ['OPTIONS', '/Users', 'GET, HEAD, POST'],
  ])('405: %s %s, with what is allowed', async (method, path, allow) => {
    const { scim } = await given.directory()

    const { status, headers } = await scim(method, path)

    expect([status, headers.get('allow')]).toEqual([405, allow])
  })

  test.each([
    ['{', 'JSON that ends too early'],
    ['[]', 'an array'],
    ['"text"', 'a text'],
    ['null', 'null'],
  ])('400: the body %s, %s', async (body) => {
    const { scim } = await given.directory()

    const answer = await scim('POST', '/Users', { body })

    expect(answer.status).toBe(400)
    expect(answer.body).toMatchObject({ schemas: errorSchemas, status: '400', scimType: 'invalidSyntax' })
  })

  test('415: a body of another type', async () => {
    const { scim } = await given.directory()

    for (const type of ['text/plain', 'application/xml', 'application/x-www-form-urlencoded'])
      expect((await scim('POST', '/Users', { body: '{}', headers: { 'content-type': type } })).status).toBe(
        415,
      )
  })

  test('emits no event, and is told by its status in a log event', async () => {
    const account = await service.createAccount()
    const own = await service.client({ account })
    const { org_domain, scim } = await scimGivenOf(own).directory()
    const { cursor } = await own.events.list({ after: 'latest' })
    await scim('POST', '/Users', { body: '{' })
    await scim('GET', '/Nothing')

    expect((await own.events.list({ after: cursor })).data).toEqual([])
    const { data } = await own.logEvents.list({ org_domain })
    expect(data.map(({ event_code, reason }) => [event_code, reason])).toEqual([
      ['SCIM_REQUEST_FAILED', 'status_404'],
      ['SCIM_REQUEST_FAILED', 'invalidSyntax'],
    ])
  })
})

test('413: a body of more than 2,000,000 bytes, also one that is small until it is unpacked', async () => {
  const { scim, directory, secret } = await given.directory()
  const large = JSON.stringify({ externalId: 'x'.repeat(2_000_000) })
  expect((await scim('POST', '/Users', { body: large })).status).toBe(413)

  const packed = new Response(new Blob([large]).stream().pipeThrough(new CompressionStream('gzip')))
  const answer = await fetch(`${directory.scim_base_url}/Users`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${secret}`,
      'content-type': 'application/scim+json',
      'content-encoding': 'gzip',
    },
    body: await packed.arrayBuffer(),
  })

  expect(answer.status).toBe(413)
})

test('what the whole service refuses is told as SCIM tells it', async () => {
  const { directory, secret } = await given.directory()
  const httpsOnly = await startService({
    databaseUrl: service.databaseUrl,
    variables: { BASE_URL: 'https://localhost' },
  })
  const proxy = await startDatabaseProxy(service.databaseUrl)
  const severed = await startService({ databaseUrl: proxy.url })
  const at = (baseUrl: string) =>
    scimProvider(`${baseUrl}/scim/v2/${directory.id}`, secret)('GET', '/ServiceProviderConfig')

  const clear = await at(`http://localhost:${httpsOnly.deps.config.port}`)
  const cut = await proxy.during('reset', () => at(severed.baseUrl))

  expect([clear.status, clear.body]).toEqual([403, expect.objectContaining({ schemas: errorSchemas })])
  expect([cut.status, cut.body]).toEqual([503, expect.objectContaining({ schemas: errorSchemas })])
  expect(cut.headers.get('retry-after')).toBe('5')
})
