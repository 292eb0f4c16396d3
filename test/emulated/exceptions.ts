/** A test that an emulator does not pass, though nothing that it needs is missing. */
export interface Exception {
  /** From the root of the repository. */
  readonly file: string
  /** With the names of the groups around it, a > between. */
  readonly title: string
  readonly why: string
}

/** Each must fail: one that passes again, or is no test any more, fails the run. */
export const exceptions: readonly Exception[] = []
