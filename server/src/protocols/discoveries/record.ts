import type {
  DiscoveredOrganization,
  Discovery,
  DiscoveryChallenge,
  DiscoveryEntrance,
} from '@portico/contract/discovery'
import type { Caller, Tenant } from '../../platform/tenant.js'

type Owner = Pick<Caller, 'accountDomain' | 'environment'>

export function toDiscoveryChallenge(
  { accountDomain, environment }: Owner,
  { id, link, expiresAt }: { readonly id: string; readonly link: string | null; readonly expiresAt: Date },
): DiscoveryChallenge {
  return {
    __type__: 'DiscoveryChallenge',
    __domain__: accountDomain,
    __environment__: environment,
    request_id: id,
    magic_link: link,
    expired_at: expiresAt.toISOString(),
  }
}

interface DescribedEntry extends Pick<
  DiscoveredOrganization,
  'domain' | 'name' | 'icon_logo_url' | 'kind' | 'user_id'
> {
  readonly lastSignedInAt: Date | null
  readonly firstFactor: DiscoveredOrganization['first_factor']
  readonly is_second_factor_asked: boolean
}

export function toDiscoveredOrganization(
  { accountDomain, environment }: Owner,
  entry: DescribedEntry,
): DiscoveredOrganization {
  return {
    __type__: 'DiscoveredOrganization',
    __domain__: accountDomain,
    __environment__: environment,
    domain: entry.domain,
    name: entry.name,
    icon_logo_url: entry.icon_logo_url,
    kind: entry.kind,
    user_id: entry.user_id,
    last_signed_in_at: entry.lastSignedInAt?.toISOString() ?? null,
    first_factor: entry.firstFactor,
    // An identity provider asks for factors of its own.
    second_factor: entry.is_second_factor_asked && entry.firstFactor !== 'sso',
  }
}

interface Discovered {
  readonly id: string
  readonly email: string
  readonly token: { readonly secret: string; readonly expiresAt: Date }
  readonly organizations: DiscoveredOrganization[]
}

export function toDiscovery(
  { accountDomain, environment }: Owner,
  { id, email, token, organizations }: Discovered,
): Discovery {
  return {
    __type__: 'Discovery',
    __domain__: accountDomain,
    __environment__: environment,
    request_id: id,
    discovery_token: token.secret,
    email,
    organizations,
    expired_at: token.expiresAt.toISOString(),
  }
}

export function toDiscoveryEntrance(
  { domain, environment }: Pick<Tenant, 'domain' | 'environment'>,
  entrance: Pick<DiscoveryEntrance, 'code' | 'continue_url'> & { readonly expiresAt: Date },
): DiscoveryEntrance {
  return {
    __type__: 'DiscoveryEntrance',
    __domain__: domain,
    __environment__: environment,
    code: entrance.code,
    continue_url: entrance.continue_url,
    expired_at: entrance.expiresAt.toISOString(),
  }
}
