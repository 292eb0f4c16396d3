import { encodeRequest } from './encoding.js'
import { exchange, isObject, jsonOf } from './exchange.js'
import { emulatorRoutes, type EmulatorControl } from './generated-emulator.js'
import type { RouteRow } from './generated.js'
import type { RequestOptions } from './request-options.js'

/** An error answer of an emulator's control. */
export class EmulatorError extends Error {
  override readonly name = 'EmulatorError'

  constructor(
    /** Such as `fault_not_declared` or `clock_behind`. */
    readonly code: string,
    readonly status: number,
    message: string,
  ) {
    super(message)
  }
}

/** Long, because advancing the clock by years runs every job that becomes due. */
const timeoutMs = 300_000
const maxAnswerBytes = 50_000_000

/** A client of an emulator's control: one method per operation. */
export function createControl(baseUrl: string): EmulatorControl {
  const groups: Record<string, Record<string, unknown>> = {}
  for (const [operation, route] of Object.entries(emulatorRoutes)) {
    const [resource = '', verb = ''] = operation.split('.')
    const group = (groups[resource] ??= {})
    group[verb] = (input: object = {}, options: RequestOptions = {}) =>
      callControl(baseUrl, route, input, options)
  }
  // The generator writes the interface and the table from the same routes.
  return groups as unknown as EmulatorControl
}

async function callControl(
  baseUrl: string,
  [method, path, flags]: RouteRow,
  input: object,
  { signal, headers }: RequestOptions,
): Promise<unknown> {
  // The flag marks routes without a token as OAuth forms, and these take JSON.
  const { target, body, contentType } = encodeRequest([method, path, flags.replace('f', '')], input)
  const answer = await exchange(
    baseUrl + target,
    {
      method,
      headers: { ...headers, ...(contentType !== undefined && { 'content-type': contentType }) },
      ...(body !== undefined && { body }),
    },
    { timeoutMs, maxBytes: maxAnswerBytes, signal },
  )
  const read = jsonOf(answer)
  if (answer.status < 300 && read !== undefined) return read
  const error = isObject(read?.['error']) ? read['error'] : {}
  const { code = 'unexpected_answer', message = `The emulator answered ${answer.status}.` } = error
  throw new EmulatorError(String(code), answer.status, String(message))
}
