import { emulatorErrorCodes, type EmulatorErrorCode } from '@portico/contract/emulator'

/** What the control of the emulator does not do, and why. */
export class EmulatorRefusal extends Error {
  override readonly name = 'EmulatorRefusal'
  readonly status: number

  constructor(
    readonly code: EmulatorErrorCode,
    message: string = emulatorErrorCodes[code].message,
  ) {
    super(message)
    this.status = emulatorErrorCodes[code].status
  }
}
