import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { portico } from '../../cli/portico.js'

/** A seed with an organization and these lines in its sandbox. */
export const organization = (lines: string) => `accounts:
  - name: Acme
    organizations:
      - name: Awesome company
        sandbox:
${lines}`

export type SeedFault = [what: string, text: string, message: RegExp]

/** Faults found while the seed is applied: each in a process of its own, because ids are only derived in a new one. */
export const faultsForTheService: SeedFault[] = [
  [
    'a weak password',
    organization(
      '          password_connection: {}\n          users:\n            - email: a@b.example\n              password: password1',
    ),
    /:8:15 .*users\[0\]: password /,
  ],
  [
    'a password without a connection',
    organization(
      '          users:\n            - email: a@b.example\n              password: engine-of-1843-analytical',
    ),
    /:7:15 .*users\[0\]: has a password, and the environment no password_connection/,
  ],
  [
    'what only the service knows',
    organization(
      '          users:\n            - email: a@b.example\n              metadata: [{ key: team, value: x }]',
    ),
    /:7:15 .*users\[0\]: The organization declares no metadata key/,
  ],
  [
    'an application that is not there',
    organization('          sso_connections:\n            - { name: Okta, application: Lost }'),
    /:7:15 .*sso_connections\[0\]: names the application Lost/,
  ],
]

/** Expects that an emulator with this seed ends with the fault and its position. */
export async function expectTold(
  start: typeof portico,
  folder: string,
  text: string,
  message: RegExp,
): Promise<void> {
  const path = join(folder, 'faulty.yaml')
  writeFileSync(path, text)

  const { code, stderr } = await start(['emulate', '--port', '0', '--seed', path], {
    HOME: process.env.HOME ?? '',
  })

  expect(code).toBe(1)
  expect(stderr).toContain(path)
  expect(stderr).toMatch(message)
}
