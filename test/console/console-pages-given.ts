import { anything, anyEmail } from '../given/given.js'
import { consoleGivenOf } from '../given/console-given.js'
import { flowGivenOf } from '../given/flow-given.js'
import type { Service } from '../given/harness.js'
import { openGalleryOf, type Answer, type PageGallery } from '../given/page-gallery.js'
import type { Seen, Visitor } from '../given/visitor.js'
import { createWorld } from '../given/world.js'

/** How often a wrong password is typed until an address is locked; the service of the pages has this limit. */
export const attemptsUntilLocked = 3

/** A name that no line of a small screen holds. */
const longName = 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft'

/** One of each kind of page of the console, with the status of its answer. */
const kinds = {
  home: 200,
  'list with rows': 200,
  'list without rows': 200,
  'list of what no filter matches': 200,
  'list of folded rows': 200,
  record: 200,
  'record of an organization': 200,
  'form of a new record': 200,
  'form of a record': 200,
  'form that asks for a reason': 200,
  'form with faults': 422,
  'form of a record that was changed meanwhile': 412,
  'answer that is shown once': 200,
  'person to look up': 200,
  'person who can sign in': 200,
  'person who is inactive': 200,
  'person who is locked': 200,
  'address of nobody': 200,
  forbidden: 403,
  missing: 404,
  'form of another browser': 403,
  staff: 200,
  audit: 200,
} as const

export type Kind = keyof typeof kinds
export const allKinds = Object.keys(kinds) as readonly Kind[]

/**
 * Pages of a console in both languages, as the service has answered them, served by a server that keeps them: a form's answer
 * has no address at which a browser sees it again.
 */
export async function openConsolePages(service: Service, names: readonly Kind[]) {
  const scene = await sceneOf(service, names)
  const pages: (Answer & { readonly status: number; readonly kind: Kind; readonly lang: string })[] = []
  for (const lang of ['en', 'fr'])
    for (const kind of names) {
      const { status, headers, html } = await seeIn(scene, kind, lang)
      if (status !== kinds[kind]) throw new Error(`${kind} was answered with ${status}`)
      const path = `/${lang}/${kind.replaceAll(' ', '-')}`
      pages.push({ kind, lang, status, path, headers: keptOf(headers), content: html })
    }
  const gallery = await openGalleryOf([...pages, ...(await filesOf(service, pages))])
  const pathsIn = (lang: string, ...kinds: readonly Kind[]) =>
    pages
      .filter((page) => page.lang === lang && (kinds.length === 0 || kinds.includes(page.kind)))
      .map(({ path }) => path)
  return { gallery, pathsIn }
}

export type ConsolePages = {
  readonly gallery: PageGallery
  readonly pathsIn: (lang: string, ...kinds: readonly Kind[]) => string[]
}

function keptOf(headers: Headers): Record<string, string> {
  return {
    'content-type': headers.get('content-type') ?? '',
    'content-security-policy': headers.get('content-security-policy') ?? '',
  }
}

/** The style sheets and scripts of pages, and the fonts of the style sheets. */
async function filesOf({ baseUrl }: Service, pages: readonly Answer[]): Promise<readonly Answer[]> {
  const named = (text: string) => [...text.matchAll(/\/assets\/[\w-]+\/[\w.-]+/g)].map(([url]) => url)
  const read = async (path: string): Promise<Answer> => {
    const answer = await fetch(baseUrl + path)
    const headers = { 'content-type': answer.headers.get('content-type') ?? '' }
    if (!path.endsWith('.woff2')) return { path, headers, content: await answer.text() }
    const content = Buffer.from(await answer.arrayBuffer()).toString('base64')
    return { path, headers, content, encoding: 'base64' }
  }
  const files = await Promise.all([...new Set(pages.flatMap(({ content }) => named(content)))].map(read))
  const fonts = await Promise.all([...new Set(files.flatMap(({ content }) => named(content)))].map(read))
  return [...files, ...fonts]
}

type Scene = Awaited<ReturnType<typeof sceneOf>>

/** An account with one of everything, with people who can and cannot sign in, an owner, and somebody of the support. */
async function sceneOf(service: Service, names: readonly Kind[]) {
  const client = await service.client()
  const given = consoleGivenOf(service)
  const flows = flowGivenOf(service, client)
  const world = await createWorld(service)
  const owner = await given.owner(service.account)
  await client.organizations.update({ org_domain: world['org_domain'] ?? '', name: longName })
  const { user: inactive, org_domain } = await flows.scene()
  await client.users.update({ org_domain, user_id: inactive.id, active: false })
  const { scene: locked, visitor, page } = await flows.atPassword()
  for (let count = 0; count < attemptsUntilLocked; count++)
    await visitor.press(page, 'password', { password: 'wrong' })
  const base = `/console/${owner.account.domain}`
  const support = names.includes('forbidden') ? await supportOf(given, owner.visitor, base) : owner.visitor
  return { service, given, client, world, base, owner: owner.visitor, support, inactive, locked: locked.user }
}

/** Somebody of the support, who was invited on the console. */
async function supportOf(
  given: ReturnType<typeof consoleGivenOf>,
  owner: Visitor,
  base: string,
): Promise<Visitor> {
  const [email, visitor] = [anyEmail(), given.visitorOf()]
  const form = await owner.request(`${base}/sandbox/staff-invitations/_create`)
  await given.submit(owner, form, { email, roles: 'support', reason: 'They help customers' })
  const entered = await visitor.press(await visitor.visit(await given.mailedLink(email)), 'begin')
  if (entered.html.includes('value="not_now"')) await visitor.press(entered, 'not_now')
  return visitor
}

function seeIn(scene: Scene, kind: Kind, lang: string): Promise<Seen> {
  const { given, client, world, base, owner, support, inactive, locked } = scene
  const organization = `sandbox/organizations/${world['org_domain']}`
  const user = `${organization}/users/${world['user_id']}`
  const see = (path: string, by = owner) =>
    by.request(`${base}/${path}${path.includes('?') ? '&' : '?'}ui_locales=${lang}`)
  const person = (email: string) => see(`sandbox/people?email=${encodeURIComponent(email)}`)
  const send = async (path: string, fields: Record<string, string>) =>
    given.submit(owner, await see(path), fields)
  const webhook = {
    name: longName,
    target_url: `https://hooks.example/${anything()}`,
    event_codes: 'user.all',
  }

  const pages: Readonly<Record<Kind, () => Promise<Seen>>> = {
    home: () => see('sandbox'),
    'list with rows': () => see('sandbox/organizations'),
    'list without rows': () => see('production/webhooks'),
    'list of what no filter matches': () => see(`${organization}/users?filter=nobody-has-this`),
    'list of folded rows': () => see('sandbox/log-events'),
    record: () => see(user),
    'record of an organization': () => see(organization),
    'form of a new record': () => see('sandbox/api-keys/_create'),
    'form of a record': () => see(`${user}/_edit`),
    'form that asks for a reason': () =>
      see(`production/organizations/${world['org_domain']}/_do/organizations.delete`),
    'form with faults': () => send('sandbox/webhooks/_create', { ...webhook, name: '' }),
    'form of a record that was changed meanwhile': async () => {
      const form = await see(`sandbox/roles/${world['role_id']}/_edit`)
      await client.roles.update({ role_id: world['role_id'] ?? '', display_name: anything() })
      return given.submit(owner, form, { display_name: longName.slice(0, 40) })
    },
    'answer that is shown once': () => send('sandbox/webhooks/_create', webhook),
    'person to look up': () => see('sandbox/people'),
    'person who can sign in': () => person(world['user_email'] ?? ''),
    'person who is inactive': () => person(inactive.email),
    'person who is locked': () => person(locked.email),
    'address of nobody': () => person('nobody@people.example'),
    forbidden: () => see(`${user}/_do/users.delete`, support),
    missing: () => see('sandbox/webhooks/01890000-0000-7000-8000-000000000000'),
    'form of another browser': () => send('sandbox/webhooks/_create', { ...webhook, csrf: '' }),
    staff: () => see('sandbox/staff'),
    audit: () => see('sandbox/audit'),
  }
  return pages[kind]()
}
