import type { z } from 'zod/v4'
import { failures, type ErrorCode } from './errors.js'

const everywhere = [
  'invalid_token',
  'https_required',
  'insufficient_scope',
  'rate_limited',
  'unavailable',
] as const satisfies ErrorCode[]

const withBody = [
  ...everywhere,
  'malformed_request',
  'invalid_parameters',
  'body_too_large',
  'media_type_unsupported',
] as const
const withIdempotency = [...withBody, 'idempotency_key_reused', 'idempotency_in_flight'] as const

/** What a path that names an organization adds: the name may not decode, and the organization may not be there. */
export const inOrganization = ['malformed_request', 'organization_not_found'] as const satisfies ErrorCode[]

type Success = Record<number, z.ZodType>

/** Answers of a route that only reads: its success, what any read can answer, and the codes of its own. */
export function reading<S extends Success, const Code extends ErrorCode = never>(
  success: S,
  ...codes: Code[]
) {
  return { ...success, ...failures<(typeof everywhere)[number] | Code>([...everywhere, ...codes]) }
}

/** Answers of a POST that creates or changes a record and takes an Idempotency-Key. */
export function creating<S extends Success, const Code extends ErrorCode = never>(
  success: S,
  ...codes: Code[]
) {
  return { ...success, ...failures<(typeof withIdempotency)[number] | Code>([...withIdempotency, ...codes]) }
}

/** Answers of a PUT, PATCH or DELETE, idempotent by their meaning, and of a POST that takes no Idempotency-Key. */
export function changing<S extends Success, const Code extends ErrorCode = never>(
  success: S,
  ...codes: Code[]
) {
  return { ...success, ...failures<(typeof withBody)[number] | Code>([...withBody, ...codes]) }
}
