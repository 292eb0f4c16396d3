import { sql } from 'kysely'
import type { Deps } from '../../delivery/deps.js'
import type { Counted } from '../../delivery/limits/limits.js'
import { mails } from '../../delivery/mail/mail-limits.js'
import { isUsableBy } from '../../directory/usable.js'
import { findJoining, type Joining } from '../../directory/organization-policy/joining.js'
import { isSeatFree } from '../../directory/organization-policy/seats.js'
import { isAddressInvited } from '../../directory/pending-invitations/pending.js'
import { isRequiredMetadataMissing } from '../../directory/users/signing-in-user.js'
import { ofEnvironment } from '../../platform/db/tenant-predicate.js'
import type { Caller, Tenant } from '../../platform/tenant.js'
import { lookAtAttempts, type CountedAttempts } from '../../sign-in/flows/attempts.js'
import { findDemand, type NextFactor } from '../../sign-in/flows/pending-sign-in.js'
import { findPasskeyOffer } from '../../sign-in/passkeys/offer.js'
import { findSignInMethods, type SignInMethods } from '../../sign-in/flows/sign-in-methods.js'
import { mayEnroll } from '../../sign-in/totp/enroll-in-flow.js'
import { enrollmentsOf } from '../../sign-in/totp/rows.js'
import { getTotpUser } from '../../sign-in/totp/totp-user.js'
import { challengeAddress } from '../../sso/sign-in/challenge.js'
import type { AnyConnection } from '../../sso/sign-in/connection-of-address.js'
import type { LookedUp } from './address.js'
import type { Place } from './places-of-address.js'
import { findRoute, type Route } from './route-of-address.js'
import { findSsoFacts, type SsoFacts } from './sso-facts.js'
import type { Trace } from './traces-of-address.js'

/** What a sign-in with an address meets in one organization, as it is now, and what it has met. */
export interface Facts {
  readonly at: Date
  /** Normalized. */
  readonly email: string
  readonly place: Place
  readonly methods: SignInMethods
  readonly route: Route
  readonly hasApplication: boolean
  readonly sso: SsoFacts | undefined
  readonly newcomer: NewcomerFacts | undefined
  readonly user: UserFacts | undefined
  /** At the password, or, of single sign-on, challenges that the API has asked for. */
  readonly attempts: CountedAttempts
  readonly mails: Counted
  readonly keptMail: { readonly id: string; readonly at: Date } | undefined
  /** Newest first. */
  readonly traces: readonly Trace[]
  /** The application of the last refused redirect, and when it was changed; null where it is gone, or closed to the organization. */
  readonly refusedRedirect: { readonly trace: Trace; readonly changedAt: Date | null } | undefined
}

/** What makes a user of an address that nobody has. */
export interface NewcomerFacts {
  readonly isInvited: boolean
  readonly joining: Joining | undefined
  readonly isSeatFree: boolean
}

/** The user of the address. */
export interface UserFacts {
  readonly id: string
  readonly active: boolean
  readonly hasPassword: boolean
  readonly nextFactor: NextFactor | undefined
  readonly enrollBy: Date | null
  readonly demandedBy: 'policy' | 'passkeys'
  /** On the pages: codes, or a passkey. */
  readonly mayEnroll: boolean
  readonly enrolledAt: Date | null
  readonly lockedUntil: Date | null
  readonly isMetadataMissing: boolean
}

type FactDeps = Pick<Deps, 'config' | 'db' | 'limits' | 'now'>

/** Asks what a sign-in asks, and writes and counts nothing. */
export async function findFacts(
  deps: FactDeps,
  caller: Caller,
  lookedUp: LookedUp,
  { place, traces }: { readonly place: Place; readonly traces: readonly Trace[] },
): Promise<Facts> {
  const { accountId, environment, email } = lookedUp
  const { organizationId, userId } = place
  const tenant: Caller & Tenant = { ...caller, domain: place.domain }
  const owner = { accountId, environment, organizationId }
  const at = deps.now()
  const own = traces.filter((trace) => trace.organizationId === organizationId)
  const key = { accountId, environment, domain: place.domain }
  const methods = await findSignInMethods(deps, owner)
  const route = findRoute(place, methods, email)
  const [sso, newcomer, user, attempts, counted, refusedRedirect] = await Promise.all([
    findSsoOf(deps, tenant, route.connection, { ...owner, email, userId }),
    userId === null ? findNewcomer(deps, tenant, { ...owner, email, at }) : undefined,
    userId === null
      ? undefined
      : findUserFacts(deps, tenant, {
          id: userId,
          active: place.active === true,
          hasPassword: place.hasPassword,
        }),
    lookAtAttempts(deps, { ...key, address: route.method === 'sso' ? challengeAddress(email) : email }),
    deps.limits.look(mails, { ...key, address: email }),
    findRefusedRedirect(deps, owner, own),
  ])
  const { hasApplication, keptMailId, keptMailAt } = place
  return {
    ...{ at, email, place, methods, route, hasApplication, sso, newcomer, user, attempts },
    ...{ mails: counted, refusedRedirect },
    keptMail: keptMailId === null || keptMailAt === null ? undefined : { id: keptMailId, at: keptMailAt },
    // Mails of a sign-in that names no organization are of the account.
    traces: traces.filter((trace) => own.includes(trace) || trace.organizationId === null),
  }
}

type Owner = Parameters<typeof findSignInMethods>[1]

/** The last sign-in ended because its redirect was not allowed any more, and nothing has passed since. */
async function findRefusedRedirect(
  { db }: FactDeps,
  { accountId, environment, organizationId }: Owner,
  own: readonly Trace[],
): Promise<Facts['refusedRedirect']> {
  const trace = own.find(
    ({ code }) => code === 'END_USER_SIGN_IN_FAILED' || code === 'END_USER_SIGN_IN_SUCCESS',
  )
  if (trace?.reason !== 'redirect_not_allowed') return undefined
  const application = await db
    .selectFrom('applications')
    .where(ofEnvironment({ accountId, environment }, 'applications'))
    .where(isUsableBy(sql<string>`${organizationId}::uuid`))
    .where('applications.id', '=', trace.clientId)
    .select('applications.updated_at')
    .executeTakeFirst()
  return { trace, changedAt: application?.updated_at ?? null }
}

async function findSsoOf(
  deps: FactDeps,
  tenant: Tenant,
  connection: AnyConnection | undefined,
  { email, userId, ...owner }: Owner & { readonly email: string; readonly userId: string | null },
): Promise<SsoFacts | undefined> {
  if (connection === undefined) return undefined
  return findSsoFacts(deps, tenant, { ...owner, connectionId: connection.connectionId }, { email, userId })
}

async function findNewcomer(
  { db }: FactDeps,
  tenant: Tenant,
  { email, at, ...owner }: Owner & { readonly email: string; readonly at: Date },
): Promise<NewcomerFacts> {
  const [isInvited, joining, isFree] = await Promise.all([
    isAddressInvited(db, { ...owner, emailNormalized: email, at }),
    findJoining(db, tenant, email),
    isSeatFree(db, tenant),
  ])
  return { isInvited, joining, isSeatFree: isFree }
}

async function findUserFacts(
  deps: FactDeps,
  tenant: Tenant,
  known: Pick<UserFacts, 'id' | 'active' | 'hasPassword'>,
): Promise<UserFacts> {
  const { db } = deps
  const { id } = known
  const [{ next, ...demand }, offer, enrollment, totpUser, isMetadataMissing] = await Promise.all([
    findDemand(deps, db, tenant, id),
    findPasskeyOffer(db, tenant, id),
    enrollmentsOf(db, tenant, id).select(['validated_at', 'locked_until']).executeTakeFirst(),
    getTotpUser(db, tenant, id),
    isRequiredMetadataMissing(db, tenant, id),
  ])
  return {
    ...known,
    ...{ ...demand, nextFactor: next, isMetadataMissing },
    mayEnroll: mayEnroll(totpUser) || (offer?.isActive === true && deps.config.passkeyRpId !== undefined),
    enrolledAt: enrollment?.validated_at ?? null,
    lockedUntil: enrollment?.locked_until ?? null,
  }
}
