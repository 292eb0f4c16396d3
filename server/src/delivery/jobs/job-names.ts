import type { Environment } from '@portico/contract/fields'
import type { Protocol } from '@portico/contract/sso-onboarding'

/** What a user is told by mail of their own account. */
export type Notice = 'password_set' | 'recovery_code_used' | 'totp_enrolled' | 'totp_enrollment_forced'

/** What each job carries: ids alone, so that no row of the queue holds a secret or personal data. */
export interface JobPayloads {
  readonly send_magic_link: {
    readonly challengeId: string
    readonly accountId: string
    readonly environment: Environment
    readonly organizationId: string
  }
  readonly send_notice: {
    readonly notice: Notice
    readonly accountId: string
    readonly environment: Environment
    readonly organizationId: string
    readonly userId: string
    /** Stays the same over attempts. */
    readonly messageId: string
  }
  readonly send_totp_code: {
    /** The code of which of the two, by its id. */
    readonly of: 'enrollment' | 'challenge'
    readonly id: string
    readonly accountId: string
    readonly environment: Environment
    readonly organizationId: string
    readonly userId: string
  }
  /** The link of an invitation to the onboarding; its token is made when the mail is sent. */
  readonly send_admin_invitation: {
    readonly accountId: string
    readonly organizationId: string
    readonly linkId: string
  }
  /** The code that an administrator types in a browser that opened the link for the first time. */
  readonly send_admin_code: {
    readonly accountId: string
    readonly organizationId: string
    readonly sessionId: string
  }
  /** Tells one administrator of metadata that one of them has uploaded. */
  readonly send_metadata_notice: {
    readonly accountId: string
    readonly environment: Environment
    readonly organizationId: string
    readonly connectionId: string
    /** Of what was uploaded: metadata, or a client. Jobs from before there were clients have none. */
    readonly protocol?: Protocol
    readonly version: number
    readonly adminId: string
    /** Stays the same over attempts. */
    readonly messageId: string
  }
  readonly watch_certificates: Record<string, never>
  readonly fold_record_counts: Record<string, never>
  readonly delete_expired: Record<string, never>
  readonly partition_log_events: Record<string, never>
  readonly erase_deleted: Record<string, never>
  readonly number_events: Record<string, never>
  readonly activate_signing_keys: Record<string, never>
  readonly rotate_peppers: Record<string, never>
}

export type JobName = keyof JobPayloads
