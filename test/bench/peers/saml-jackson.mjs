// saml-jackson, embedded as its documents have it, on Postgres, with one connection and one directory. Parameters: the URL of an
// empty database, the port, and the metadata of the identity provider.
import { Buffer } from 'node:buffer'
import { createServer } from 'node:http'
import process from 'node:process'
import jackson from '@boxyhq/saml-jackson'

const [databaseUrl, port, rawMetadata] = process.argv.slice(2)
const redirectUrl = 'https://store.example/callback'
const place = { tenant: 'awesome.example', product: 'bench' }
const quiet = {
  info() {},
  warn() {},
  error: (...told) => process.stderr.write(`saml-jackson: ${told.join(' ')}\n`),
}

const { connectionAPIController, directorySyncController, oauthController } = await jackson.controllers({
  externalUrl: `http://127.0.0.1:${port}`,
  samlPath: '/acs',
  samlAudience: 'https://saml.bench.example',
  db: { engine: 'sql', type: 'postgres', url: databaseUrl, ttl: 300, cleanupLimit: 1000 },
  // The application is told of a user; here it does nothing.
  dsync: { callback: () => Promise.resolve() },
  noAnalytics: true,
  logger: quiet,
})
await connectionAPIController.createSAMLConnection({
  ...{ ...place, rawMetadata, defaultRedirectUrl: redirectUrl, redirectUrl: [redirectUrl] },
})
const { data: directory, error } = await directorySyncController.directories.create({
  ...{ ...place, name: 'Bench', type: 'generic-scim-v2' },
})
if (error) throw new Error(error.message)

/** By path: the status and the body of the answer. */
const routes = {
  '/readyz': async () => [200, { secret: directory.scim.secret }],
  '/authorize': async () => {
    const request = { ...place, redirect_uri: redirectUrl, response_type: 'code', state: 'state', scope: '' }
    const sent = await oauthController.authorize({ ...request, client_id: 'dummy' })
    return [sent.redirect_url ? 200 : 500, sent]
  },
  '/acs': async ({ body }) => {
    const answer = await oauthController.samlResponse(body)
    return [answer.error ? 400 : 200, answer]
  },
  '/scim/Users': async ({ body, headers, method }) => {
    const { status, data } = await directorySyncController.requests.handle({
      ...{ method, body, directoryId: directory.id, resourceType: 'users', query: {} },
      apiSecret: headers.authorization?.replace('Bearer ', ''),
    })
    return [status, data]
  },
}

async function answer(req, res) {
  const chunks = []
  for await (const chunk of req) chunks.push(chunk)
  const text = Buffer.concat(chunks).toString()
  const { headers, method } = req
  const [status, body] = await routes[req.url]({ headers, method, body: text === '' ? {} : JSON.parse(text) })
  res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

const server = createServer((req, res) => {
  answer(req, res).catch((cause) => res.writeHead(500).end(JSON.stringify({ error: cause.message })))
})
server.listen(Number(port), '127.0.0.1')
process.once('SIGTERM', () => process.exit(0))
