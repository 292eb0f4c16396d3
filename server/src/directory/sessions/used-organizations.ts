import { fingerprints, open, seal, SealError } from '../../platform/crypto/seal.js'
import { isSecretEqual } from '../../platform/crypto/secret.js'
import type { Deps } from '../../delivery/deps.js'

/** The account and environment that a browser has used. */
export interface UsedAccount {
  readonly accountId: string
  readonly environment: string
}

/** An organization that a browser has used, and the address of its user; no session, and no proof of anything. */
interface UsedOrganization {
  readonly organizationId: string
  readonly usedAtSeconds: number
  readonly addressDigest: Buffer
}

/** A sign-in at an organization. */
export interface OrganizationUse {
  readonly organizationId: string
  readonly emailNormalized: string
  readonly at: Date
}

/** The most that a cookie remembers; it stays under 600 bytes. */
const most = 10
const idBytes = 16
const timeBytes = 4
const digestBytes = 16
const entryBytes = idBytes + timeBytes + digestBytes

/**
 * Adds a use to what a browser remembers, sealed for the account and environment: it names no organization to anybody else.
 *
 * @param remembered As the browser sends it; what cannot be read counts as nothing.
 */
export function rememberUse(
  { keys }: Pick<Deps, 'keys'>,
  account: UsedAccount,
  remembered: string | undefined,
  { organizationId, emailNormalized, at }: OrganizationUse,
): string {
  const [addressDigest] = addressDigests({ keys }, account, emailNormalized)
  const use = { organizationId, usedAtSeconds: Math.floor(at.getTime() / 1000), addressDigest }
  const others = readUses({ keys }, account, remembered).filter(
    (other) => other.organizationId !== organizationId,
  )
  const entries = [use, ...others].slice(0, most).map(toBytes)
  return seal(keys.master, sealContext(account), Buffer.concat(entries)).toString('base64url')
}

/** The organization that a browser has last used with an address; undefined where it has not. */
export function lastUsedWith(
  { keys }: Pick<Deps, 'keys'>,
  account: UsedAccount,
  remembered: string | undefined,
  emailNormalized: string,
): string | undefined {
  const uses = readUses({ keys }, account, remembered)
  if (uses.length === 0) return undefined
  const digests = addressDigests({ keys }, account, emailNormalized)
  return uses.find(({ addressDigest }) => digests.some((digest) => isSecretEqual(digest, addressDigest)))
    ?.organizationId
}

/** What a browser remembers, the last used first. */
function readUses(
  { keys }: Pick<Deps, 'keys'>,
  account: UsedAccount,
  remembered: string | undefined,
): readonly UsedOrganization[] {
  if (remembered === undefined) return []
  try {
    return entriesIn(open(keys.master, sealContext(account), Buffer.from(remembered, 'base64url')))
  } catch (error) {
    // Of another account, altered, or by a master key that is gone: the browser remembers nothing.
    if (error instanceof SealError) return []
    throw error
  }
}

/** One for each master key, so that an address is found while they are rotated. */
function addressDigests(
  { keys }: Pick<Deps, 'keys'>,
  account: UsedAccount,
  emailNormalized: string,
): [Buffer, ...Buffer[]] {
  const { purpose, scope, aad } = sealContext(account)
  const [current, ...earlier] = fingerprints(
    keys.master,
    { purpose, scope, aad: `${aad}:address` },
    emailNormalized,
  )
  const cut = (digest: Buffer) => digest.subarray(0, digestBytes)
  return [cut(current), ...earlier.map(cut)]
}

function sealContext({ accountId, environment }: UsedAccount) {
  return { purpose: 'account_cookie', scope: accountId, aad: `account_cookie:${accountId}:${environment}` }
}

function toBytes({ organizationId, usedAtSeconds, addressDigest }: UsedOrganization): Buffer {
  const time = Buffer.alloc(timeBytes)
  time.writeUInt32BE(usedAtSeconds)
  return Buffer.concat([Buffer.from(organizationId.replaceAll('-', ''), 'hex'), time, addressDigest])
}

function entriesIn(plain: Buffer): UsedOrganization[] {
  return Array.from({ length: Math.floor(plain.length / entryBytes) }, (_, index) => {
    const entry = plain.subarray(index * entryBytes, (index + 1) * entryBytes)
    return {
      organizationId: toUuid(entry.subarray(0, idBytes).toString('hex')),
      usedAtSeconds: entry.readUInt32BE(idBytes),
      addressDigest: entry.subarray(idBytes + timeBytes),
    }
  })
}

function toUuid(hex: string): string {
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
