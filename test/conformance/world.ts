import { createServer } from 'node:http'
import { passwordGivenOf, goodPassword } from '../api/password-given.js'
import type { Service } from '../given/harness.js'
import { createVisitor, type Visitor } from '../given/visitor.js'
import { authorize, codeIn, signIn } from './authorize.js'
import type { Fault } from './fault.js'
import { proxyOf, resigned, type Signer } from './proxy.js'
import type { ReceivedLogout, Scene } from './provider.js'
import { registrationOf, redirectUri, postLogoutRedirectUri } from './registration.js'
import { listenUntilFileEnd } from '../given/loopback.js'

/** The state that all checks share: clients, a user, a session of theirs. */
export interface World {
  readonly service: Service
  readonly scene: Scene
  /** Of the browser with the shared session. */
  readonly cookies: ReadonlyMap<string, string>
}

/** Arranges an organization as an account does for certification, and signs its user in, at its issuer or the account's. */
export async function createWorld(
  service: Service,
  issuer: 'organization' | 'account' = 'organization',
): Promise<World> {
  const client = await service.client()
  const { org_domain, user } = await passwordGivenOf(service, client).sceneWithPassword()
  await client.users.update({ org_domain, user_id: user.id, ...everyClaim })
  const inbox = await startInbox()
  const clients = await registrationOf(service, {
    org_domain,
    backchannel_logout_uri: inbox.url,
    organization_domain_scope: issuer === 'account' ? org_domain : undefined,
  })
  const key = await service.apiKey({ scopes: ['read:sessions'] })
  let running = Promise.resolve<unknown>(undefined)
  const scene: Scene = {
    issuer: `${service.baseUrl}${issuer === 'account' ? `/a/${service.account.domain}` : `/t/${org_domain}`}`,
    fetch: (...request) => fetch(...request),
    now: service.clock.now,
    ...clients,
    redirectUri,
    postLogoutRedirectUri,
    user: { sub: user.id, email: user.email, password: goodPassword },
    introspector: { id: key.client_id, secret: key.client_secret },
    browser: () => createVisitor(service.baseUrl),
    signedIn: () => createVisitor(service.baseUrl),
    advance: (seconds) => service.clock.advance(seconds),
    received: async () => {
      // In turn: a job that the run of another check has claimed is done when that run is over.
      running = running.then(() => service.runJobs())
      await running
      return inbox.received
    },
  }
  const browser = scene.browser()
  codeIn(await signIn(scene, await authorize(scene, {}, { browser }), browser))
  return { service, scene, cookies: new Map(browser.cookies) }
}

/** The world as one check sees it, whose requests are its own. */
export function sceneOf({ service, scene, cookies }: World, fault?: Fault, signer?: Signer): Scene {
  const isPlanted = fault !== undefined && signer !== undefined
  const send = isPlanted ? proxyOf(fault, signer) : scene.fetch
  const browser = () => createVisitor(service.baseUrl, send)
  return {
    ...scene,
    fetch: send,
    browser,
    signedIn: () => withCookies(browser(), cookies),
    received: async () => {
      const received = await scene.received()
      return isPlanted && fault.at === 'receiver' ? editedLogouts(received, fault, signer) : received
    },
  }
}

function withCookies(browser: Visitor, cookies: ReadonlyMap<string, string>): Visitor {
  for (const [name, value] of cookies) browser.cookies.set(name, value)
  return browser
}

/** A value for each claim of the scopes (OpenID Connect Core section 5.4). */
const everyClaim = {
  given_name: 'Ada',
  family_name: 'Lovelace',
  nickname: 'Ada',
  preferred_username: 'ada',
  birthdate: '1815-12-10',
  gender: 'female',
  locale: 'en-GB',
  zoneinfo: 'Europe/London',
  picture: 'https://people.example/ada.png',
  website: 'https://people.example/',
  profile: 'https://people.example/ada',
  phone_number: '+33142685300',
  address: {
    street_address: '12 rue de la République',
    locality: 'Lyon',
    region: 'Auvergne-Rhône-Alpes',
    postal_code: '69001',
    country: 'France',
  },
} as const

/** A server at the client's address for back-channel logout. */
async function startInbox() {
  const received: ReceivedLogout[] = []
  const server = createServer((req, res) => {
    const chunks: Buffer[] = []
    req.on('data', (chunk: Buffer) => chunks.push(chunk))
    req.on('end', () => {
      const form = new URLSearchParams(Buffer.concat(chunks).toString())
      received.push({ method: req.method ?? '', contentType: req.headers['content-type'] ?? '', form })
      res.writeHead(200, { 'cache-control': 'no-store' }).end()
    })
  })
  const port = await listenUntilFileEnd(server)
  return { url: `http://127.0.0.1:${port}/backchannel_logout`, received }
}

async function editedLogouts(
  received: readonly ReceivedLogout[],
  { token, headers, json = {} }: Fault,
  signer: Signer,
): Promise<readonly ReceivedLogout[]> {
  const edits = received.map(async (one) => {
    const form = new URLSearchParams(one.form)
    const sent = form.get('logout_token')
    if (token !== undefined && sent !== null) form.set('logout_token', await resigned(token, sent, signer))
    for (const [name, value] of Object.entries(json)) form.set(name, String(value))
    return { ...one, contentType: headers?.['content-type'] ?? one.contentType, form }
  })
  return Promise.all(edits)
}
