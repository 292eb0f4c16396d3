import type { Environment } from '@portico/contract/fields'

/** What each job carries: ids alone, so that no row of the queue holds a secret or personal data. */
export interface JobPayloads {
  readonly send_magic_link: {
    readonly challengeId: string
    readonly accountId: string
    readonly environment: Environment
    readonly organizationId: string
  }
  readonly fold_record_counts: Record<string, never>
  readonly delete_expired: Record<string, never>
  readonly partition_log_events: Record<string, never>
  readonly erase_deleted: Record<string, never>
  readonly number_events: Record<string, never>
  readonly activate_signing_keys: Record<string, never>
}

export type JobName = keyof JobPayloads
