import { ssoCheckNames, ssoChecks, type SsoCheck } from '@portico/contract/sso-checks'
import type { Finding } from '@portico/contract/people'
import { hasSeat } from '../../directory/organization-policy/seats.js'
import type { Facts } from './facts.js'
import { finding, inLog } from './finding.js'
import type { SsoFacts } from './sso-facts.js'
import { wayIn } from './user-findings.js'

/** The connection that an address would be sent to is closed. It stops a newcomer, too, whom nothing else makes a user. */
export function closedConnection(facts: Facts): Finding[] {
  const { route, place, methods, user } = facts
  const { closed } = route
  if (closed === undefined) return []
  const { idpId } = closed
  const isShutOut = user === undefined && wayIn(facts) === undefined
  const hasOther =
    methods.hasPassword ||
    methods.hasLink ||
    (methods.hasPasskey && place.hasPasskey) ||
    place.hasSocialIdentity
  const stops = place.isSsoRequired || isShutOut || !hasOther
  const code = closed.isActive ? 'sso_not_configured' : 'sso_inactive'
  return [finding(code, stops, { source: 'settings', action: 'edit_sso_connection', idpId })]
}

/** What an identity provider's answer meets, up to who its user is. */
export function ofConnection(facts: Facts): Finding[] {
  const { sso } = facts
  if (sso === undefined) return []
  const { idpId } = sso.live
  const ended = sso.hasCertificateEnded
    ? [
        finding('sso_certificate_ended', false, {
          source: 'settings',
          action: 'edit_sso_connection',
          idpId,
        }),
      ]
    : []
  return [...ended, ...lastAttempt(facts, sso)]
}

/** A failed sign-in of the connection. */
interface FailedAttempt {
  readonly check: SsoCheck
  readonly at: Date
  readonly proof: Pick<Parameters<typeof finding>[2], 'source' | 'at' | 'id'>
}

function lastAttempt(facts: Facts, sso: SsoFacts): Finding[] {
  const failed = findFailed(facts, sso)
  if (failed === undefined) return []
  const { check, at, proof } = failed
  const { mender } = ssoChecks[check]
  const isMendedByOthers = mender === 'identity_provider' || mender === 'operator'
  const stops = isMendedByOthers && !decidedAnew.has(check) && sso.changedAt <= at
  const action = mender === 'operator' ? 'edit_sso_connection' : null
  return [finding('sso_attempt_failed', stops, { ...proof, action, idpId: sso.live.idpId, detail: check })]
}

/** Checks of what is stored here, which the other findings tell as it is now, or which are of one sign-in alone. */
const decidedAnew: ReadonlySet<SsoCheck> = new Set<SsoCheck>([
  'connection_active',
  'email_domain',
  'invitation',
  'linking',
  'user_policy',
  'seats',
  'user_active',
  'destination_application',
])

/** The last sign-in of the address, or one of nobody known that came after it. */
function findFailed({ traces }: Facts, { live, failedUnnamed }: SsoFacts): FailedAttempt | undefined {
  const last = traces.find(({ idpId, code }) => idpId === live.idpId && ends.has(code))
  if (failedUnnamed !== undefined && isCheck(failedUnnamed.check) && !(last && last.at > failedUnnamed.at)) {
    const { check, at, id } = failedUnnamed
    return { check, at, proof: { source: 'login_attempt', at, id } }
  }
  if (last === undefined || !isCheck(last.reason)) return undefined
  return { check: last.reason, at: last.at, proof: inLog(last) }
}

const ends: ReadonlySet<string> = new Set([
  'SSO_END_USER_SAML_SUCCESS',
  'SSO_END_USER_SAML_FAILED',
  'SSO_END_USER_OIDC_SUCCESS',
  'SSO_END_USER_OIDC_FAILED',
])

function isCheck(reason: string | null): reason is SsoCheck {
  return ssoCheckNames.some((name) => name === reason)
}

/** Whether the connection lets the address in: as its user, or as a newcomer. */
export function admission({ place, sso, user }: Facts): Finding[] {
  if (sso === undefined) return []
  const { live, authority, isLinked, isPolicyMet, seats } = sso
  const said = { source: 'settings', action: 'edit_sso_connection', idpId: live.idpId } as const
  // As the check `linking`: an address makes somebody the user of it only where the connection has authority.
  const isLinkable = user === undefined ? authority !== 'refused' : isLinked || authority === 'trusted'
  if (!isLinkable) return [finding('sso_policy', true, { ...said, detail: 'linking' })]
  if (!isPolicyMet) return [finding('sso_policy', true, { ...said, detail: live.userPolicy })]
  if (place.userId === null && !hasSeat(seats))
    return [finding('no_seat', true, { ...said, count: seats.limit })]
  return []
}
