import { execFile } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { promisify } from 'node:util'

/** An authenticator app, which knows only the key URI. */
export interface Authenticator {
  /** The key URI's secret, in base32. */
  readonly secret: string
  /** The code shown at a time. */
  codeAt(time: Date): string
}

/** Implements RFC 6238 and RFC 4226 independently, so that the service's library is not tested against itself. */
export function readKeyUri(uri: string): Authenticator {
  const { searchParams } = new URL(uri)
  const secret = searchParams.get('secret') ?? ''
  const period = Number(searchParams.get('period'))
  const digits = Number(searchParams.get('digits'))
  const key = fromBase32(secret)
  return {
    secret,
    codeAt(time) {
      const counter = Buffer.alloc(8)
      counter.writeBigUInt64BE(BigInt(Math.floor(time.getTime() / 1000 / period)))
      const digest = createHmac('sha1', key).update(counter).digest()
      const offset = digest.readUInt8(digest.length - 1) & 0xf
      const number = (digest.readUInt32BE(offset) & 0x7fffffff) % 10 ** digits
      return String(number).padStart(digits, '0')
    },
  }
}

/** RFC 4648 section 6, without padding. */
function fromBase32(text: string): Buffer {
  const bits = [...text].map((character) =>
    'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(character).toString(2).padStart(5, '0'),
  )
  const bytes = bits.join('').match(/.{8}/g) ?? []
  return Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2)))
}

/** The code that oathtool computes for a secret at a time. */
export async function oathtoolCode(secret: string, time: Date): Promise<string> {
  const at = `@${Math.floor(time.getTime() / 1000)}`
  const { stdout } = await promisify(execFile)('oathtool', ['--totp', '--base32', '--now', at, secret])
  return stdout.trim()
}
