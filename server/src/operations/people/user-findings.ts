import type { Finding, FindingAction } from '@portico/contract/people'
import type { Facts, UserFacts } from './facts.js'
import { finding, inLog, secondsAfter } from './finding.js'

/** The user of the address, or what makes one. */
export function userOrNewcomer(facts: Facts): Finding[] {
  const { user } = facts
  if (user === undefined) return newcomer(facts)
  return user.active ? [] : [finding('user_inactive', true, { source: 'user', action: 'activate_user' })]
}

function newcomer(facts: Facts): Finding[] {
  const { place, newcomer: door, sso } = facts
  const how = wayIn(facts)
  const deleted =
    place.deletedAt === null
      ? []
      : [
          finding('user_deleted', how === undefined, {
            source: 'user',
            at: place.deletedAt,
            action: 'create_user',
          }),
        ]
  if (how === undefined)
    return deleted.length > 0
      ? deleted
      : [finding('no_user', true, { source: 'user', action: 'create_user' })]
  const notYet = finding('not_yet_user', false, { source: 'settings', detail: how })
  // A connection says itself that its seats are taken.
  const isFull = sso === undefined && door?.isSeatFree === false
  const seats = isFull ? [finding('no_seat', true, { source: 'settings', action: 'edit_policy' })] : []
  return [...deleted, notYet, ...seats]
}

/** How an address that nobody has becomes a user, by the first door that is open; a join request asks only. */
export function wayIn({ methods, newcomer: door, route, sso }: Facts): string | undefined {
  // Whether the connection lets the newcomer in, it says itself.
  if (sso !== undefined || (route.method === 'sso' && route.closed === undefined)) return 'sso'
  if (route.method === 'sso' || !methods.hasLink) return undefined
  if (door?.isInvited === true) return 'invitation'
  if (door?.joining?.mode === 'automatic') return 'join'
  if (methods.maySignUp) return 'link'
  return door?.joining?.mode === 'request' ? 'join_request' : undefined
}

/** What the page of the password, or a challenge of the API, meets. */
export function attemptLimits({ at, route, attempts }: Facts): Finding[] {
  const { lockedForSeconds, attempts: count } = attempts
  if (lockedForSeconds === null || uncounted.has(route.method)) return []
  const until = secondsAfter(at, lockedForSeconds)
  return [finding('locked', true, { source: 'limit', until, count, action: 'unlock' })]
}

/** The methods of which no attempt counts against an address. */
const uncounted: ReadonlySet<Facts['route']['method']> = new Set(['magic_link', 'passkey', 'social'])

export function password({ place, route, user, methods }: Facts): Finding[] {
  if (route.method !== 'password' || user === undefined || user.hasPassword) return []
  const action = 'send_password_mail'
  const hasOther = methods.hasLink || (methods.hasPasskey && place.hasPasskey) || place.hasSocialIdentity
  return [finding('password_missing', !hasOther, { source: 'user', action })]
}

/** The last mail to the address, and whether there will be another one. */
export function mail(facts: Facts): Finding[] {
  const { at, mails, route } = facts
  const isNeeded = route.method === 'magic_link'
  const { count, state } = mails
  const until = secondsAfter(at, state.resetSeconds)
  const limited =
    count >= state.limit
      ? [finding('mail_limit', isNeeded, { source: 'limit', until, count: state.limit, action: 'unlock' })]
      : []
  return [...lastMail(facts, isNeeded), ...limited]
}

function lastMail({ traces, keptMail, methods }: Facts, isNeeded: boolean): Finding[] {
  const last = traces.find(({ code }) => code === 'MAIL_SENT' || code === 'MAIL_FAILED')
  if (keptMail !== undefined && !(last && last.at > keptMail.at))
    return [finding('mail_kept', false, { source: 'outbox', ...keptMail })]
  if (last === undefined) return []
  const said = { ...inLog(last), detail: last.reason }
  if (last.code === 'MAIL_SENT') return [finding('mail_sent', false, said)]
  const action: FindingAction | null = methods.hasLink ? 'send_link' : 'send_password_mail'
  return [finding('mail_failed', isNeeded, { ...said, action })]
}

/** The second factor, which only the application asks for after single sign-on. */
export function secondFactor(facts: Facts): Finding[] {
  const { route, user } = facts
  if (user === undefined || route.method === 'sso') return []
  if (user.nextFactor === undefined) return []
  if (user.nextFactor === 'totp') return enrolled(facts, user)
  return facts.place.hasPasskey
    ? [finding('second_factor_enrolled', false, { source: 'user' })]
    : [missing(facts, user)]
}

function enrolled({ at }: Facts, { enrolledAt, lockedUntil }: UserFacts): Finding[] {
  const has = finding('second_factor_enrolled', false, {
    source: 'user',
    at: enrolledAt,
    action: 'remove_second_factor',
  })
  if (lockedUntil === null || lockedUntil <= at) return [has]
  return [finding('second_factor_locked', true, { source: 'user', until: lockedUntil }), has]
}

/** The pages enrol it; whoever signs in by the API alone is refused, as the log has it. */
function missing({ traces }: Facts, user: UserFacts): Finding {
  const { nextFactor, enrollBy, demandedBy, mayEnroll } = user
  const refused = traces.find(({ code }) => endsOfFactors.has(code))
  const isRefused =
    refused?.reason === 'totp_enrollment_required' || refused?.reason === 'passkey_enrollment_required'
  const stops = nextFactor === 'enroll' && (isRefused || !mayEnroll)
  const proof = isRefused ? inLog(refused) : ({ source: 'user' } as const)
  const action = demandedBy === 'policy' ? 'edit_policy' : 'edit_passkeys'
  return finding('second_factor_missing', stops, { ...proof, until: enrollBy, action })
}

const endsOfFactors: ReadonlySet<string> = new Set([
  'END_USER_PASSWORD_SUCCESS',
  'END_USER_PASSWORD_FAILED',
  'END_USER_MAGIC_LINK_SUCCESS',
  'END_USER_MAGIC_LINK_FAILED',
  'END_USER_SIGN_IN_SUCCESS',
  'TOTP_ENROLLED',
])

export function metadata({ user }: Facts): Finding[] {
  if (user?.isMetadataMissing !== true) return []
  return [finding('required_metadata_missing', false, { source: 'user', action: 'edit_metadata' })]
}

/** The last refusal since the last success, unless what is so now explains it. */
export function lastRefusal({ traces }: Facts): Finding[] {
  const last = traces.find(({ code }) => code in outcomes)
  if (last === undefined || outcomes[last.code] !== 'refused') return []
  if (last.reason !== null && explained.has(last.reason)) return []
  return [finding('attempt_refused', false, { ...inLog(last), detail: last.reason })]
}

const outcomes: Readonly<Record<string, 'refused' | 'passed'>> = {
  END_USER_PASSWORD_FAILED: 'refused',
  END_USER_PASSWORD_SUCCESS: 'passed',
  END_USER_MAGIC_LINK_FAILED: 'refused',
  END_USER_MAGIC_LINK_SUCCESS: 'passed',
  END_USER_TOTP_FAILED: 'refused',
  END_USER_TOTP_SUCCESS: 'passed',
  END_USER_SIGN_IN_FAILED: 'refused',
  END_USER_SIGN_IN_SUCCESS: 'passed',
  SSO_END_USER_SAML_SUCCESS: 'passed',
  SSO_END_USER_OIDC_SUCCESS: 'passed',
}

/** Reasons of refusals that another finding tells as long as they are so. */
const explained: ReadonlySet<string> = new Set([
  'user_not_found',
  'user_inactive',
  'address_locked',
  'password_missing',
  'email_domain_not_allowed',
  'sso_required',
  'seats_exhausted',
  'redirect_not_allowed',
  'totp_enrollment_required',
  'passkey_enrollment_required',
  'locked',
])
