import { createVisitor } from '../given/visitor.js'
import type { Group } from './check.js'
import { outcomeOf, runAt, type Outcome } from './outcome.js'
import type { Authentication, ClientSide, Issuer } from './provider.js'

/** Another provider, and what is registered there. */
export interface ForeignProvider {
  readonly issuer: string
  /** Without them only the checks of an issuer run. */
  readonly clientId?: string | undefined
  /** Of a client that authenticates by HTTP Basic. */
  readonly clientSecret?: string | undefined
  readonly redirectUri?: string | undefined
}

/** Runs what needs no user at another provider, one check after the other. */
export async function outcomesAt(
  provider: ForeignProvider,
  groups: readonly Group[],
): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = []
  for (const check of groups.flatMap(({ checks }) => checks)) {
    const issuer = issuerOf(provider)
    const run = runAt(check, { issuer, ...clientOf(provider, issuer) })
    if (run !== undefined) outcomes.push(await outcomeOf(check, run))
  }
  return outcomes
}

function issuerOf({ issuer }: ForeignProvider): Issuer {
  return { issuer, fetch: (...request) => fetch(...request), now: () => new Date() }
}

function clientOf(
  { clientId, clientSecret, redirectUri }: ForeignProvider,
  issuer: Issuer,
): { readonly client?: ClientSide } {
  if (clientId === undefined || redirectUri === undefined) return {}
  const { origin } = new URL(issuer.issuer)
  const authentication: Authentication =
    clientSecret === undefined ? { method: 'none' } : { method: 'client_secret_basic', secret: clientSecret }
  return {
    client: {
      ...issuer,
      redirectUri,
      client: { clientId, authentication, alg: 'RS256', isPkceOptional: false },
      browser: () => createVisitor(origin, issuer.fetch),
    },
  }
}
