import type { Client, TotpEnrollment, User } from '@portico/sdk'
import { readKeyUri, type Authenticator } from './authenticator.js'
import { anything } from './given.js'
import type { Service } from './harness.js'

type Place = { readonly org_domain: string; readonly user_id: string }

/** A user of an organization that requires codes. */
export interface TotpScene extends Place {
  readonly user: User
}

/** A user with a validated enrolment of their app. */
export interface EnrolledScene extends TotpScene {
  readonly app: Authenticator
  readonly recoveryCodes: readonly string[]
}

/** A user with a validated enrolment of their telephone. */
export interface EnrolledBySms extends TotpScene {
  readonly recoveryCodes: readonly string[]
}

/** A unique telephone number. */
export function anyNumber(): string {
  return `+336${String(10_000_000 + (Number.parseInt(anything(), 16) % 89_999_999))}`
}

/** The period of a code, in seconds. */
export const stepSeconds = 30

export type TotpGiven = ReturnType<typeof totpGivenOf>

/** Second factors, through the API. */
export function totpGivenOf(service: Service, client: Client) {
  /** The code of an app, this many seconds from now. */
  function codeOf(app: Authenticator, inSeconds = 0): string {
    return app.codeAt(new Date(service.clock.now().getTime() + inSeconds * 1000))
  }

  async function activate(
    org_domain: string,
    members: { method?: 'sms' | 'totp_mobile_app'; expiry_in_seconds?: number } = {},
  ): Promise<void> {
    await client.totp.updateConnection({ org_domain, active: true, ...members })
  }

  async function scene(
    members: Parameters<typeof activate>[1] & { phone_number?: string; locale?: string } = {},
  ): Promise<TotpScene> {
    const { phone_number, locale, ...connection } = members
    const { domain: org_domain } = await service.given.organization(locale === undefined ? {} : { locale })
    await activate(org_domain, connection)
    const user = await service.given.user(
      { org_domain, ...(phone_number !== undefined && { phone_number }) },
      client,
    )
    return { org_domain, user_id: user.id, user }
  }

  /** Begins an enrolment with the app. */
  async function begun({ org_domain, user_id }: Place, members: { force_enroll?: boolean } = {}) {
    const enrollment = await client.totp.enroll({ org_domain, user_id, ...members })
    return { app: readKeyUri(enrollment.uri ?? ''), recoveryCodes: recoveryCodesOf(enrollment), enrollment }
  }

  /** Enrols the app of a user with a code, which is then consumed. */
  async function enroll(at: Place, members: { force_enroll?: boolean } = {}) {
    const { app, recoveryCodes } = await begun(at, members)
    const usedCode = codeOf(app)
    await client.totp.validateEnrollment({ ...placeOf(at), code: usedCode })
    return { app, recoveryCodes, usedCode }
  }

  async function enrolled(members: Parameters<typeof scene>[0] = {}): Promise<EnrolledScene> {
    const place = await scene(members)
    return { ...place, ...(await enroll(place)) }
  }

  /** Enrols the telephone of a user. */
  async function enrolledBySms(members: Parameters<typeof scene>[0] = {}): Promise<EnrolledBySms> {
    const place = await scene({ method: 'sms', phone_number: '+33612345678', ...members })
    const enrollment = await client.totp.enroll(placeOf(place))
    const code = enrollment.first_verification_code ?? ''
    await client.totp.validateEnrollment({ ...placeOf(place), code })
    return { ...place, recoveryCodes: recoveryCodesOf(enrollment) }
  }

  function challenge(at: Place, members: { send_code?: boolean } = {}) {
    return client.totp.createChallenge({ ...placeOf(at), ...members })
  }

  function answer(at: Place, code: string, members: { request_id?: string } = {}) {
    return client.totp.validateChallenge({ ...placeOf(at), code, ...members })
  }

  /** A code that the app does not show in any period around now. */
  function wrongCode(app: Authenticator): string {
    const near = [-2, -1, 0, 1, 2].map((steps) => codeOf(app, steps * stepSeconds))
    return (
      ['000000', '111111', '222222', '333333', '444444', '555555'].find((code) => !near.includes(code)) ?? ''
    )
  }

  return {
    activate,
    scene,
    begun,
    enroll,
    enrolled,
    enrolledBySms,
    challenge,
    answer,
    codeOf,
    wrongCode,
  }
}

export function recoveryCodesOf({ recovery_codes }: TotpEnrollment): string[] {
  return recovery_codes?.split('\n') ?? []
}

function placeOf({ org_domain, user_id }: Place): Place {
  return { org_domain, user_id }
}
