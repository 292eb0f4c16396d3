/**
 * `malformed`: it is not what its type says. `too_large`: it has too many bytes. `too_many`: members, parts or levels.
 * `unsupported`: nobody reads its type, charset or encoding.
 */
type BodyFaultKind = 'malformed' | 'too_large' | 'too_many' | 'unsupported'

const statuses = { malformed: 400, too_large: 413, too_many: 400, unsupported: 415 } as const

/** Why the body of a request was not read. */
export class BodyFault extends Error {
  override readonly name = 'BodyFault'
  /** Where a family of routes has no other for it. */
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
