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

/** Codes of every path with an organization: the name cannot be decoded, or the organization does not exist. */
export const inOrganization = ['malformed_request', 'organization_not_found'] as const satisfies ErrorCode[]

type Success = Record<number, z.ZodType>

/** Answers of a route that only reads: its success, the codes of every read, and its own codes. */
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

/** Answers of PUT, PATCH and DELETE, which are idempotent by definition, and of a POST without Idempotency-Key. */
export function changing<S extends Success, const Code extends ErrorCode = never>(
  success: S,
  ...codes: Code[]
) {
  return { ...success, ...failures<(typeof withBody)[number] | Code>([...withBody, ...codes]) }
}
