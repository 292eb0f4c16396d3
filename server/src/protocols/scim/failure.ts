import { allErrorCodes } from '@portico/contract/errors'
import { scimLimits } from '@portico/contract/scim'
import { isUnavailable } from '../../platform/db/violations.js'
import { ApiError } from '../../platform/errors.js'
import { BodyFault } from '../../platform/http/body-fault.js'
import { ScimError } from './scim-error.js'

const databaseRetrySeconds = 5

/** Converts any failure to a SCIM error. A failure that the provider did not cause is a 500 or 503, and keeps its cause. */
export function toScimError(error: unknown): ScimError {
  if (error instanceof ScimError) return error
  if (error instanceof ApiError) return ofApiError(error)
  if (isUnavailable(error))
    return new ScimError(
      { status: 503, retryAfterSeconds: databaseRetrySeconds },
      allErrorCodes.unavailable.message,
      { cause: error },
    )
  return new ScimError({ status: 500 }, allErrorCodes.internal_error.message, { cause: error })
}

/** Converts the errors of operations shared with the JSON API. */
function ofApiError(error: ApiError): ScimError {
  const { status } = allErrorCodes[error.code]
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
  return new ScimError({ status: 500 }, allErrorCodes.internal_error.message, options)
}

/** Converts the errors of the body parser. */
export function toBodyFault(error: unknown): ScimError {
  if (!(error instanceof BodyFault)) return toScimError(error)
  const options = { cause: error }
  switch (error.kind) {
    case 'too_large':
      return new ScimError(
        { status: 413 },
        `The body is larger than ${scimLimits.bodyBytes.toLocaleString('en')} bytes.`,
        options,
      )
    case 'unsupported':
      return unsupportedMediaType()
    case 'too_many':
    case 'malformed':
      return new ScimError({ status: 400, scimType: 'invalidSyntax' }, error.message, options)
  }
}

export function unsupportedMediaType(): ScimError {
  return new ScimError({ status: 415 }, 'Send Content-Type: application/scim+json, in UTF-8.')
}
