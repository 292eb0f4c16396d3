/** A test that fails with an emulator, although everything it needs exists. */
export interface Exception {
  /** Path from the root of the repository. */
  readonly file: string
  /** Title with the names of the enclosing groups, separated by >. */
  readonly title: string
  readonly why: string
}

/** Each must fail: an exception that passes, or no longer exists as a test, fails the run. */
export const exceptions: readonly Exception[] = [
  ...['xn--bcher-kva.example', 'a_b.example', ''].map((host) => ({
    file: 'test/api/request-targets.test.ts',
    title: `200: a Host such as "${host}"`,
    why: 'An emulator answers nobody under the name of another machine (421).',
  })),
  {
    file: 'test/api/requests.test.ts',
    title: 'HTTPS > links are built from the configured address, whatever Host and forwarded headers say',
    why: 'It asks by the name of another machine, under which an emulator answers nobody (421).',
  },
  {
    file: 'test/api/passkeys.test.ts',
    title: 'a demand of passkeys > is refused by a service whose address has no domain for them',
    why: 'An emulator has an address of its own, whatever BASE_URL says.',
  },
  {
    file: 'test/api/account.test.ts',
    title: 'the name of the product > is that of the sender of mails, and stands in them',
    why: 'A mail that an emulator keeps has no sender.',
  },
  {
    file: 'test/clients/emulator/fences.test.ts',
    title: 'the control of an emulator > is no part of the service: none of it is there in portico serve',
    why: 'It says what a service has not, and an emulator has.',
  },
]
