import { open, type MasterKeys, type SealContext } from '../../platform/crypto/seal.js'

/** The owner of a sealed secret. */
export interface TotpOwner {
  readonly accountId: string
  readonly environment: string
  readonly organizationId: string
  readonly userId: string
}

/** The sealed parts of an enrolment, the same before and after validation, so that they can move between columns. */
export type TotpSecretKind = 'secret' | 'code' | 'recovery_codes'

/** The context under which a secret of an enrolment is sealed; the re-sealing command uses it too. */
export function enrollmentContext(kind: TotpSecretKind, owner: TotpOwner): SealContext {
  return contextOf(`totp_enrollments.${kind}`, owner)
}

/** The context under which the code of a challenge is sealed; the re-sealing command uses it too. */
export function challengeContext(challengeId: string, owner: TotpOwner): SealContext {
  return contextOf(`totp_challenges.code:${challengeId}`, owner)
}

function contextOf(
  place: string,
  { accountId, environment, organizationId, userId }: TotpOwner,
): SealContext {
  return {
    purpose: 'totp',
    scope: organizationId,
    aad: `${place}:${accountId}:${environment}:${userId}`,
  }
}

/** Opens a sealed column of an enrolment or challenge, which must not be null. */
export function openTotp(master: MasterKeys, context: SealContext, sealed: Buffer | null): Buffer {
  if (sealed === null) throw new Error(`nothing is sealed at ${context.aad.split(':')[0] ?? ''}`)
  return open(master, context, sealed)
}
