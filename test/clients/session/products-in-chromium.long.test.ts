import { fileURLToPath } from 'node:url'
import { beforeAll, describe, test } from 'vitest'
import { browserTool, hasTool } from '../../debian-tools.js'
import { atFileEnd } from '../../file-end.js'
import { openBrowser, type TestBrowser } from '../../given/browser.js'
import { startService } from '../../given/harness.js'
import { sampled } from '../../sampled.js'
import { signInByPasskey, signInByTestProvider } from './other-sign-ins.js'
import {
  noticeEnd,
  openProduct,
  outliveFaults,
  prepareProduct,
  useThreeOrganizations,
  type OpenProduct,
  type Product,
} from './product-journey.js'

const service = await startService()
const programOf = (framework: string) => ({
  file: fileURLToPath(new URL(`../../../docs/examples/${framework}-product/main.ts`, import.meta.url)),
  execArgv: ['--import', 'tsx'],
})

/** What the users of a product do, and what happens to it meanwhile. */
const journeys: readonly [string, (product: OpenProduct) => Promise<void>][] = [
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
]

describe.skipIf(!hasTool(browserTool)).each(sampled(['express', 'hono'], 1))(
  'the product with %s',
  (framework) => {
    let product: Product
    let browser: TestBrowser

    beforeAll(async () => {
      product = await prepareProduct(service, () => programOf(framework))
      atFileEnd(() => product.stop())
      browser = await openBrowser()
      atFileEnd(() => browser.close())
    })

    test.each(sampled(journeys, 1))('%s', async (_, journey) => {
      const opened = await openProduct(product, browser)
      await journey(opened)
      await opened.context.close()
    })
  },
)
