import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { hasTool } from '../../debian-tools.js'

const run = promisify(execFile)

/** Whether the programs are there with which documents are signed and encrypted that we are to refuse, or to take. */
export const hasXmlsec = hasTool('xmlsec1') && hasTool('openssl')

/** A key of openssl's making, and its certificate: PEM, and where the files are. */
export interface OpensslKey {
  readonly certificate: string
  readonly keyFile: string
  readonly certificateFile: string
}

/** xmlsec1 and openssl, which know nothing of our code, in a folder of their own. */
export interface Xmlsec {
  key(subject: string, algorithm?: readonly string[]): Promise<OpensslKey>
  /** A key whose certificate another one has issued. */
  issuedBy(issuer: OpensslKey, subject: string): Promise<OpensslKey>
  /** Fills the first template of a signature in a document. */
  sign(xml: string, key: OpensslKey): Promise<string>
  /** As anybody can who has the public key: it is the secret of an HMAC. */
  signByHmac(xml: string, secret: string): Promise<string>
  /** The template of an EncryptedData, filled with the content. */
  encrypt(template: string, content: string, certificate: string, sessionKey: string): Promise<string>
  /** Whether the one signature of a document verifies. */
  verifies(xml: string, certificate: string, element: string): Promise<boolean>
  remove(): Promise<void>
}

/** Makes the folder; `remove()` takes it away. */
export async function startXmlsec(): Promise<Xmlsec> {
  const folder = await mkdtemp(join(tmpdir(), 'portico-xmlsec-'))
  const store = async (name: string, content: string) => {
    const file = join(folder, `${randomUUID()}-${name}`)
    await writeFile(file, content)
    return file
  }
  const ids = ['Response', 'Assertion', 'Subject'].flatMap((name) => ['--id-attr:ID', name])

  return {
    async key(subject, algorithm = ['rsa:2048']) {
      const keyFile = join(folder, `${randomUUID()}.key`)
      const certificateFile = `${keyFile}.crt`
      const request = ['req', '-x509', '-nodes', '-days', '30', '-subj', `/CN=${subject}`]
      const [kind = '', ...options] = algorithm
      const made = ['-newkey', kind, ...options, '-keyout', keyFile, '-out', certificateFile]
      await run('openssl', [...request, ...made])
      return { keyFile, certificateFile, certificate: await readFile(certificateFile, 'utf8') }
    },
    async issuedBy(issuer, subject) {
      const keyFile = join(folder, `${randomUUID()}.key`)
      const certificateFile = `${keyFile}.crt`
      const requestFile = `${keyFile}.csr`
      const request = ['req', '-new', '-newkey', 'rsa:2048', '-nodes', '-subj', `/CN=${subject}`]
      await run('openssl', [...request, '-keyout', keyFile, '-out', requestFile])
      const authority = ['-CA', issuer.certificateFile, '-CAkey', issuer.keyFile, '-set_serial', '7']
      await run('openssl', ['x509', '-req', '-in', requestFile, ...authority, '-out', certificateFile])
      return { keyFile, certificateFile, certificate: await readFile(certificateFile, 'utf8') }
    },
    async sign(xml, key) {
      const file = await store('template.xml', xml)
      const pair = `${key.keyFile},${key.certificateFile}`
      return (await run('xmlsec1', ['--sign', '--privkey-pem', pair, ...ids, file])).stdout
    },
    async signByHmac(xml, secret) {
      const file = await store('template.xml', xml)
      const secretFile = await store('secret', secret)
      return (await run('xmlsec1', ['--sign', '--hmackey', secretFile, ...ids, file])).stdout
    },
    async encrypt(template, content, certificate, sessionKey) {
      const templateFile = await store('encryption.xml', template)
      const contentFile = await store('content.xml', content)
      const certificateFile = await store('recipient.crt', certificate)
      const keys = ['--pubkey-cert-pem', certificateFile, '--session-key', sessionKey]
      const files = ['--binary-data', contentFile, templateFile]
      return withoutDeclaration((await run('xmlsec1', ['--encrypt', ...keys, ...files])).stdout)
    },
    async verifies(xml, certificate, element) {
      const file = await store('signed.xml', xml)
      const certificateFile = await store('signer.crt', certificate)
      const id = ['--id-attr:ID', element]
      return run('xmlsec1', ['--verify', '--pubkey-cert-pem', certificateFile, ...id, file]).then(
        () => true,
        () => false,
      )
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}

/** The document alone, as it can stand within another. */
export function withoutDeclaration(xml: string): string {
  return xml.replace(/^<\?xml[^>]*\?>\s*/, '').trim()
}
