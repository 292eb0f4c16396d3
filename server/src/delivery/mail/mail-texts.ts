import type { Notice } from '../jobs/job-names.js'
import type { LinkPurpose } from '../../platform/link-purpose.js'

/** The texts of the mails in one language. */
export interface MailTexts {
  /** By the purpose of the link. */
  readonly links: Readonly<Record<LinkPurpose, LinkTexts>>
  readonly adminInvitation: AdminInvitationTexts
  readonly invitation: InvitationTexts
  readonly joinRequests: JoinRequestsTexts
  readonly joinDecision: Readonly<Record<'approved' | 'denied', JoinDecisionTexts>>
  readonly plainLink: string
  readonly notices: Readonly<Record<Notice, NoticeTexts>>
  readonly unexpectedNotice: (organization: string) => string
  /** When and where a change was made. */
  readonly visit: (moment: string, browser: string | null, network: string) => string
  /** Before the address of the account page. */
  readonly keptPasskeys: (names: string) => string
  /** The same without passkeys. */
  readonly ownPage: string
  readonly adminCode: AdminCodeTexts
  readonly addressCode: AdminCodeTexts
  readonly newAddressCode: AdminCodeTexts
  readonly oldAddressCode: OldAddressCodeTexts
  readonly emailChanged: EmailChangedTexts
  readonly emailReverted: EmailRevertedTexts
  readonly deletionRequest: DeletionRequestTexts
  readonly metadataNotice: MetadataNoticeTexts
  readonly clientNotice: MetadataNoticeTexts
  readonly domainNotice: DomainNoticeTexts
  readonly impersonation: ImpersonationTexts
  readonly sandbox: string
  readonly sentBy: (product: string, organization: string) => string
}

/** The texts of a mail with a link. */
export interface LinkTexts {
  readonly subject: (organization: string) => string
  readonly invitation: (organization: string) => string
  readonly button: string
  readonly lifetime: (minutes: number) => string
  readonly unexpected: string
}

interface AdminInvitationTexts {
  readonly subject: (organization: string) => string
  /** Names the inviting organization, and the service that its users sign in to. */
  readonly invitation: (organization: string, service: string) => string
  readonly button: string
  readonly lifetime: (days: number) => string
  readonly unexpected: string
}

interface JoinRequestsTexts {
  readonly subject: (organization: string) => string
  readonly invitation: (organization: string, people: number) => string
  readonly button: string
  readonly lifetime: (days: number) => string
  readonly unexpected: string
}

interface JoinDecisionTexts {
  readonly subject: (organization: string) => string
  readonly told: (organization: string) => string
  readonly next: (organization: string, product: string) => string
}

interface InvitationTexts {
  readonly subject: (organization: string) => string
  /** Names the inviting organization, and the product. */
  readonly invitation: (organization: string, product: string) => string
  /** The same of an invitation to the console of an account. */
  readonly ofConsole: {
    readonly subject: (account: string) => string
    /** Names who invites; null: an operator. */
    readonly invitation: (account: string, product: string, inviter: string | null) => string
  }
  readonly button: string
  readonly lifetime: (days: number) => string
  readonly unexpected: string
}

interface NoticeTexts {
  readonly subject: (organization: string) => string
  readonly told: (organization: string) => string
  /** In place of `unexpectedNotice`. */
  readonly unexpected?: (organization: string) => string
}

/** The texts of a mail with a code. */
export interface AdminCodeTexts {
  readonly subject: (organization: string) => string
  readonly instruction: (organization: string) => string
  readonly lifetime: (minutes: number) => string
  readonly unexpected: string
}

interface OldAddressCodeTexts extends Omit<AdminCodeTexts, 'instruction'> {
  readonly instruction: (organization: string, newAddress: string) => string
}

interface EmailChangedTexts {
  readonly subject: (organization: string) => string
  readonly told: (organization: string, address: string) => string
  readonly invitation: string
  readonly button: string
  readonly lifetime: (days: number) => string
  readonly expected: string
}

interface EmailRevertedTexts {
  readonly subject: (organization: string) => string
  readonly told: (organization: string, address: string) => string
  readonly unexpected: (organization: string) => string
}

interface DeletionRequestTexts {
  readonly subject: (organization: string) => string
  readonly told: (organization: string, address: string) => string
  readonly next: string
}

interface MetadataNoticeTexts {
  readonly subject: (organization: string) => string
  readonly told: (organization: string, connection: string) => string
  readonly inUse: string
  readonly waits: string
  readonly unexpected: string
}

interface DomainNoticeTexts {
  readonly subject: (domain: string) => string
  readonly told: (domain: string, organization: string) => string
  readonly record: (name: string, value: string) => string
  readonly lapses: (day: string) => string
  readonly lapsed: string
}

interface ImpersonationTexts {
  readonly subject: (organization: string) => string
  readonly told: (organization: string, moment: string, minutes: number) => string
  readonly allowed: string
  readonly unexpected: (organization: string) => string
}
