import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto'

/** What a page asks of a browser, as far as an authenticator reads it. */
interface Asked {
  readonly challenge: string
  readonly rp?: { readonly id: string }
  readonly rpId?: string
  readonly user?: { readonly id: string; readonly name: string }
}

/** What an answer says in place of the truth. */
export interface Lie {
  readonly origin?: string
  readonly rpId?: string
  readonly challenge?: string
  readonly type?: string
  readonly crossOrigin?: boolean
  readonly topOrigin?: string
  readonly isPresent?: boolean
  readonly isVerified?: boolean
  readonly isSynced?: boolean
  readonly isBackedUp?: boolean
  readonly userHandle?: string | null
  readonly signCount?: number
  readonly algorithm?: number
  readonly credentialId?: string
  /** Of a use: the signature is of something else. */
  readonly isForged?: boolean
}

/** A key of an authenticator. */
export interface HeldKey {
  readonly id: string
  readonly privateKey: KeyObject
  readonly handle: string
  signCount: number
}

/** An authenticator with the browser in front of it, as it should be: it verifies its user, and copies nothing. */
export interface PasskeyAuthenticator {
  readonly keys: HeldKey[]
  /** The answer to creation options, as the page sends it. */
  create(options: Asked, lie?: Lie): string
  /** The answer to request options, by the last key that it has made unless another is named. */
  use(options: Asked, lie?: Lie, key?: HeldKey): string
}

const flagsOf = { isPresent: 0x01, isVerified: 0x04, isSynced: 0x08, isBackedUp: 0x10 } as const
const hasKey = 0x40

/** Written after Web Authentication Level 3 section 6 without the library of the service, so that it is not tested against itself. */
export function createPasskeyAuthenticator(
  origin: string,
  { isSynced = false, aaguid = Buffer.alloc(16) }: { isSynced?: boolean; aaguid?: Buffer } = {},
): PasskeyAuthenticator {
  const keys: HeldKey[] = []
  const isCounting = !isSynced

  function clientData(type: string, { challenge }: Asked, lie: Lie): string {
    return toText(
      Buffer.from(
        JSON.stringify({
          type: lie.type ?? type,
          challenge: lie.challenge ?? challenge,
          origin: lie.origin ?? origin,
          crossOrigin: lie.crossOrigin ?? false,
          ...(lie.topOrigin !== undefined && { topOrigin: lie.topOrigin }),
        }),
      ),
    )
  }

  function authenticatorData(rpId: string, signCount: number, lie: Lie, attested?: Buffer): Buffer {
    const truth = { isPresent: true, isVerified: true, isSynced, isBackedUp: isSynced }
    const says = { ...truth, ...lie }
    const flags = (['isPresent', 'isVerified', 'isSynced', 'isBackedUp'] as const).reduce(
      (sum, name) => sum + (says[name] ? flagsOf[name] : 0),
      attested === undefined ? 0 : hasKey,
    )
    const count = Buffer.alloc(4)
    count.writeUInt32BE(lie.signCount ?? signCount)
    return Buffer.concat([
      sha256(Buffer.from(lie.rpId ?? rpId)),
      Buffer.from([flags]),
      count,
      attested ?? Buffer.alloc(0),
    ])
  }

  return {
    keys,
    create(options, lie = {}) {
      const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
      const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
      const id = lie.credentialId ?? toText(randomBytes(32))
      keys.push({ id, privateKey, handle: options.user?.id ?? '', signCount: 0 })
      const rawId = Buffer.from(id, 'base64url')
      const length = Buffer.alloc(2)
      length.writeUInt16BE(rawId.length)
      const key = map([
        [int(1), int(2)],
        [int(3), int(lie.algorithm ?? -7)],
        [int(-1), int(1)],
        [int(-2), bytes(Buffer.from(x, 'base64url'))],
        [int(-3), bytes(Buffer.from(y, 'base64url'))],
      ])
      const attested = Buffer.concat([aaguid, length, rawId, key])
      const data = authenticatorData(options.rp?.id ?? '', 0, lie, attested)
      const attestationObject = map([
        [text('fmt'), text('none')],
        [text('attStmt'), map([])],
        [text('authData'), bytes(data)],
      ])
      return JSON.stringify({
        ...{ id, rawId: id, type: 'public-key' },
        response: {
          clientDataJSON: clientData('webauthn.create', options, lie),
          attestationObject: toText(attestationObject),
          transports: ['internal'],
        },
      })
    },
    use(options, lie = {}, key = keys.at(-1)) {
      if (key === undefined) throw new Error('the authenticator has no key')
      if (isCounting) key.signCount += 1
      const clientDataJSON = clientData('webauthn.get', options, lie)
      const data = authenticatorData(options.rpId ?? '', key.signCount, lie)
      const signed = Buffer.concat([data, sha256(Buffer.from(clientDataJSON, 'base64url'))])
      const signature = sign('sha256', lie.isForged === true ? randomBytes(32) : signed, key.privateKey)
      const userHandle = lie.userHandle === undefined ? key.handle : lie.userHandle
      return JSON.stringify({
        ...{ id: key.id, rawId: key.id, type: 'public-key' },
        response: {
          clientDataJSON,
          authenticatorData: toText(data),
          signature: toText(signature),
          ...(userHandle !== null && { userHandle }),
        },
      })
    },
  }
}

/** What the page with the form asks of a browser; undefined where it has no such form. */
export function askedOn(html: string): Asked | undefined {
  const [, json] = /data-options="([^"]*)"/.exec(html) ?? []
  return json === undefined ? undefined : JSON.parse(json.replaceAll('&quot;', '"').replaceAll('&amp;', '&'))
}

// CBOR (RFC 8949), as much of it as an authenticator writes.

function head(major: number, value: number): Buffer {
  if (value < 24) return Buffer.from([(major << 5) | value])
  if (value < 256) return Buffer.from([(major << 5) | 24, value])
  return Buffer.from([(major << 5) | 25, value >> 8, value & 0xff])
}

function int(value: number): Buffer {
  return value < 0 ? head(1, -1 - value) : head(0, value)
}

function bytes(value: Buffer): Buffer {
  return Buffer.concat([head(2, value.length), value])
}

function text(value: string): Buffer {
  return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)])
}

function map(entries: readonly (readonly [Buffer, Buffer])[]): Buffer {
  return Buffer.concat([head(5, entries.length), ...entries.flat()])
}

function sha256(data: Buffer): Buffer {
  return createHash('sha256').update(data).digest()
}

function toText(data: Buffer): string {
  return data.toString('base64url')
}
