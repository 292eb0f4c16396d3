import { execFile } from 'node:child_process'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'
import { browserTool, hasTool } from '../../debian-tools.js'
import { atFileEnd } from '../../file-end.js'
import { openBrowser, type TestBrowser } from '../../given/browser.js'
import { startService } from '../../given/harness.js'
import { npm, packedConsumer, root } from '../sdk/packed.js'
import { signInByPasskey, signInByTestProvider } from './other-sign-ins.js'
import {
  endSessions,
  noticeEnd,
  openProduct,
  outliveFaults,
  prepareProduct,
  useThreeOrganizations,
  type OpenProduct,
  type Product,
} from './product-journey.js'

// Installs Next.js and the packed SDK beside a copy of the example, and builds it, which takes a minute.

const run = promisify(execFile)
const service = await startService()
const hour = 3_600
const minute = 60

/** The example as its readers have it, built. Next.js checks its types with the declarations of the packed SDK. */
async function buildProduct(): Promise<string> {
  const product = await mkdtemp(join(tmpdir(), 'portico-next-'))
  atFileEnd(() => rm(product, { recursive: true, force: true }))
  const example = join(root, 'docs/examples/next-product')
  // Next.js writes a configuration of its own for the compiler.
  const isCopied = (path: string) => !/node_modules|\.next\b|tsconfig\.json$/.test(path.slice(example.length))
  await cp(example, product, { recursive: true, filter: isCopied })
  await npm(['ci'], product)
  const consumer = await packedConsumer()
  await cp(consumer.installed, join(product, 'node_modules/@portico/sdk'), { recursive: true })
  await consumer.remove()
  const { PATH, HOME } = process.env
  const env = { PATH, HOME, NEXT_TELEMETRY_DISABLED: '1', NODE_ENV: 'production' } as const
  await run(process.execPath, ['node_modules/next/dist/bin/next', 'build'], { cwd: product, env })
  return product
}

describe.skipIf(!hasTool(browserTool))('the product with Next.js', () => {
  let product: Product
  let browser: TestBrowser

  beforeAll(async () => {
    const folder = await buildProduct()
    const program = (port: string) => ({
      file: join(folder, 'node_modules/next/dist/bin/next'),
      args: ['start', '--hostname', '127.0.0.1', '--port', port],
      cwd: folder,
    })
    product = await prepareProduct(service, program)
    atFileEnd(() => product.stop())
    browser = await openBrowser()
    atFileEnd(() => browser.close())
  }, 600_000)

  test.each<[string, (product: OpenProduct) => Promise<void>]>([
    [
      'has users of three organizations, who switch, keep tabs apart, pass a second factor, and sign out',
      useThreeOrganizations,
    ],
    [
      'keeps a session at its expiry, without the service, with another secret and in another process',
      outliveFaults,
    ],
    [
      'notices that a session was ended, at once by a webhook, else at the next refresh, and ends one without a question',
      noticeEnd,
    ],
    ['has users who sign in by a passkey of their account page, which is two factors', signInByPasskey],
    ['has users who sign in by the test provider, and link it by their password', signInByTestProvider],
  ])('%s', async (_, journey) => {
    const opened = await openProduct(product, browser)
    await journey(opened)
    await opened.context.close()
  })

  test('shows no page to who passes the proxy by, neither with an old cookie nor with its headers', async () => {
    const { signIn, advance, origin, context, cookie, one } = await openProduct(product, browser)
    await signIn(one)
    const session = await cookie()
    await endSessions(product)
    await advance(hour + 2 * minute)
    const passingBy = { 'x-middleware-subrequest': Array(5).fill('proxy').join(':') }
    const ask = (headers: Record<string, string>) =>
      fetch(`${origin}/o/${one}/invoices`, { headers, redirect: 'manual' })

    for (const headers of [
      { ...passingBy, cookie: `portico=${session ?? ''}`, 'x-portico-path': '//other.example' },
      { ...passingBy, 'x-portico-user': 'ada', 'x-middleware-request-cookie': `portico=${session ?? ''}` },
      { ...passingBy, 'x-middleware-override-headers': 'cookie', cookie: '' },
    ]) {
      const answer = await ask(headers)
      const html = await answer.text()
      expect(html).not.toContain('There are no invoices')
      expect(html + (answer.headers.get('location') ?? '')).not.toContain('other.example')
    }
    await context.close()
  })
})
