// How a delivery is signed, and how its receiver checks that: both in one file, so that they cannot drift. It needs
// Web Crypto and nothing else, so that a receiver runs anywhere.

/** What of a delivery is signed. */
export interface SignedMessage {
  /** The same in every attempt: the id of the event. */
  readonly id: string
  /** When it is sent, in seconds since 1970. */
  readonly timestamp: number
  /** The body exactly as it is sent. */
  readonly body: string
}

export interface SignatureKeys {
  readonly current: string
  /** The key before the last rotation, while it signs too. */
  readonly previous?: string | undefined
}

export type SignatureHeaders = Readonly<
  Record<'service-signature' | 'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string>
>

/** Makes a signature_key of 32 bytes, random unless they are given, in the form of Standard Webhooks. */
export function newSignatureKey(bytes = crypto.getRandomValues(new Uint8Array(32))): string {
  return keyPrefix + toBase64(bytes)
}

/** Takes a key, and makes the HMAC-SHA-256 of texts under it. */
export type Mac = (key: Uint8Array<ArrayBuffer>) => (text: string) => Promise<Uint8Array>

/**
 * Signs deliveries of one webhook: the service's own header, and beside it those of Standard Webhooks. Keep the signer
 * where there are many: to import the keys takes twice as long as to sign.
 *
 * @param mac Web Crypto's unless given, which runs anywhere; what a runtime has of its own may be faster.
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

/** What a service-signature header says. */
export interface SignatureHeader {
  /** Seconds since 1970. */
  readonly timestamp: number
  /** By the current key, and by the previous one while it signs too. */
  readonly signatures: readonly Uint8Array<ArrayBuffer>[]
}

/** Several times as long as one with two signatures. */
const maxHeaderLength = 1_000

/** Reads a service-signature header; undefined when it is not one. Versions of signatures that are not known are skipped. */
export function parseSignatureHeader(header: string): SignatureHeader | undefined {
  // Before anything is done for each of its parts: whoever sends it may be anybody.
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

/** Whether one of these keys made one of the signatures of a body, compared in constant time. */
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

/** base64url, as signatures are sent, or the hexadecimal that others show; undefined for anything else. */
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

/** The key of Standard Webhooks: what follows the prefix, decoded. */
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
