import { emulatorErrorCodes, type EmulatorErrorCode } from '@portico/contract/emulator'

/** A refusal of the emulator's control, and its reason. */
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
