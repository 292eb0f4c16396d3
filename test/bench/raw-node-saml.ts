import { readFileSync } from 'node:fs'
import { SAML } from '@node-saml/node-saml'
import { repeat } from './raw.js'

// Validates the responses of a file of writeRequests() one after the other for some seconds, and prints what it took.

const [requestsFile = '', idpCert = '', seconds = '1'] = process.argv.slice(2)
const verifier = new SAML({
  callbackUrl: 'unused',
  issuer: 'unused',
  idpCert,
  audience: false,
  wantAuthnResponseSigned: false,
  wantAssertionsSigned: true,
})
const bodies = readFileSync(requestsFile, 'utf8')
  .trimEnd()
  .split('\n')
  // The form of row-saml.ts.
  .map((line) => JSON.parse(line.split('\t')[3] ?? '') as { SAMLResponse: string })
let turn = 0

async function validate(): Promise<void> {
  turn += 1
  const { profile } = await verifier.validatePostResponseAsync(bodies[turn % bodies.length] ?? {})
  if (profile === null) throw new Error('the response names nobody')
}

// Until V8 has compiled what it runs.
await repeat(3, 1, validate)
process.stdout.write(`${JSON.stringify(await repeat(Number(seconds), 1, validate))}\n`)
