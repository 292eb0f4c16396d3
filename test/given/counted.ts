import type { Service } from './harness.js'

/** The number of password hashes that the service has verified. */
export async function verifiedPasswords({ deps }: Service): Promise<number> {
  const { values } = await deps.metrics.passwordHashes.get()
  return values.find(({ labels }) => labels.work === 'verify')?.value ?? 0
}

/** The number of round trips of the service to its database. */
export async function roundTrips({ deps }: Service): Promise<number> {
  const { values } = await deps.metrics.roundTrips.get()
  return values[0]?.value ?? 0
}
