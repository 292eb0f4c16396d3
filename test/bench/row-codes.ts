import type { Target } from './data.js'
import { besideBare, type Figure } from './figures.js'
import { interleaved, measure, type Case, type Settings } from './measure.js'
import { writeRequests, type LoadRequest } from './requests.js'
import { getApplicationId, shuffled } from './row-journey.js'
import { redirectUri } from './sample.js'
import {
  codeChallenge,
  codeVerifier,
  insertSignIns,
  sessionCookieOf,
  type Held,
  type SignInSample,
} from './sign-in-sample.js'
import { onStage, type Stage } from './stage.js'

/** More codes than any server exchanges in a second here. */
const codesPerSecond = 3_000
/** Many more than connections, so that none refreshes again what another has under way. */
const families = 2_000
/** Each is used once in a while, by one connection at a time. */
const sessions = 4_000

/** B3: the exchange of a code, and the refresh, whose token is good once. */
export async function exchangeAndRefresh(settings: Settings): Promise<Figure[]> {
  return onSignInStage(settings, async (stage, sample) => {
    const { exchange, refresh } = tokenCases(stage, sample, settings, sandboxTargets(stage))
    const exchanged = await interleaved(stage, besides(stage, exchange), settings)
    const refreshed = await interleaved(stage, besides(stage, refresh), settings)
    return [
      ...besideBare('B3', 'code exchange', exchanged),
      ...besideBare('B3', 'refresh with rotation', refreshed),
    ]
  })
}

/** Exchanges and refreshes of ours, of codes and tokens of some users. */
export function tokenCases(
  stage: Stage,
  sample: SignInSample,
  { seconds }: Settings,
  targets: readonly Target[],
): Record<'exchange' | 'refresh', Case> {
  const write = (count: number, holding: 'code' | 'refreshToken', toRequest: (held: Held) => LoadRequest) => {
    return async () => {
      const held = await insertSignIns(sample, someOf(targets, count), holding)
      return writeRequests(held.map(toRequest))
    }
  }
  return {
    exchange: {
      contender: stage.ours,
      kind: 'once',
      requestsFile: write(Math.ceil(codesPerSecond * seconds), 'code', ({ target, secret }) =>
        tokenRequest(target.domain, exchangeOf(sample, secret)),
      ),
    },
    refresh: {
      contender: stage.ours,
      kind: 'refresh',
      requestsFile: write(families, 'refreshToken', ({ target, secret, handle }) =>
        tokenRequest(target.domain, {
          grant_type: 'refresh_token',
          client_id: sample.application,
          refresh_token: `${handle}.${secret}`,
        }),
      ),
    },
  }
}

/** B4: the authorization endpoint with a live session, and the exchange of its code. */
export async function authorizeWithSession(settings: Settings): Promise<Figure[]> {
  return onSignInStage(settings, async (stage, sample) => {
    const held = await insertSignIns(sample, someOf(sandboxTargets(stage), sessions), 'cookie')
    const requestsFile = writeRequests(held.map((each) => authorizeRequest(sample, each)))
    const authorize = { kind: 'authorize', requestsFile } as const
    const measured = await interleaved(stage, besides(stage, authorize), settings)
    return besideBare('B4', 'authorize, code, token', measured)
  })
}

/** Runs work on a stage whose organizations have their signing keys. */
export async function onSignInStage(
  settings: Settings,
  work: (stage: Stage, sample: SignInSample) => Promise<Figure[]>,
): Promise<Figure[]> {
  return onStage(settings, async (stage) => work(stage, await prepareSignIns(stage)))
}

export async function prepareSignIns(stage: Stage): Promise<SignInSample> {
  const { databaseUrl, data } = stage
  const sample = { databaseUrl, data, application: await getApplicationId(stage) }
  await makeSigningKeys(stage, sample)
  return sample
}

/** The signing keys of the sample's organizations are made when they are first used. */
async function makeSigningKeys(stage: Stage, sample: SignInSample): Promise<void> {
  const held = await insertSignIns(sample, onePerOrganization(stage), 'code')
  const requestsFile = writeRequests(
    held.map(({ target, secret }) => tokenRequest(target.domain, exchangeOf(sample, secret))),
  )
  // At most: it is over when each code has been sent.
  await measure(stage, { kind: 'once', requestsFile, contender: stage.ours }, 120)
}

function besides({ ours, bare }: Stage, load: Omit<Case, 'contender'>) {
  return { ours: { ...load, contender: ours }, bare: { ...load, contender: bare } }
}

export function sandboxTargets({ data }: Stage) {
  return data.targets.filter(({ environment }) => environment === 'sandbox')
}

/** Random ones, as often each. */
export function someOf(all: readonly Target[], count: number) {
  const targets = shuffled(all)
  return Array.from({ length: count }, (_, index) => targets[index % targets.length]).filter(
    (target) => target !== undefined,
  )
}

export function onePerOrganization(stage: Stage) {
  return [...new Map(sandboxTargets(stage).map((target) => [target.domain, target])).values()]
}

function tokenRequest(domain: string, body: object): LoadRequest {
  return { method: 'POST', path: `/t/${domain}/oauth/token`, body }
}

function exchangeOf({ application }: SignInSample, code: string) {
  return {
    grant_type: 'authorization_code',
    client_id: application,
    redirect_uri: redirectUri,
    code,
    code_verifier: codeVerifier,
  }
}

/** @param issuer Its path; that of the organization unless it is said. */
export function authorizeRequest(
  sample: SignInSample,
  held: Held,
  issuer = `/t/${held.target.domain}`,
): LoadRequest {
  const { secret } = held
  const parameters = new URLSearchParams({
    response_type: 'code',
    client_id: sample.application,
    redirect_uri: redirectUri,
    scope: 'openid profile email',
    state: secret.slice(0, 22),
    nonce: secret.slice(-22),
    code_challenge: codeChallenge,
    code_challenge_method: 'S256',
  })
  return {
    method: 'GET',
    path: `${issuer}/authorize?${parameters.toString()}`,
    body: exchangeOf(sample, '{code}'),
    cookie: sessionCookieOf(held),
  }
}
