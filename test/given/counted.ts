import type { Service } from './harness.js'

/** How many password hashes the service has verified. */
export async function verifiedPasswords({ deps }: Service): Promise<number> {
  const { values } = await deps.metrics.passwordHashes.get()
  return values.find(({ labels }) => labels.work === 'verify')?.value ?? 0
}

/** How often the service has waited for an answer of its database. */
export async function roundTrips({ deps }: Service): Promise<number> {
  const { values } = await deps.metrics.roundTrips.get()
  return values[0]?.value ?? 0
}
