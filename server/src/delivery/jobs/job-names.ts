import type { Environment } from '@portico/contract/fields'
import type { Protocol } from '@portico/contract/sso-onboarding'
import type { Visit } from '../../platform/tenant.js'

/** A change of a user's own account that is reported to them by mail. */
export type Notice =
  | 'password_set'
  | 'recovery_code_used'
  | 'totp_enrolled'
  | 'totp_enrollment_forced'
  | 'totp_enrollment_removed'
  | 'recovery_codes_renewed'
  | 'account_deleted'
  | 'email_change_tried'
  | 'passkey_added'
  | 'passkey_removed'
  | 'passkey_disabled'
  | 'passkey_recovery_opened'
  | 'passkey_recovery_code_used'
  | 'identity_linked'
  | 'identity_unlinked'

/** Where a change was made that a mail tells of. */
export interface MailedVisit extends Visit {
  /** ISO 8601. */
  readonly at: string
}

/** The payload of each job: only ids, and of a mail about one's own account its address and the browser, so that no row has a secret. */
export interface JobPayloads {
  readonly send_magic_link: {
    readonly challengeId: string
    readonly accountId: string
    readonly environment: Environment
    readonly organizationId: string
  }
  /** The link of an account flow; sent where its address can enter an organization. */
  readonly send_email_link: {
    readonly challengeId: string
    readonly accountId: string
    readonly environment: Environment
  }
  /** The link of a discovery; sent where its address can enter an organization. */
  readonly send_discovery_link: {
    readonly challengeId: string
    readonly accountId: string
    readonly environment: Environment
  }
  readonly send_notice: {
    readonly notice: Notice
    readonly accountId: string
    readonly environment: Environment
    readonly organizationId: string
    readonly userId: string
    /** Of a change on the account page or in a sign-in. */
    readonly visit?: MailedVisit
    /** The address at the time of the change. Absent in jobs of earlier versions. */
    readonly to?: string | undefined
    /** Identical for every attempt. */
    readonly messageId: string
  }
  readonly send_totp_code: {
    /** Whether the code belongs to an enrollment or a challenge. */
    readonly of: 'enrollment' | 'challenge'
    readonly id: string
    readonly accountId: string
    readonly environment: Environment
    readonly organizationId: string
    readonly userId: string
  }
  /** The URL of an invitation to an organization; its token is made when the mail is sent. */
  readonly send_invitation: {
    readonly accountId: string
    readonly environment: Environment
    readonly organizationId: string
    readonly invitationId: string
    /** Identical for every attempt, and another one when it is sent again. */
    readonly messageId: string
  }
  /** Tells the owner of a join request how it was decided. */
  readonly send_join_decision: {
    readonly accountId: string
    readonly environment: Environment
    readonly organizationId: string
    readonly joinRequestId: string
    /** Identical for every attempt. */
    readonly messageId: string
  }
  /** Has a mail sent to each administrator about the people who ask to join by then. */
  readonly tell_admins_of_join_requests: {
    readonly accountId: string
    readonly environment: Environment
    readonly organizationId: string
  }
  readonly send_join_request_notice: JobPayloads['tell_admins_of_join_requests'] & {
    readonly adminId: string
    /** Identical for every attempt; also the id of the link. */
    readonly messageId: string
  }
  /** The link of an onboarding invitation; its token is generated when the mail is sent. */
  readonly send_admin_invitation: {
    readonly accountId: string
    readonly organizationId: string
    readonly linkId: string
  }
  /** The code that an administrator enters in a browser that opens the link for the first time. */
  readonly send_admin_code: {
    readonly accountId: string
    readonly organizationId: string
    readonly sessionId: string
  }
  /** The code that proves the address of a sign-in with a social provider. */
  readonly send_address_code: {
    readonly accountId: string
    readonly environment: Environment
    readonly organizationId: string
    readonly flowId: string
  }
  /** Has a mail sent to each administrator about a user who asks to be deleted. */
  readonly tell_admins_of_deletion_request: {
    readonly accountId: string
    readonly environment: Environment
    readonly organizationId: string
    readonly userId: string
  }
  readonly send_deletion_request_notice: JobPayloads['tell_admins_of_deletion_request'] & {
    readonly adminId: string
    /** Identical for every attempt. */
    readonly messageId: string
  }
  /** The code of a change of a user's address, to the mailbox that is to be proved next. */
  readonly send_email_change_code: {
    readonly accountId: string
    readonly environment: Environment
    readonly organizationId: string
    readonly changeId: string
    /** Identical for every attempt, another one for each code. */
    readonly messageId: string
  }
  /** Tells of it, at the address that the user had before. */
  readonly send_email_change_notice: JobPayloads['send_email_change_code'] & {
    /** `changed` has a link that puts the address back; `told` has none, of an address that nobody had proved. */
    readonly told: 'changed' | 'told' | 'reverted'
    readonly userId: string
    readonly visit?: MailedVisit
  }
  /** Notifies one administrator of an upload by any of them. */
  readonly send_metadata_notice: {
    readonly accountId: string
    readonly environment: Environment
    readonly organizationId: string
    readonly connectionId: string
    /** Of the upload: SAML metadata or an OpenID Connect client. Absent in jobs of earlier versions, which had only SAML. */
    readonly protocol?: Protocol
    readonly version: number
    readonly adminId: string
    /** Identical for every attempt. */
    readonly messageId: string
  }
  /** Has a mail sent to each administrator about the missing record of a domain. */
  readonly tell_admins_of_domain: {
    readonly accountId: string
    readonly environment: Environment
    readonly organizationId: string
    readonly domainId: string
  }
  readonly send_domain_notice: JobPayloads['tell_admins_of_domain'] & {
    readonly adminId: string
    /** Identical for every attempt. */
    readonly messageId: string
  }
  /** Applies the rules of a directory to its users after a position, 500 at a time. */
  readonly remap_directory: {
    readonly accountId: string
    readonly environment: Environment
    readonly organizationId: string
    readonly directoryId: string
    /** Of the rules: with others, the job ends. */
    readonly revision: number
    /** The last user of the run before; absent in the first one. */
    readonly after?: string
  }
  /** Tells an application of the end of a session that it had tokens of; added by endSessions(). */
  readonly send_logout_token: {
    readonly accountId: string
    readonly environment: Environment
    readonly organizationId: string
    readonly sessionId: string
    readonly applicationId: string
    readonly userId: string
    /** The path of the issuer of the application's ID tokens, without the base URL. */
    readonly issuer: string
  }
  /** Ends an impersonation at its time, and tells of its end; added by endSessions() when its session ends before. */
  readonly end_impersonation: {
    readonly accountId: string
    readonly environment: Environment
    readonly organizationId: string
    readonly impersonationId: string
  }
  /** Tells the user of an impersonation that has started. */
  readonly send_impersonation_notice: JobPayloads['end_impersonation']
  /** Ends the sessions of a deleted organization. */
  readonly end_organization_sessions: { readonly accountId: string; readonly organizationId: string }
  readonly watch_certificates: Record<string, never>
  readonly watch_social_secrets: Record<string, never>
  readonly check_domains: Record<string, never>
  readonly fold_record_counts: Record<string, never>
  readonly delete_expired: Record<string, never>
  readonly expire_invitations: Record<string, never>
  readonly expire_join_requests: Record<string, never>
  readonly partition_log_events: Record<string, never>
  readonly count_log_events: Record<string, never>
  readonly erase_deleted: Record<string, never>
  readonly number_events: Record<string, never>
  /** Keys of an algorithm for one organization of an account, or for those whose ids are greater. */
  readonly prepare_signing_keys: {
    readonly accountId: string
    readonly environment: string
    readonly algorithm: 'ES256' | 'RS256'
    readonly after?: string
    readonly only?: string
  }
  /** For active keys whose kids are greater. */
  readonly publish_next_keys: { readonly afterKid: string }
  /** Keys of accounts as issuers, for accounts whose ids are greater. */
  readonly prepare_account_keys: { readonly after: string }
  readonly activate_signing_keys: Record<string, never>
  readonly rotate_peppers: Record<string, never>
}

export type JobName = keyof JobPayloads
