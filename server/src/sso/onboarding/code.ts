import { randomInt } from 'node:crypto'
import { isSecretEqual } from '../../platform/crypto/secret.js'
import { open, seal, type MasterKeys, type SealContext } from '../../platform/crypto/seal.js'

/** Lifetime of a code, ample for its delivery and for opening the mailbox. */
export const codeLifetimeMs = 10 * 60 * 1000

/** Attempts that one code has; then another one has to be requested. */
export const maxCodeFailures = 5

/** The session that the code verifies. */
interface CodeOwner {
  readonly accountId: string
  readonly organizationId: string
  readonly sessionId: string
}

/** Six digits, each as likely as any other. */
export function makeAdminCode(): string {
  return String(randomInt(1_000_000)).padStart(6, '0')
}

export function sealAdminCode(master: MasterKeys, owner: CodeOwner, code: string): Buffer {
  return seal(master, adminCodeContext(owner), code)
}

export function openAdminCode(master: MasterKeys, owner: CodeOwner, sealed: Buffer): string {
  return open(master, adminCodeContext(owner), sealed).toString('utf8')
}

/** Whether the entered text is the code, however it is grouped. */
export function isAdminCode(code: string, typed: string): boolean {
  return isSecretEqual(Buffer.from(code), Buffer.from(typed.replace(/[\s-]/g, '')))
}

/** The context under which the code of a session is sealed; the re-sealing command uses it too. */
export function adminCodeContext({ accountId, organizationId, sessionId }: CodeOwner): SealContext {
  return {
    purpose: 'admin_code',
    scope: organizationId,
    aad: `sso_admin_sessions.code:${accountId}:${sessionId}`,
  }
}
