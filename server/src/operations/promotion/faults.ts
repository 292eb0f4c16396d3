import { nameOfPath, type Path } from './address.js'

/** A fault at a path of a configuration, and what would be right. */
export interface ConfigurationFault {
  readonly path: Path
  readonly message: string
}

/** A configuration that cannot be applied. */
export class ConfigurationFaults extends Error {
  override readonly name = 'ConfigurationFaults'

  constructor(
    readonly faults: readonly ConfigurationFault[],
    cause?: unknown,
  ) {
    super(faults.map(({ path, message }) => `${nameOfPath(path)} ${message}`).join('\n'), { cause })
  }
}
