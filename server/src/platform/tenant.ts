import type { ActorType } from '@portico/contract/event-catalog'
import type { Environment } from '@portico/contract/fields'
import type { Scope, StaffScope } from '@portico/contract/access'

/** The actor of a change, as recorded in its event. */
export interface Actor {
  readonly type: ActorType
  readonly id: string
}

/** A request in progress under an Idempotency-Key: its row, and its lease on the row. */
export interface IdempotencyClaim {
  readonly accountId: string
  readonly environment: string
  readonly callerId: string
  readonly keyHash: Buffer
  readonly lease: string
}

/** Where a person is who changes something of their own account, as a mail about it says. */
export interface Visit {
  /** Its name and system, such as Firefox, Linux; null where they are not known. */
  readonly browser: string | null
  /** Its IP address, of IPv6 the network of /64. */
  readonly network: string
}

/** The cause of a change: the actor, the request, its parameters, and whether it may be repeated safely. */
export interface Cause {
  readonly requestId: string
  readonly actor: Actor
  /** The request's parameters without what the contract declares secret; read only when an event is written. */
  readonly params: () => Record<string, unknown>
  readonly idempotency?: IdempotencyClaim
  /** Of a person on the page of their own account, or on those of their sign-in. */
  readonly visit?: Visit
  /** What a member of staff is doing; the change writes it into the audit of the account. */
  readonly audit?: AuditedAction
}

/** An action of a member of staff in the console of an account. */
export interface AuditedAction {
  /** Of the entry: the changes of one request write one. */
  readonly id: string
  readonly accountId: string
  /** Null: an action on what both environments share. */
  readonly environment: Environment | null
  /** Of the organization in the path. */
  readonly domain?: string
  readonly staffUserId: string
  /** The name of the route, such as users.delete. */
  readonly action: string
  /** 3 to 300 characters, in the words of the member of staff. */
  readonly reason?: string
}

/** A cause that has no parameters, such as the service itself or an operator. */
export function causeBy(requestId: string, type: ActorType, id: string): Cause {
  return { requestId, actor: { type, id }, params: () => ({}) }
}

/** What a member of staff may do in an environment, and how they have signed in. */
export interface StaffRights {
  /** The names of the routes that their roles may call. */
  readonly routes: ReadonlySet<string>
  /** Whether answers may show them personal data. */
  readonly seesPersonalData: boolean
  /** They have proved lately, by a second factor, that it is them. */
  readonly isProved: boolean
}

/** The API key of a request, or the member of staff in the console, and the organizations that it may see. */
export interface Caller {
  readonly accountId: string
  readonly accountDomain: string
  readonly environment: Environment
  /** Of the API key, or of the user who is a member of staff. */
  readonly id: string
  /** Of a member of staff; absent with an API key. */
  readonly staff?: StaffRights
  readonly scopes: readonly (Scope | StaffScope)[]
  /** The organizations the key is limited to; null: all of the account. */
  readonly organizationIds: readonly string[] | null
  readonly cause: Cause
}

/** An operator as the caller: no key, and every organization of the account. */
export function operatorCaller(
  account: { readonly id: string; readonly domain: string },
  environment: Environment,
  cause: Cause,
): Caller {
  return {
    accountId: account.id,
    accountDomain: account.domain,
    environment,
    id: 'operator',
    scopes: [],
    organizationIds: null,
    cause,
  }
}

/** Whether answers may reveal to a caller which users exist: a key that reads users finds out anyway. */
export function mayReadUsers({ scopes }: Pick<Caller, 'scopes'>): boolean {
  return scopes.includes('read:users')
}

/**
 * The owner of the data of an operation: account, environment and organization. Whether the organization exists, belongs
 * to the account and is open to the caller is part of every statement, through organizationIdOf().
 */
export interface Tenant {
  readonly accountId: string
  readonly accountDomain: string
  readonly environment: Environment
  /** The organization's domain. */
  readonly domain: string
  readonly organizationIds: readonly string[] | null
  readonly cause: Cause
}

/** The tenant with the user as the actor. */
export function ofUser(tenant: Tenant, userId: string): Tenant {
  return { ...tenant, cause: { ...tenant.cause, actor: { type: 'user', id: userId } } }
}
