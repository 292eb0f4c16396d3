import { createAccount } from '@portico/server/accounts'
import type { Page } from 'playwright-core'
import { openBrowser } from '../given/browser.js'
import { consoleGivenOf } from '../given/console-given.js'
import { startService } from '../given/harness.js'
import { colorSchemes, webpOf } from './screenshots.js'

/** An image of the console, below the address of an environment. */
const pages = [
  { name: 'console-person', path: '/people?email=grace%40bright.example', height: 640 },
  { name: 'console-users', path: '/organizations/bright-bank/users', height: 500 },
] as const

/** Narrower than most screens, so that the text is read in a guide; wide enough for the navigation. */
const width = 920

export const consoleScreenshots: readonly string[] = pages.map(({ name }) => name)

/** Takes the images of the console of a running service. They have its times and are compared with nothing. */
export async function takeConsoleScreenshots(): Promise<Map<string, Buffer>> {
  const { service, visitor, home } = await scene()
  const browser = await openBrowser()
  const images = new Map<string, Buffer>()
  for (const colorScheme of colorSchemes) {
    const context = await browser.newContext({ colorScheme, viewport: { width, height: 800 } })
    await context.addCookies(
      [...visitor.cookies].map(([name, value]) => ({ name, value, url: service.baseUrl })),
    )
    const page = await context.newPage()
    for (const { name, path, height } of pages) {
      const ending = colorScheme === 'dark' ? '-dark' : ''
      images.set(`${name}${ending}`, await imageOf(page, `${service.baseUrl}${home}${path}`, height))
    }
    await context.close()
  }
  return images
}

async function imageOf(page: Page, url: string, height: number): Promise<Buffer> {
  await page.goto(url)
  await page.evaluate('document.activeElement.blur()')
  return webpOf(page, { x: 0, y: 0, width, height, scale: 1.25 }, 50)
}

/** An organization of four users, one of whom is inactive. */
async function scene() {
  const service = await startService()
  const account = await createAccount(service.deps, { name: 'Acme', plan: 'unlimited' })
  const client = await service.client({ account })
  const { domain: org_domain } = await client.organizations.create({ name: 'Bright Bank' })
  await client.password.createConnection({ org_domain })
  await client.applications.create({
    org_domain,
    name: 'Store',
    application_type: 'react',
    allowed_redirect_urls: ['https://store.example/callback'],
    allowed_origins_cors: [],
    allowed_logout_urls: [],
  })
  for (const given_name of ['Ada', 'Grace', 'Katherine', 'Mary'])
    await client.users.create({
      org_domain,
      email: `${given_name.toLowerCase()}@bright.example`,
      profile: { given_name, family_name: 'Example' },
    })
  const { id: user_id } = await client.users.getByEmail({ org_domain, user_email: 'grace@bright.example' })
  await client.users.update({ org_domain, user_id, active: false })
  const given = consoleGivenOf(service)
  const { url } = await given.link(account)
  const visitor = given.visitorOf()
  await given.open(url, { email: 'sam@acme.example', name: 'Sam Support' }, visitor)
  return { service, visitor, home: `/console/${account.domain}/sandbox` }
}
