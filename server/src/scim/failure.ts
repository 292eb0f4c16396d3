import { errorCodes } from '@portico/contract/errors'
import { scimLimits } from '@portico/contract/scim'
import { isUnavailable } from '../db/violations.js'
import { ApiError } from '../errors.js'
import { ScimError } from './scim-error.js'

const databaseRetrySeconds = 5

/** Any failure as SCIM tells it. What the provider did not cause is a 500 or 503, and keeps its cause. */
export function toScimError(error: unknown): ScimError {
  if (error instanceof ScimError) return error
  if (error instanceof ApiError) return ofApiError(error)
  if (isUnavailable(error))
    return new ScimError(
      { status: 503, retryAfterSeconds: databaseRetrySeconds },
      errorCodes.unavailable.message,
      { cause: error },
    )
  return new ScimError({ status: 500 }, errorCodes.internal_error.message, { cause: error })
}

/** What the functions throw that the JSON API calls, too. */
function ofApiError(error: ApiError): ScimError {
  const { status } = errorCodes[error.code]
  const [fault] = error.fields ?? []
  const detail = fault === undefined ? error.message : `${fault.path} ${fault.message}`.trim()
  const options = { cause: error }
  if (status === 422) return new ScimError({ status: 400, scimType: 'invalidValue' }, detail, options)
  if (status === 409) return new ScimError({ status: 409, scimType: 'uniqueness' }, detail, options)
  if (status === 429 || status === 503) {
    const { retryAfterSeconds = databaseRetrySeconds } = error
    return new ScimError({ status, retryAfterSeconds }, detail, options)
  }
  if (status === 400 || status === 403 || status === 404 || status === 412)
    return new ScimError({ status }, detail, options)
  return new ScimError({ status: 500 }, errorCodes.internal_error.message, options)
}

/** The status that readers of bodies put on the errors they make. */
export function toBodyFault(error: unknown): ScimError {
  const status = error instanceof Error && 'status' in error ? error.status : 500
  const options = { cause: error }
  if (status === 413)
    return new ScimError(
      { status: 413 },
      `The body is larger than ${scimLimits.bodyBytes.toLocaleString('en')} bytes.`,
      options,
    )
  if (status === 415) return unsupportedMediaType()
  if (status === 400)
    return new ScimError(
      { status: 400, scimType: 'invalidSyntax' },
      'The body cannot be read: send valid JSON.',
      options,
    )
  return toScimError(error)
}

export function unsupportedMediaType(): ScimError {
  return new ScimError({ status: 415 }, 'Send Content-Type: application/scim+json, in UTF-8.')
}
