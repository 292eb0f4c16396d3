import type { Application } from '@portico/sdk'
import type { Service } from '../given/harness.js'

/** Two organizations of the account, and a client whose key is limited to the first. */
export async function givenLimitedClient(service: Service) {
  const [own, other] = await Promise.all([service.given.organization(), service.given.organization()])
  return { own, other, limited: await service.client({ organizationIds: [own.id] }) }
}

/** The members of an application that is restricted to one organization. */
export function restrictedTo(domain: string) {
  return { organization_domain_scope: domain, __access__: `limited_to:${domain}` }
}

/** The ids of a list. */
export async function idsOf(list: Promise<{ data: readonly Application[] }>): Promise<string[]> {
  return (await list).data.map(({ id }) => id)
}
