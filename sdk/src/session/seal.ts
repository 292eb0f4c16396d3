import { base64urlOf, bytesOf } from '../base64url.js'

/** Encrypts what a browser keeps, so that nobody else can read, change or make it. */
export interface Sealer {
  /** @param place What it is sealed for, such as the name of a cookie: it opens nowhere else. */
  seal(value: unknown, place: string): Promise<string>
  /** The value; undefined for what none of the secrets has sealed for this place. */
  open(text: string, place: string): Promise<unknown>
}

interface SealingKey {
  readonly id: string
  readonly key: CryptoKey
}

const nonceBytes = 12

/**
 * AES-256-GCM with a random nonce for each value, as `v1.<key id>.<nonce and ciphertext>`.
 *
 * @param secrets The first one seals, each of them opens.
 * @param owner What tells this application from others with the same secret: their values do not open.
 */
export function createSealer(secrets: readonly string[], owner: readonly string[]): Sealer {
  let derived: Promise<readonly SealingKey[]> | undefined
  const keys = () => (derived ??= Promise.all(secrets.map(toKey)))
  const parametersOf = (iv: BufferSource, place: string) => ({
    name: 'AES-GCM',
    iv,
    additionalData: bytesOfText(JSON.stringify([place, ...owner])),
  })

  return {
    async seal(value, place) {
      const [current] = await keys()
      if (current === undefined) throw new TypeError('there is no secret to seal with')
      const nonce = crypto.getRandomValues(new Uint8Array(nonceBytes))
      const plain = bytesOfText(JSON.stringify(value))
      const sealed = await crypto.subtle.encrypt(parametersOf(nonce, place), current.key, plain)
      const bytes = new Uint8Array(nonceBytes + sealed.byteLength)
      bytes.set(nonce)
      bytes.set(new Uint8Array(sealed), nonceBytes)
      return `v1.${current.id}.${base64urlOf(bytes)}`
    },
    async open(text, place) {
      const [, id, sealed = ''] = /^v1\.([\w-]{4})\.([\w-]+)$/.exec(text) ?? []
      const bytes = bytesOf(sealed)
      // Two secrets may have the same id.
      const candidates = (await keys()).filter((candidate) => candidate.id === id)
      if (bytes === undefined) return undefined
      for (const { key } of candidates) {
        try {
          const parameters = parametersOf(bytes.subarray(0, nonceBytes), place)
          const plain = await crypto.subtle.decrypt(parameters, key, bytes.subarray(nonceBytes))
          return JSON.parse(new TextDecoder().decode(plain)) as unknown
        } catch {
          // Sealed by another secret, for another place, or changed.
        }
      }
      return undefined
    },
  }
}

/** Key and id of a secret, both by HKDF-SHA-256 (RFC 5869), so that the id tells nothing of the key. */
async function toKey(secret: string): Promise<SealingKey> {
  const material = await crypto.subtle.importKey('raw', bytesOfText(secret), 'HKDF', false, ['deriveBits'])
  const parameters = {
    name: 'HKDF',
    hash: 'SHA-256',
    salt: new Uint8Array(0),
    info: bytesOfText('portico session v1'),
  }
  const bits = new Uint8Array(await crypto.subtle.deriveBits(parameters, material, 280))
  const key = await crypto.subtle.importKey('raw', bits.subarray(0, 32), 'AES-GCM', false, [
    'encrypt',
    'decrypt',
  ])
  return { id: base64urlOf(bits.subarray(32)), key }
}

function bytesOfText(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text)
}
