import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { atFileEnd } from '../file-end.js'
import { freePort } from '../given/free-port.js'

const folder = fileURLToPath(new URL('../../docs/deploy', import.meta.url))

export interface Asked {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

/** A proxy that ends TLS in front of the processes, as its file in docs/deploy says. */
export interface Proxy {
  /** The status and the body of an answer; rejects when there is none. */
  ask(asked: Asked): Promise<{ status: number; body: string }>
  /** What an operator does before a process is stopped, and after it is ready again, as docs/guides/deploy.md says. */
  leaveOut(upstream: string): Promise<void>
  takeBack(upstream: string): Promise<void>
}

/** The programs that have a file in docs/deploy. */
export const proxies = { nginx: startNginx, caddy: startCaddy }

async function startNginx(upstreams: readonly string[]): Promise<Proxy> {
  const home = givenHome()
  const port = await freePort()
  const subject = [
    '-subj',
    '/CN=auth.example.com',
    '-keyout',
    join(home, 'key.pem'),
    '-out',
    join(home, 'cert.pem'),
  ]
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...subject], {
    stdio: 'ignore',
  })
  const conf = replacedAll(readFileSync(join(folder, 'nginx/portico.conf'), 'utf8'), [
    ['127.0.0.1:3001', upstreams[0] ?? ''],
    ['127.0.0.1:3002', upstreams[1] ?? ''],
    ['listen 443 ssl', `listen 127.0.0.1:${port} ssl`],
    ['/etc/ssl/auth.example.com.pem', join(home, 'cert.pem')],
    ['/etc/ssl/auth.example.com.key', join(home, 'key.pem')],
    ['/var/log/nginx/portico.log', join(home, 'access.log')],
  ])
  const path = join(home, 'portico.conf')
  writeFileSync(path, conf)
  const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  writeFileSync(
    join(home, 'nginx.conf'),
    `daemon off;
${process.getuid?.() === 0 ? 'user root;' : ''}
pid ${join(home, 'pid')};
error_log ${join(home, 'error.log')};
events { }
http {
${kinds.map((kind) => `  ${kind}_temp_path ${join(home, kind)};`).join('\n')}
  include ${join(home, 'portico.conf')};
}
`,
  )
  const args = ['-e', join(home, 'error.log'), '-p', home, '-c', join(home, 'nginx.conf')]
  const { child, ask } = await started('nginx', args, {}, port)
  const change = async (from: string, to: string) => {
    writeFileSync(path, replacedAll(readFileSync(path, 'utf8'), [[from, to]]))
    const before = workersOf(child)
    child.kill('SIGHUP')
    while (workersOf(child).some((pid) => before.includes(pid))) await pause(50)
  }
  return {
    ask,
    leaveOut: (upstream) => change(`${upstream} max_fails=0;`, `${upstream} max_fails=0 down;`),
    takeBack: (upstream) => change(`${upstream} max_fails=0 down;`, `${upstream} max_fails=0;`),
  }
}

/** The processes of an nginx that answer requests. Those of the configuration before end with their last answer. */
function workersOf({ pid }: ChildProcess): string[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')
}

async function startCaddy(upstreams: readonly string[]): Promise<Proxy> {
  const home = givenHome()
  const port = await freePort()
  const options = `{
	admin off
	auto_https disable_redirects
	skip_install_trust
	storage file_system ${home}
}
`
  writeFileSync(join(home, 'Caddyfile'), options + readFileSync(join(folder, 'caddy/Caddyfile'), 'utf8'))
  const args = ['run', '--adapter', 'caddyfile', '--config', join(home, 'Caddyfile')]
  const variables = {
    DOMAIN: `https://localhost:${port}`,
    PORTICO_UPSTREAMS: upstreams.join(' '),
    HOME: home,
  }
  const { ask } = await started('caddy', args, variables, port)
  // It asks each process for itself.
  const nothing = () => Promise.resolve()
  return { ask, leaveOut: nothing, takeBack: nothing }
}

/** Runs a proxy until the end of the file, and waits until a process answers through it. */
async function started(
  program: string,
  args: readonly string[],
  variables: Record<string, string>,
  port: number,
): Promise<Pick<Proxy, 'ask'> & { child: ChildProcess }> {
  const child = spawn(program, args, {
    env: { PATH: process.env.PATH, ...variables },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let complaint = ''
  child.stderr.on('data', (chunk: Buffer) => (complaint = (complaint + chunk.toString()).slice(-10_000)))
  const ended = new Promise((resolve) => child.once('exit', resolve))
  // A connection for each request: a proxy that reads its configuration anew closes idle ones, which clients must expect.
  const agent = new Agent({ keepAlive: false, rejectUnauthorized: false, servername: 'localhost' })
  atFileEnd(() => {
    agent.destroy()
    child.kill('SIGTERM')
    return ended
  })
  const ask: Proxy['ask'] = ({ method, path, headers, body }) =>
    new Promise((resolve, reject) => {
      const options = { host: '127.0.0.1', port, agent, method, path, timeout: 60_000 }
      const asked = request({ ...options, headers: { ...headers, host: `localhost:${port}` } }, (answer) => {
        let text = ''
        answer.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
        answer.once('error', reject)
        answer.once('end', () => resolve({ status: answer.statusCode ?? 0, body: text }))
      })
      asked.once('timeout', () => asked.destroy(new Error('no answer for a minute')))
      asked.once('error', reject)
      asked.end(body)
    })
  for (;;) {
    if (child.exitCode !== null) throw new Error(`${program} ended: ${complaint}`)
    const answer = await ask({ method: 'GET', path: '/readyz', headers: {} }).catch(() => undefined)
    if (answer?.body.includes('"up"')) return { ask, child }
    await pause(100)
  }
}

function givenHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'portico-proxy-'))
  atFileEnd(() => rmSync(home, { recursive: true, force: true }))
  return home
}

/** A text with other values at places that it must have, or the file has changed and the test would not test it. */
function replacedAll(text: string, changes: readonly (readonly [string, string])[]): string {
  return changes.reduce((done, [from, to]) => {
    if (!done.includes(from)) throw new Error(`the file does not have ${from} any more`)
    return done.replaceAll(from, to)
  }, text)
}
