/**
 * `malformed`: it does not match its type. `too_large`: it has too many bytes. `too_many`: members, parts or levels.
 * `unsupported`: its type, charset or encoding has no reader.
 */
type BodyFaultKind = 'malformed' | 'too_large' | 'too_many' | 'unsupported'

const statuses = { malformed: 400, too_large: 413, too_many: 400, unsupported: 415 } as const

/** Why the body of a request was not read. */
export class BodyFault extends Error {
  override readonly name = 'BodyFault'
  /** Unless a family of routes has its own. */
  readonly status: (typeof statuses)[BodyFaultKind]

  constructor(
    readonly kind: BodyFaultKind,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options)
    this.status = statuses[kind]
  }
}
