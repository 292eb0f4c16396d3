import { leadOf } from '../given/saml-given.js'
import {
  requestIdIn,
  startIdentityProvider,
  type TestIdentityProvider,
} from '../given/saml-identity-provider.js'
import { createVisitor } from '../given/visitor.js'
import { besideBare, type Figure } from './figures.js'
import { measure, sized, type Case, type Measured, type Settings } from './measure.js'
import { measureRaw } from './raw.js'
import { writeRequests, type LoadRequest } from './requests.js'
import { getApplicationId } from './row-journey.js'
import { redirectUri } from './sample.js'
import { codeChallenge } from './sign-in-sample.js'
import { onStage, rowVariables, type Contender, type Stage } from './stage.js'

/** Their keys take a moment each to make. */
const connectionCount = 40
const quickConnectionCount = 2
/** More than are answered in a second. */
const quickResponses = 300
const warmUps = 6
/** Of those whose requests are made at the same time. */
const browsers = 8

/** A connection, and a user who signs in by it. */
interface SignIn {
  readonly domain: string
  readonly email: string
  readonly connection: { readonly idp_id: string; readonly sp_id: string; readonly acs_url: string }
}

/** The service, and responses to requests of ours. */
export interface SamlStage extends Stage {
  readonly idp: TestIdentityProvider
  /** Of other responses each time. */
  readonly responses: Case & { readonly requestsFile: () => Promise<string> }
}

/** C1: responses to requests of ours, from the post of the identity provider to the flow that goes on. */
export function signInBySaml(settings: Settings): Promise<Figure[]> {
  return onSamlStage(settings, rowVariables.signIns, async ({ responses, idp, ...stage }) => {
    let requestsFile = ''
    const write = async () => (requestsFile = await responses.requestsFile())
    const saml = { ...responses, requestsFile: write }
    await warmUpSaml(stage, saml, settings)
    const rounds: { ours: Measured[]; bare: Measured[] } = { ours: [], bare: [] }
    for (let round = 0; round < settings.rounds; round += 1) {
      rounds.ours.push(await measure(stage, saml, settings.seconds))
      const raw = [requestsFile, idp.certificate, String(settings.seconds)]
      if (!settings.isQuick) rounds.bare.push(await measureRaw('raw-node-saml.ts', raw))
    }
    return besideBare('C1', 'SAML response to flow', rounds, 'node-saml alone')
  })
}

export async function warmUpSaml(
  stage: Pick<SamlStage, 'postgresPid'>,
  saml: Case,
  settings: Settings,
): Promise<void> {
  for (let count = 0; count < sized(settings, warmUps, 1); count += 1)
    await measure(stage, saml, settings.seconds * sized(settings, 10, 2))
}

/** Runs work on such a stage. @param variables Of the service. */
export async function onSamlStage<Result>(
  settings: Settings,
  variables: NodeJS.ProcessEnv,
  work: (stage: SamlStage) => Promise<Result>,
): Promise<Result> {
  return onStage(
    settings,
    async (stage) => {
      const { ours } = stage
      const application = await getApplicationId(stage)
      const idp = await startIdentityProvider({ now: () => new Date() })
      const signIns = await connectTargets(settings, { ...stage, idp })
      const write = async () => writeRequests(await respond(ours, { application, idp, signIns }))
      const responses = { kind: 'saml', contender: ours, requestsFile: write } as const
      return work({ ...stage, idp, responses })
    },
    variables,
  )
}

/** Users of the sample, and the connections of their organizations. */
async function connectTargets(
  settings: Settings,
  { ours, data, tokens, idp }: Pick<SamlStage, 'ours' | 'data' | 'tokens' | 'idp'>,
): Promise<SignIn[]> {
  const count = sized(settings, connectionCount, quickConnectionCount)
  const targets = data.targets.filter(({ environment }) => environment === 'sandbox')
  const domains = [...new Set(targets.map(({ domain }) => domain))].slice(0, count)
  const connections = new Map<string, SignIn['connection']>()
  for (const domain of domains) connections.set(domain, await connect(ours, tokens.sandbox, { domain, idp }))
  return targets
    .flatMap(({ domain, email }) => {
      const connection = connections.get(domain)
      return connection === undefined ? [] : [{ domain, email, connection }]
    })
    .slice(0, sized(settings, targets.length, quickResponses))
}

/** Gives an organization a connection that may speak for the sample's users, by the API. */
async function connect(
  ours: Contender,
  token: string,
  { domain, idp }: { readonly domain: string; readonly idp: TestIdentityProvider },
): Promise<SignIn['connection']> {
  const organization = await call(ours, token, 'GET', `/api/v2/organizations/${domain}`)
  const { idp_id } = await call(ours, token, 'POST', '/api/v2/sso-connections', {
    organization_id: organization.id,
    email_domains: ['people.example'],
  })
  return call(ours, token, 'PUT', `/api/v2/sso-connections/${idp_id}`, { metadata: idp.metadata() })
}

/** The members that are used of an organization or a connection. */
interface Answered {
  readonly id: string
  readonly idp_id: string
  readonly sp_id: string
  readonly acs_url: string
}

async function call(
  { port }: Contender,
  token: string,
  method: string,
  path: string,
  body?: object,
): Promise<Answered> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
  // The contract of these.
  return (await answer.json()) as Answered
}

/** Has every user begin a sign-in in a browser of their own, and signs the response that answers it. */
async function respond(
  { port }: Contender,
  of: {
    readonly application: string
    readonly idp: TestIdentityProvider
    readonly signIns: readonly SignIn[]
  },
): Promise<LoadRequest[]> {
  const { application, idp, signIns } = of
  const baseUrl = `http://127.0.0.1:${port}`
  const waiting = [...signIns]
  const requests: LoadRequest[] = []
  async function oneByOne(): Promise<void> {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const { connection, domain, email } = next
      const visitor = createVisitor(baseUrl)
      const query = authorizeQuery(application, connection.idp_id)
      const page = await visitor.request(`/t/${domain}/authorize?${query.toString()}`)
      const flow = page.location === null ? page : await visitor.request(page.location)
      const sent = await visitor.request(new URL(leadOf(flow), baseUrl).pathname)
      const said = { nameId: email, attributes: { email, first_name: 'Ada', last_name: 'Lovelace' } }
      const SAMLResponse = idp.respond({ ...connection, requestId: requestIdIn(sent.location) }, said)
      requests.push({
        method: 'POST',
        path: new URL(connection.acs_url).pathname,
        body: { SAMLResponse },
        cookie: [...visitor.cookies].map((pair) => pair.join('=')).join('; '),
      })
    }
  }
  await Promise.all(Array.from({ length: browsers }, oneByOne))
  return requests
}

function authorizeQuery(application: string, idpId: string): URLSearchParams {
  return new URLSearchParams({
    response_type: 'code',
    client_id: application,
    redirect_uri: redirectUri,
    scope: 'openid profile email',
    state: 'state-of-the-bench',
    nonce: 'nonce-of-the-bench',
    code_challenge: codeChallenge,
    code_challenge_method: 'S256',
    idp_hint: idpId,
  })
}
