import { randomInt } from 'node:crypto'
import { isSecretEqual } from '../../platform/crypto/secret.js'
import { open, seal, type MasterKeys, type SealContext } from '../../platform/crypto/seal.js'

/** How long the code of a link can be typed. */
export const linkCodeLifetimeMs = 10 * 60 * 1000

/** Five guesses of a million codes; the next five need another link, opened by its owner. */
export const maxCodeFailures = 5

/** The flow whose link shows a code: of an organization, or of an account. */
interface CodeOwner {
  readonly accountId: string
  readonly environment: string
  readonly organizationId?: string | undefined
  readonly flowId: string
}

/** A code that a link shows in one browser, to be typed in another. */
interface LinkCode {
  /** Six digits, each as likely as any other. */
  readonly code: string
  /** The link that has shown it. */
  readonly challengeId: string
}

export function makeLinkCode(): string {
  return String(randomInt(1_000_000)).padStart(6, '0')
}

/** Seals the code of a flow together with its link: the code is valid only for that link's address. */
export function sealLinkCode(master: MasterKeys, key: CodeOwner, { code, challengeId }: LinkCode): Buffer {
  return seal(master, linkCodeContext(key), JSON.stringify({ code, challengeId }))
}

export function openLinkCode(master: MasterKeys, key: CodeOwner, sealed: Buffer): LinkCode {
  // Written only by sealLinkCode().
  return JSON.parse(open(master, linkCodeContext(key), sealed).toString('utf8')) as LinkCode
}

/** Whether the typed text is the code, regardless of spaces and dashes. */
export function isLinkCode({ code }: LinkCode, typed: string): boolean {
  return isSecretEqual(Buffer.from(code), Buffer.from(typed.replace(/[\s-]/g, '')))
}

/** The context under which the code of a flow is sealed; the re-sealing command uses it too. */
export function linkCodeContext({ accountId, environment, organizationId, flowId }: CodeOwner): SealContext {
  const table = organizationId === undefined ? 'account_flows' : 'sign_in_flows'
  return {
    purpose: 'link_code',
    scope: organizationId ?? accountId,
    aad: `${table}.link_code:${accountId}:${environment}:${flowId}`,
  }
}
