// Signing and verification of deliveries, in one file so that they cannot drift. Web Crypto is the only dependency, so
// that receivers run anywhere.

/** The signed parts of a delivery. */
export interface SignedMessage {
  /** The id of the event: the same in every attempt. */
  readonly id: string
  /** Time of sending, in seconds since 1970. */
  readonly timestamp: number
  /** The body exactly as it is sent. */
  readonly body: string
}

export interface SignatureKeys {
  readonly current: string
  /** The key before the last rotation, while both sign. */
  readonly previous?: string | undefined
}

export type SignatureHeaders = Readonly<
  Record<'service-signature' | 'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string>
>

/** Makes a signature_key of 32 bytes, random by default, in the format of Standard Webhooks. */
export function newSignatureKey(bytes = crypto.getRandomValues(new Uint8Array(32))): string {
  return keyPrefix + toBase64(bytes)
}

/** Given a key, returns a function that computes the HMAC-SHA-256 of a text. */
export type Mac = (key: Uint8Array<ArrayBuffer>) => (text: string) => Promise<Uint8Array>

/**
 * Signs deliveries of one webhook: the service's own header, and those of Standard Webhooks. Reuse the signer:
 * importing the keys takes twice as long as signing.
 *
 * @param mac Web Crypto's by default, which runs anywhere; a native one may be faster.
 */
export function createSigner(
  { current, previous }: SignatureKeys,
  mac: Mac = webCryptoMac,
): (message: SignedMessage) => Promise<SignatureHeaders> {
  const keys = previous === undefined ? [current] : [current, previous]
  const own = keys.map((key) => mac(textBytes(key)))
  const standard = keys.map((key) => mac(standardKeyBytes(key)))
  return async ({ id, timestamp, body }) => {
    const ownSignatures = await Promise.all(own.map((sign) => sign(`${timestamp}.${body}`)))
    const standardSignatures = await Promise.all(standard.map((sign) => sign(`${id}.${timestamp}.${body}`)))
    return {
      'service-signature': [
        `t=${timestamp}`,
        ...ownSignatures.map((signature, index) => `v${1 - index}=sha256.${toBase64Url(signature)}`),
      ].join(','),
      'webhook-id': id,
      'webhook-timestamp': `${timestamp}`,
      'webhook-signature': standardSignatures.map((signature) => `v1,${toBase64(signature)}`).join(' '),
    }
  }
}

/** The headers of one delivery. */
export async function signatureHeaders(
  message: SignedMessage,
  keys: SignatureKeys,
): Promise<SignatureHeaders> {
  return createSigner(keys)(message)
}

/** The content of a service-signature header. */
export interface SignatureHeader {
  /** Seconds since 1970. */
  readonly timestamp: number
  /** By the current key, and by the previous one while both sign. */
  readonly signatures: readonly Uint8Array<ArrayBuffer>[]
}

/** In characters; several times the length of a header with two signatures. */
const maxHeaderLength = 1_000

/** Parses a service-signature header; undefined when it is malformed. Unknown signature versions are skipped. */
export function parseSignatureHeader(header: string): SignatureHeader | undefined {
  // Bounds the work before parsing: the sender is not authenticated yet.
  if (header.length > maxHeaderLength) return undefined
  const members = new Map(
    header.split(',').map((member) => {
      const [name = '', ...value] = member.trim().split('=')
      return [name, value.join('=')]
    }),
  )
  const timestamp = members.get('t') ?? ''
  const signatures = ['v1', 'v0'].flatMap((version) => signatureBytes(members.get(version)) ?? [])
  if (!/^\d{1,12}$/.test(timestamp) || signatures.length === 0) return undefined
  return { timestamp: Number(timestamp), signatures }
}

/** Whether one of the signatures of a body is by one of these keys, compared in constant time. */
export async function isSignedBy(
  keys: readonly string[],
  { timestamp, signatures }: SignatureHeader,
  body: Uint8Array,
): Promise<boolean> {
  const prefix = textBytes(`${timestamp}.`)
  const message = new Uint8Array(prefix.length + body.length)
  message.set(prefix)
  message.set(body, prefix.length)
  const fits = await Promise.all(
    keys.flatMap((key) => {
      const imported = importKey(textBytes(key))
      return signatures.map(async (signature) =>
        crypto.subtle.verify('HMAC', await imported, signature, message),
      )
    }),
  )
  return fits.includes(true)
}

const keyPrefix = 'whsec_'

/** Whether a text has the form of a signature key: the prefix, and 32 bytes in base64. */
export function isSignatureKey(text: string): boolean {
  return /^whsec_[A-Za-z\d+/]{43}=$/.test(text)
}

/** Decodes base64url, the format of the header, or hexadecimal, as other tools print it; undefined for anything else. */
function signatureBytes(value = ''): Uint8Array<ArrayBuffer> | undefined {
  const [, base64url, hexadecimal] = /^sha256\.(?:([\w-]{43})=?|([\da-f]{64}))$/i.exec(value) ?? []
  if (base64url !== undefined) return fromBase64(base64url.replaceAll('-', '+').replaceAll('_', '/'))
  if (hexadecimal === undefined) return undefined
  return Uint8Array.from(hexadecimal.match(/../g) ?? [], (pair) => parseInt(pair, 16))
}

function webCryptoMac(key: Uint8Array<ArrayBuffer>) {
  const imported = importKey(key)
  return async (text: string) =>
    new Uint8Array(await crypto.subtle.sign('HMAC', await imported, textBytes(text)))
}

function importKey(bytes: Uint8Array<ArrayBuffer>) {
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify'])
}

function textBytes(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text)
}

/** The key of Standard Webhooks: the decoded text after the prefix. */
function standardKeyBytes(key: string): Uint8Array<ArrayBuffer> {
  return fromBase64(key.replace(keyPrefix, ''))
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
}

function toBase64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
}

function toBase64Url(bytes: Uint8Array): string {
  return toBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replace(/=$/, '')
}
