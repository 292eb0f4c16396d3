import {
  createServer,
  request,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  type Server,
} from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import express, { type ErrorRequestHandler, type Express } from 'express'
import { afterEach, describe, expect, test } from 'vitest'
import { announceDrain, createHttpServer, drain } from './server.js'

/** A promise that the test resolves; Promise.withResolvers needs Node 22. */
function withResolvers() {
  let resolve: () => void = () => undefined
  const promise = new Promise<void>((keep) => {
    resolve = keep
  })
  return { promise, resolve }
}

const servers = new Set<Server>()

afterEach(() => {
  for (const server of servers) {
    server.close()
    server.closeAllConnections()
  }
  servers.clear()
})

async function listen(server: Server): Promise<number> {
  servers.add(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return portOf(server)
}

function portOf(server: Server): number {
  const address = server.address() as AddressInfo
  return address.port
}

interface Answer {
  status: number | undefined
  headers: IncomingHttpHeaders
  body: string
}

interface Question {
  method?: string
  path: string
  headers?: OutgoingHttpHeaders
  body?: string
}

/** One request on a connection of its own, with the path sent exactly as given. */
function ask(port: number, { method = 'GET', path, headers, body }: Question): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, method, path, headers, agent: false }, (answer) => {
      const chunks: Buffer[] = []
      answer.on('error', reject)
      answer.on('data', (chunk: Buffer) => chunks.push(chunk))
      answer.on('end', () =>
        resolve({
          status: answer.statusCode,
          headers: answer.headers,
          body: Buffer.concat(chunks).toString(),
        }),
      )
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

describe('the same answers as from an Express server made the usual way', () => {
  function makeApp(): Express {
    const app = express()
    app.set('trust proxy', true)
    app.use(express.json(), express.urlencoded({ extended: true }))
    app.all('/echo', (req, res) => {
      res.json({
        method: req.method,
        query: req.query,
        body: req.body as unknown,
        type: req.is(['json', 'urlencoded']),
      })
    })
    app.get('/about', (req, res) => {
      const { ip, ips, protocol, secure, hostname, path, originalUrl, xhr, fresh, subdomains } = req
      const accepts = [req.accepts('json', 'html'), req.acceptsLanguages('fr', 'en'), req.get('x-test')]
      res.json({ ip, ips, protocol, secure, hostname, path, originalUrl, xhr, fresh, subdomains, accepts })
    })
    app.get('/redirect', (_, res) => res.redirect('/elsewhere?a=1'))
    app.get('/cookies', (_, res) => {
      res.cookie('a', 'b c', { httpOnly: true, sameSite: 'lax' }).clearCookie('old').type('text').send('done')
    })
    app.get('/cached', (_, res) => res.set('ETag', '"1"').send('cached'))
    app.get('/vary', (_, res) =>
      res.vary('Origin').vary('Accept').append('Link', '<a>').links({ next: '/b' }).sendStatus(202),
    )
    app.get('/attachment', (_, res) => res.attachment('naïve.pdf').send(Buffer.from('pdf')))
    app.get('/file', (_, res) => res.sendFile(fileURLToPath(import.meta.url)))
    app.get('/format', (_, res) =>
      res.format({ html: () => res.send('<p>'), json: () => res.jsonp({ a: 1 }) }),
    )
    app.get('/stream', (_, res) => {
      res.write('one ')
      res.end('two')
    })
    app.get('/head', (_, res) => res.writeHead(203, 'Fine', { 'X-Written': 'yes' }).end('written'))
    app.get('/throws', () => {
      throw new Error('thrown')
    })
    app.get('/rejects', async () => {
      await Promise.reject(Object.assign(new Error('rejected'), { status: 418 }))
    })
    const router = express.Router({ mergeParams: true })
    router.get('/users/:user', (req, res) =>
      res.json({ params: req.params, base: req.baseUrl, url: req.url }),
    )
    app.use('/orgs/:org', router)
    const sub = express()
    sub.get('/', (req, res) => res.json({ mounted: req.app.mountpath, base: req.baseUrl }))
    app.use('/sub', sub)
    const handleError: ErrorRequestHandler = (
      error: { message: string; status?: number },
      req,
      res,
      _next,
    ) => {
      res.status(error.status ?? 500).json({ failed: req.path, because: error.message })
    }
    app.use(handleError)
    return app
  }

  const questions: [string, Question][] = [
    ['a query', { path: '/echo?a=1&b[]=2&b[]=3&c%20d=%C3%A9&a=4' }],
    [
      'a JSON body',
      { method: 'POST', path: '/echo', headers: { 'content-type': 'application/json' }, body: '{"a":[1]}' },
    ],
    [
      'a form body',
      {
        method: 'POST',
        path: '/echo',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: 'a[b]=c&d[]=e',
      },
    ],
    [
      'malformed JSON',
      { method: 'POST', path: '/echo', headers: { 'content-type': 'application/json' }, body: '{' },
    ],
    [
      'what a request knows',
      {
        path: '/about?x=1',
        headers: { 'x-test': 'x', 'accept-language': 'fr', accept: 'text/html', host: 'a.b.example.com' },
      },
    ],
    [
      'what a proxy says',
      {
        path: '/about',
        headers: {
          'x-forwarded-for': '203.0.113.7, 10.0.0.1',
          'x-forwarded-proto': 'https',
          'x-requested-with': 'XMLHttpRequest',
          host: 'h',
        },
      },
    ],
    ['a redirection', { path: '/redirect', headers: { accept: 'text/html' } }],
    ['cookies', { path: '/cookies' }],
    ['a fresh cache', { path: '/cached', headers: { 'if-none-match': '"1"' } }],
    ['a stale cache', { path: '/cached', headers: { 'if-none-match': '"2"' } }],
    ['HEAD', { method: 'HEAD', path: '/cached' }],
    ['vary, append and links', { path: '/vary' }],
    ['an attachment', { path: '/attachment' }],
    ['a part of a file', { path: '/file', headers: { range: 'bytes=0-9' } }],
    ['a negotiated format', { path: '/format?callback=f', headers: { accept: 'application/json' } }],
    ['a streamed answer', { path: '/stream' }],
    ['headers written by hand', { path: '/head' }],
    ['a thrown error', { path: '/throws' }],
    ['a rejected promise', { path: '/rejects' }],
    ['parameters of a router', { path: '/orgs/a%2Fb/users/%C3%A9?x=1' }],
    ['a mounted app', { path: '/sub' }],
    ['OPTIONS', { method: 'OPTIONS', path: '/cached' }],
    ['another method', { method: 'DELETE', path: '/cached' }],
    ['an unknown path', { path: '/nowhere' }],
    ['a path that does not decode', { path: '/orgs/%zz/users/1' }],
  ]

  test.each(questions)('to %s', async (_, question) => {
    const [stock, ours] = [createServer(makeApp()), createHttpServer(makeApp())]
    const [expected, answer] = [
      await ask(await listen(stock), question),
      await ask(await listen(ours), question),
    ]

    for (const { headers } of [expected, answer]) delete headers.date
    expect(answer).toEqual(expected)
  })
})

test('Express has no prototype left to set', async () => {
  const app = express()
  const prototypes: unknown[] = []
  app.get('/', (_, res) => res.send('ok'))
  const server = createHttpServer(app)
  // This listener runs before Express.
  server.prependListener('request', (req, res) => {
    prototypes.push(Reflect.getPrototypeOf(req), Reflect.getPrototypeOf(res))
  })

  await ask(await listen(server), { path: '/' })

  expect(prototypes).toHaveLength(2)
  expect(prototypes[0]).toBe(app.request)
  expect(prototypes[1]).toBe(app.response)
})

test('timeouts are conservative, and headers of more than 16 kB are refused', async () => {
  const server = createHttpServer(express())

  expect(server).toMatchObject({ keepAliveTimeout: 65_000, headersTimeout: 10_000, requestTimeout: 30_000 })
  const answer = await ask(await listen(server), { path: '/', headers: { 'x-long': 'x'.repeat(17_000) } })
  expect(answer.status).toBe(431)
})

describe('draining', () => {
  /** An app whose only route answers when the test says so, and a promise for the arrival of a request. */
  function makeSlowServer() {
    const app = express()
    const gate = withResolvers()
    const arrived = withResolvers()
    app.get('/slow', async (_, res) => {
      arrived.resolve()
      await gate.promise
      res.send('slow')
    })
    app.get('/endless', (_, res) => {
      res.write('begun')
      arrived.resolve()
    })
    app.get('/quick', (_, res) => res.send('quick'))
    return { server: createHttpServer(app), answerNow: gate.resolve, arrived: arrived.promise }
  }

  async function openConnection(port: number): Promise<Socket> {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => undefined)
    await once(socket, 'connect')
    return socket
  }

  test('a request in flight is answered and told to close, and new connections are refused', async () => {
    const { server, answerNow, arrived } = makeSlowServer()
    const port = await listen(server)
    const inFlight = ask(port, { path: '/slow', headers: { connection: 'keep-alive' } })
    await arrived

    const drained = drain(server, { deadlineMs: 60_000 })

    await expect(ask(port, { path: '/quick' })).rejects.toMatchObject({ code: 'ECONNREFUSED' })
    answerNow()
    expect(await inFlight).toMatchObject({ status: 200, body: 'slow', headers: { connection: 'close' } })
    await drained
  })

  test('answers keep their connection open until the drain begins', async () => {
    const { server } = makeSlowServer()
    const answer = await ask(await listen(server), { path: '/quick', headers: { connection: 'keep-alive' } })

    expect(answer.headers.connection).toBe('keep-alive')
  })

  test('from its announcement on connections are accepted, and each ends after its next answer', async () => {
    const { server } = makeSlowServer()
    const port = await listen(server)
    const socket = await openConnection(port)
    socket.write('GET /quick HTTP/1.1\r\nHost: h\r\n\r\n')
    await once(socket, 'data')
    const closed = once(socket, 'close')

    announceDrain(server)

    socket.write('GET /quick HTTP/1.1\r\nHost: h\r\n\r\n')
    expect(String(await once(socket, 'data'))).toContain('Connection: close')
    await closed
    const answer = await ask(port, { path: '/quick', headers: { connection: 'keep-alive' } })
    expect(answer).toMatchObject({ status: 200, headers: { connection: 'close' } })
  })

  test('a connection that waits for its next request is closed at once', async () => {
    const { server } = makeSlowServer()
    const socket = await openConnection(await listen(server))
    socket.write('GET /quick HTTP/1.1\r\nHost: h\r\n\r\n')
    await once(socket, 'data')
    const closed = once(socket, 'close')

    await drain(server, { deadlineMs: 60_000 })

    await closed
  })

  test('a connection on which nothing was ever sent does not hold the drain up', async () => {
    const { server } = makeSlowServer()
    const accepted = once(server, 'connection')
    const socket = await openConnection(await listen(server))
    await accepted
    const closed = once(socket, 'close')

    await drain(server, { deadlineMs: 60_000 })

    await closed
  })

  test('what is not finished at the deadline is destroyed', async () => {
    const { server, arrived } = makeSlowServer()
    const inFlight = ask(await listen(server), { path: '/endless' })
    const broken = expect(inFlight).rejects.toMatchObject({ code: 'ECONNRESET' })
    await arrived

    await drain(server, { deadlineMs: 200 })

    await broken
  })

  test('draining a server that does not listen, or drains already, ends well', async () => {
    const { server } = makeSlowServer()
    await listen(server)

    await Promise.all([drain(server, { deadlineMs: 60_000 }), drain(server, { deadlineMs: 60_000 })])
    await drain(server, { deadlineMs: 60_000 })
  })
})
