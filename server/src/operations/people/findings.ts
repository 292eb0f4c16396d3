import type { Finding } from '@portico/contract/people'
import { isEmailDomainAllowed } from '../../directory/allowed-domain.js'
import type { Facts } from './facts.js'
import { finding, inLog } from './finding.js'
import { admission, closedConnection, ofConnection } from './sso-findings.js'
import {
  attemptLimits,
  lastRefusal,
  mail,
  metadata,
  password,
  secondFactor,
  userOrNewcomer,
} from './user-findings.js'

/** What a sign-in meets, in this order. */
const steps: readonly ((facts: Facts) => readonly Finding[])[] = [
  application,
  method,
  allowedDomain,
  closedConnection,
  ofConnection,
  userOrNewcomer,
  admission,
  attemptLimits,
  password,
  mail,
  secondFactor,
  metadata,
  lastRefusal,
]

/** The findings of what is known, without reading or counting anything. */
export function findingsOf(facts: Facts): Finding[] {
  return steps.flatMap((step) => step(facts))
}

function application({ hasApplication, refusedRedirect }: Facts): Finding[] {
  if (!hasApplication)
    return [finding('no_application', true, { source: 'settings', action: 'edit_application' })]
  if (refusedRedirect === undefined) return []
  const { trace, changedAt } = refusedRedirect
  const isUnchanged = changedAt === null || changedAt <= trace.at
  return [finding('redirect_not_allowed', isUnchanged, { ...inLog(trace), action: 'edit_application' })]
}

/** Without an identity provider; the connection that is closed says more. */
function method({ route }: Facts): Finding[] {
  if (route.method !== null || route.closed !== undefined) return []
  return [finding('no_method', true, { source: 'settings', action: 'edit_sign_in_methods' })]
}

function allowedDomain({ methods: { allowedEmailDomains }, email }: Facts): Finding[] {
  if (isEmailDomainAllowed(allowedEmailDomains, email)) return []
  const detail = allowedEmailDomains?.join(', ') ?? null
  return [
    finding('email_domain_not_allowed', true, {
      source: 'settings',
      action: 'edit_allowed_domains',
      detail,
    }),
  ]
}
