import type { Finding, FindingAction, FindingCode, FindingSource } from '@portico/contract/people'
import type { Trace } from './traces-of-address.js'

/** What a finding says beside its code and whether it stops; what is left out is null. */
interface Said {
  readonly source: FindingSource
  readonly at?: Date | null
  readonly id?: string | null
  readonly action?: FindingAction | null
  readonly idpId?: string | null
  readonly until?: Date | null
  readonly count?: number | null
  readonly detail?: string | null
}

export function finding(
  code: FindingCode,
  stops: boolean,
  { source, at, id, action, idpId, until, count, detail }: Said,
): Finding {
  return {
    __type__: 'Finding',
    code,
    stops,
    proof: { source, at: at?.toISOString() ?? null, id: id ?? null },
    action: action ?? null,
    idp_id: idpId ?? null,
    until: until?.toISOString() ?? null,
    count: count ?? null,
    detail: detail ?? null,
  }
}

/** The proof of a finding that the log has. */
export function inLog({ at, requestId }: Trace) {
  return { source: 'log_event', at, id: requestId } as const
}

/** The time some seconds after another. */
export function secondsAfter(at: Date, seconds: number): Date {
  return new Date(at.getTime() + seconds * 1000)
}
