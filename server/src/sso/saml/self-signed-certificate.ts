import { randomBytes, sign, type KeyObject } from 'node:crypto'

/** The subject and the validity of a certificate. */
interface CertificateContent {
  /** At most 64 characters (RFC 5280, appendix A.1, ub-common-name). */
  readonly commonName: string
  readonly notBefore: Date
  readonly notAfter: Date
  /** Of RSA. */
  readonly publicKey: KeyObject
  readonly privateKey: KeyObject
}

/** A self-signed certificate, PEM (RFC 5280 section 4.1). Identity providers keep our key in one, and compare nothing else. */
export function selfSignedCertificate(content: CertificateContent): string {
  const { commonName, notBefore, notAfter, publicKey, privateKey } = content
  if (commonName === '' || commonName.length > 64) throw new Error('a common name has 1 to 64 characters')
  const name = sequence(set(sequence(oid.commonName, element(0x0c, Buffer.from(commonName, 'utf8')))))
  const toBeSigned = sequence(
    element(0xa0, integer(Buffer.from([2]))),
    integer(randomSerial()),
    sha256WithRsa,
    name,
    sequence(time(notBefore), time(notAfter)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    element(0xa3, sequence(basicConstraints, keyUsage)),
  )
  const der = sequence(toBeSigned, sha256WithRsa, bitString(sign('sha256', toBeSigned, privateKey)))
  const lines = der.toString('base64').match(/.{1,64}/g) ?? []
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n')
}

/** A tag, the length of the content, and the content (X.690 section 8.1). */
function element(tag: number, content: Buffer): Buffer {
  const length = content.length
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}

function sequence(...parts: Buffer[]): Buffer {
  return element(0x30, Buffer.concat(parts))
}

function set(...parts: Buffer[]): Buffer {
  return element(0x31, Buffer.concat(parts))
}

/** A number whose first byte is below 0x80, so that it is positive. */
function integer(bytes: Buffer): Buffer {
  return element(0x02, bytes)
}

function bitString(bytes: Buffer): Buffer {
  return element(0x03, Buffer.concat([Buffer.from([0]), bytes]))
}

/** A positive number of 16 bytes, the first of them not zero. */
function randomSerial(): Buffer {
  const bytes = randomBytes(16)
  bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x40
  return bytes
}

/** GeneralizedTime from 2050 on, UTCTime before (RFC 5280 section 4.1.2.5). */
function time(at: Date): Buffer {
  const digits = `${at.toISOString().slice(0, 19).replace(/\D/g, '')}Z`
  return at.getUTCFullYear() < 2050
    ? element(0x17, Buffer.from(digits.slice(2)))
    : element(0x18, Buffer.from(digits))
}

const oid = {
  commonName: Buffer.from('0603550403', 'hex'),
  sha256WithRsa: Buffer.from('06092a864886f70d01010b', 'hex'),
  basicConstraints: Buffer.from('0603551d13', 'hex'),
  keyUsage: Buffer.from('0603551d0f', 'hex'),
}

const critical = Buffer.from('0101ff', 'hex')
const sha256WithRsa = sequence(oid.sha256WithRsa, Buffer.from('0500', 'hex'))

/** An empty sequence: not a certificate authority. */
const basicConstraints = sequence(oid.basicConstraints, critical, element(0x04, sequence()))

/** digitalSignature and keyEncipherment, bits 0 and 2; five bits of the byte are not used. */
const keyUsage = sequence(oid.keyUsage, critical, element(0x04, element(0x03, Buffer.from([5, 0b1010_0000]))))
