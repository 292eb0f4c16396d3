import type { Diagnoses, Diagnosis, DiagnosisQuery } from '@portico/contract/people'
import type { Deps } from '../../delivery/deps.js'
import { ApiError } from '../../platform/errors.js'
import type { Caller } from '../../platform/tenant.js'
import { toLookedUp } from './address.js'
import { findFacts, type Facts } from './facts.js'
import { findingsOf } from './findings.js'
import { listPlaces, mostPlaces } from './places-of-address.js'
import { listTraces } from './traces-of-address.js'

/**
 * Says why the owner of an address can or cannot sign in, by organization. It asks what a sign-in asks, by the same
 * predicates; nothing of the person is written, counted or locked.
 *
 * @throws ApiError `organization_not_found` when the one named is not there.
 */
export async function diagnosePerson(
  deps: Pick<Deps, 'config' | 'db' | 'limits' | 'now'>,
  caller: Caller,
  { email, org_domain }: DiagnosisQuery,
): Promise<Diagnoses> {
  const onlyDomain = org_domain ?? null
  const lookedUp = toLookedUp(caller, email)
  const traces = await listTraces(deps.db, lookedUp)
  const triedIds = [...new Set(traces.flatMap(({ organizationId }) => organizationId ?? []))]
  const { passkeyRpId } = deps.config
  const places = await listPlaces(deps.db, { ...lookedUp, onlyDomain, triedIds, passkeyRpId })
  if (onlyDomain !== null && places.length === 0) throw new ApiError('organization_not_found')
  const facts = await Promise.all(
    places.slice(0, mostPlaces).map((place) => findFacts(deps, caller, lookedUp, { place, traces })),
  )
  return { __type__: 'Diagnoses', email, data: facts.map(toDiagnosis), is_cut: places.length > mostPlaces }
}

function toDiagnosis(facts: Facts): Diagnosis {
  const { place, route } = facts
  const findings = findingsOf(facts)
  return {
    __type__: 'Diagnosis',
    org_domain: place.domain,
    org_name: place.name,
    user_id: place.userId,
    verdict: findings.some(({ stops }) => stops) ? 'cannot' : 'can',
    method: route.method,
    last_signed_in_at: place.lastSignedInAt?.toISOString() ?? null,
    findings,
  }
}
