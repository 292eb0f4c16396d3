import type {
  SocialCheckName,
  SocialCheckOutcome,
  SocialProvider,
  SocialProviderCheck,
} from '@portico/contract/social-providers'
import type { Deps } from '../../delivery/deps.js'
import type { Changed } from '../../delivery/events/change.js'
import { limit } from '../../delivery/limits/limits.js'
import { randomSecret } from '../../platform/crypto/secret.js'
import { ProviderFault } from '../../platform/openid/provider.js'
import type { Caller } from '../../platform/tenant.js'
import { exchangeAtProvider, ExchangeFault } from '../oidc/openid-client.js'
import { toSocialClient } from './client.js'
import { exchangeAtGithub } from './github.js'
import { findProviderClient, type ProviderClient } from './open-providers.js'
import { getSocialProvider } from './providers.js'
import { isEndNear } from './watch-secrets.js'

/** Checks of one provider. */
const checksPerHour = limit('social-check', { windowSeconds: 60 * 60, most: () => 60 })

type CheckDeps = Pick<Deps, 'config' | 'db' | 'keys' | 'limits' | 'now' | 'openIdProviders' | 'outbound'>
type Finding = SocialProviderCheck['checks'][number]

/**
 * Tries a social provider: whether everything is entered, whether it can be read, and whether it takes our client, to which it gives
 * an answer for a code that cannot be.
 *
 * @throws ApiError `social_provider_not_found`, and `rate_limited`: sixty times an hour.
 */
export async function checkSocialProvider(
  deps: CheckDeps,
  caller: Caller,
  id: string,
): Promise<Changed<SocialProviderCheck>> {
  const { record: provider } = await getSocialProvider(deps, caller, id)
  const limited = await deps.limits.take(checksPerHour, { ...caller, address: id })
  const known = provider.state === 'ready' ? await findProviderClient(deps, id) : undefined
  const checks = [
    checkSettings(provider),
    checkRedirectUri(provider),
    ...(await checkClient(deps, known)),
    checkExpiry(provider, deps.now()),
  ]
  return {
    record: {
      __type__: 'SocialProviderCheck',
      __domain__: caller.accountDomain,
      __environment__: caller.environment,
      provider_id: id,
      passed: checks.every(({ outcome }) => outcome !== 'failed'),
      checks,
    },
    limit: limited,
  }
}

function finding(name: SocialCheckName, outcome: SocialCheckOutcome, message: string): Finding {
  return { name, outcome, message }
}

function checkSettings(provider: SocialProvider): Finding {
  const { issuer, client_id, team_id, key_id } = provider
  const needed =
    provider.provider === 'apple' ? { issuer, client_id, team_id, key_id } : { issuer, client_id }
  const missing = Object.entries(needed).flatMap(([name, value]) => (value === null ? [name] : []))
  if (provider.state === 'ready') return finding('settings', 'passed', 'Everything is entered.')
  const secret = provider.provider === 'apple' ? 'private_key' : 'client_secret'
  const names = missing.length > 0 ? missing : [secret]
  return finding('settings', 'failed', `Enter ${names.join(', ')}.`)
}

/** What providers refuse of an address of ours, whichever they are. */
function checkRedirectUri({ provider, redirect_uri: uri }: SocialProvider): Finding {
  if (provider === 'test') return finding('redirect_uri', 'skipped', 'It is built in.')
  const { protocol, hostname } = new URL(uri)
  const isLocal = hostname === 'localhost' || /^[\d.]+$|^\[/.test(hostname)
  if (provider === 'apple' && (protocol !== 'https:' || isLocal))
    return finding(
      'redirect_uri',
      'failed',
      `Apple takes no address but one of https with a domain: not ${uri}.`,
    )
  if (protocol !== 'https:' && !isLocal)
    return finding(
      'redirect_uri',
      'failed',
      `Providers take no address of http but of localhost: not ${uri}.`,
    )
  return finding('redirect_uri', 'passed', `${uri} has to be registered at the provider, to the letter.`)
}

/** Reads the provider, and tries the client there. */
async function checkClient(deps: CheckDeps, known: ProviderClient | undefined): Promise<Finding[]> {
  if (known === undefined)
    return [
      finding('discovery', 'skipped', 'Not everything is entered.'),
      finding('credentials', 'skipped', 'Not everything is entered.'),
    ]
  const isRead = known.provider === 'google' || known.provider === 'custom_oidc'
  const builtIn = finding('discovery', 'skipped', 'Its addresses are built in.')
  try {
    await toSocialClient(deps, known)
  } catch (error) {
    if (!(error instanceof ProviderFault)) throw error
    return [
      finding('discovery', 'failed', `Its discovery document cannot be read: ${error.message}`),
      finding('credentials', 'skipped', 'The provider cannot be read.'),
    ]
  }
  const read = finding('discovery', 'passed', `The discovery document of ${known.issuer} can be read.`)
  return [isRead ? read : builtIn, await checkCredentials(deps, known)]
}

/** What servers say of a code that they have not given out, to a client whom they know. */
const codeFaults = ['invalid_grant', 'bad_verification_code']
const clientFaults = ['invalid_client', 'unauthorized_client', 'incorrect_client_credentials']

/** Exchanges a code that cannot be: what is wrong with it tells whether the client is right (RFC 6749 section 5.2). */
async function checkCredentials(deps: CheckDeps, known: ProviderClient): Promise<Finding> {
  if (known.provider === 'test') return finding('credentials', 'skipped', 'It is built in.')
  const { client, outbound } = await toSocialClient(deps, known)
  const { issuer, isIssuerSent } = client.provider
  const secrets = { state: randomSecret(), nonce: randomSecret(), codeVerifier: randomSecret() }
  const asked = { ...secrets, code: 'portico-check', issuer: isIssuerSent ? issuer : null }
  const exchanging = known.provider === 'github' ? exchangeAtGithub : exchangeAtProvider
  try {
    await exchanging({ ...deps, outbound }, client, asked)
    return finding('credentials', 'unknown', 'The provider has taken a code that it has not given out.')
  } catch (error) {
    if (!(error instanceof ExchangeFault)) throw error
    return toFinding(error.fault.received.slice(0, 300))
  }
}

/** @param received The error of the token endpoint, and its description. */
function toFinding(received: string): Finding {
  const [code = ''] = received.split(':')
  if (codeFaults.includes(code)) return finding('credentials', 'passed', 'The provider takes the client.')
  if (clientFaults.includes(code))
    return finding(
      'credentials',
      'failed',
      `The provider does not know this client, or its secret is another one: ${received}.`,
    )
  if (code === 'redirect_uri_mismatch')
    return finding(
      'credentials',
      'failed',
      `The redirect_uri is not registered at the provider: ${received}.`,
    )
  return finding(
    'credentials',
    'unknown',
    `The provider has not said whether it takes the client: ${received}.`,
  )
}

function checkExpiry({ secret_expires_at: end }: SocialProvider, at: Date): Finding {
  if (end === null) return finding('secret_expiry', 'skipped', 'No end of the secret is entered.')
  const isNear = isEndNear(new Date(end), at)
  const day = end.slice(0, 10)
  return isNear
    ? finding('secret_expiry', 'failed', `The secret ends on ${day}: make a new one at the provider.`)
    : finding('secret_expiry', 'passed', `The secret ends on ${day}.`)
}
