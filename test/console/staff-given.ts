import { scopes, staffScopes } from '@portico/contract/access'
import { randomUUID } from 'node:crypto'
import type { Account } from '@portico/server/accounts'
import type { AuditedAction, Caller, Cause, Tenant } from '@portico/server/tenant'
import type { Service } from '../given/harness.js'

/** A member of staff as the caller of an operation, with every scope unless the test says otherwise. */
export function staffOf(
  account: Account,
  { environment = 'sandbox', ...rules }: Partial<Pick<Caller, 'environment' | 'scopes'>> = {},
): Caller {
  return {
    accountId: account.id,
    accountDomain: account.domain,
    environment,
    id: 'staff',
    scopes: [...scopes, ...staffScopes],
    organizationIds: null,
    cause: { requestId: randomUUID(), actor: { type: 'operator', id: 'staff' }, params: () => ({}) },
    ...rules,
  }
}

/** The cause of an action of a member of staff that is audited. */
export function auditedCause(
  { accountId, environment }: Pick<Caller, 'accountId' | 'environment'>,
  action: Partial<AuditedAction>,
): Cause & { readonly audit: AuditedAction } {
  const staffUserId = action.staffUserId ?? randomUUID()
  const of = { id: randomUUID(), accountId, environment, staffUserId, action: 'users.create', ...action }
  return {
    requestId: randomUUID(),
    actor: { type: 'operator', id: staffUserId },
    params: () => ({}),
    audit: of,
  }
}

/** The organization that a member of staff acts on. */
export function tenantOf({ organizationIds, ...caller }: Caller, domain: string): Tenant {
  return { ...caller, domain, organizationIds }
}

/** The status of a request with the credentials of a key: 401 where it gets no token. */
export async function statusWith(
  service: Service,
  key: { readonly id: string; readonly client_secret: string },
  domain = service.account.domain,
): Promise<number> {
  const body = {
    client_id: key.id,
    client_secret: key.client_secret,
    domain,
    grant_type: 'client_credentials',
  }
  const granted = await fetch(`${service.baseUrl}/api/v2/oauth/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const { access_token } = (await granted.json()) as { access_token?: string }
  if (access_token === undefined) return granted.status
  const headers = { authorization: `Bearer ${access_token}` }
  return (await fetch(`${service.baseUrl}/api/v2/organizations`, { headers })).status
}
