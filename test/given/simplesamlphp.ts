import { execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { hasPackage, hasTool } from '../debian-tools.js'
import { freePort } from './free-port.js'
import { createVisitor } from './visitor.js'

const run = promisify(execFile)

/** Path of SimpleSAMLphp, a third-party identity provider, on Debian. */
const simpleSamlRoot = '/usr/share/simplesamlphp/www'
export const hasSimpleSaml =
  ['simplesamlphp', 'php-xml', 'php-mbstring'].every(hasPackage) && hasTool('php') && hasTool('openssl')

/** A registered service provider, and the settings of its assertions. */
export interface KnownServiceProvider {
  /** The published metadata of the service provider, which SimpleSAMLphp parses. */
  readonly metadata: string
  /** Encrypts assertions with AES-128-CBC, its only cipher with a certificate. */
  readonly encrypts?: boolean
  readonly signsResponse?: boolean
  readonly signsAssertion?: boolean
}

/** The form that a browser is to post: the response and its target. */
export interface PostedResponse {
  readonly action: string
  readonly samlResponse: string
}

export interface SimpleSaml {
  readonly entityId: string
  readonly baseUrl: string
  /** The published metadata. */
  metadata(): Promise<string>
  /** Replaces the registered service providers. */
  trust(providers: readonly KnownServiceProvider[]): Promise<void>
  /** Opens a URL of the identity provider, signs in as one of its users, and returns the form to post. */
  signIn(url: string, user?: { readonly name: string; readonly password: string }): Promise<PostedResponse>
  /** The URL that starts an IdP-initiated sign-in. */
  unsolicitedUrl(entityId: string): string
  stop(): Promise<void>
}

/** Its user, with the password. */
export const simpleSamlUser = { name: 'ada', password: 'a-password-of-hers', email: 'ada@awesome.example' }

/** Starts SimpleSAMLphp in a process of its own, with its own key, on a free port of this machine. */
export async function startSimpleSaml(): Promise<SimpleSaml> {
  const folder = await mkdtemp(join(tmpdir(), 'portico-simplesaml-'))
  const port = await freePort()
  const baseUrl = `http://127.0.0.1:${port}`
  for (const name of ['cert', 'log', 'data', 'tmp', 'sessions', 'metadata'])
    await mkdir(join(folder, name), { recursive: true })
  const pair = ['-keyout', join(folder, 'cert/idp.key'), '-out', join(folder, 'cert/idp.crt')]
  await run('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=idp.example', ...pair])
  await writeFile(join(folder, 'config.php'), configuration(folder, baseUrl))
  await writeFile(join(folder, 'authsources.php'), users())
  await writeFile(join(folder, 'metadata/saml20-idp-hosted.php'), identityProvider(baseUrl))
  const trust = (providers: readonly KnownServiceProvider[]) =>
    writeFile(join(folder, 'metadata/saml20-sp-remote.php'), serviceProviders(providers))
  await trust([])

  const server = spawn('php', ['-d', 'opcache.enable=0', '-S', `127.0.0.1:${port}`, '-t', simpleSamlRoot], {
    env: { ...process.env, SIMPLESAMLPHP_CONFIG_DIR: folder, PHP_CLI_SERVER_WORKERS: '2' },
    stdio: 'ignore',
    detached: true,
  })
  const stop = async () => {
    // Its workers are in its process group.
    if (server.pid !== undefined && server.exitCode === null) process.kill(-server.pid, 'SIGTERM')
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
  const metadata = async () => (await fetch(`${baseUrl}/saml2/idp/metadata.php`)).text()
  try {
    await waitUntil(metadata)
  } catch (error) {
    await stop()
    throw error
  }

  return {
    entityId: `${baseUrl}/idp`,
    baseUrl,
    metadata,
    trust,
    async signIn(url, { name, password } = simpleSamlUser) {
      const visitor = createVisitor(baseUrl)
      const login = await visitor.visit(url)
      const authState = valueOf(login.html, 'AuthState')
      const body = new URLSearchParams({ username: name, password, AuthState: authState })
      const told = await visitor.request(login.url, { method: 'POST', body })
      const done = told.location === null ? told : await visitor.visit(told.location)
      const action = /<form[^>]* action="([^"]*)"/.exec(done.html)?.[1] ?? ''
      return { action: unescaped(action), samlResponse: valueOf(done.html, 'SAMLResponse') }
    },
    unsolicitedUrl: (entityId) =>
      `${baseUrl}/saml2/idp/SSOService.php?spentityid=${encodeURIComponent(entityId)}`,
    stop,
  }
}

/** The value of a form's hidden field; throws with the page if it is missing. */
function valueOf(html: string, name: string): string {
  const field = new RegExp(`<input[^>]* name="${name}"[^>]*>`).exec(html)?.[0] ?? ''
  const value = / value="([^"]*)"/.exec(field)?.[1]
  if (value === undefined)
    throw new Error(`no field ${name} in ${html.replace(/<[^>]+>|\s+/g, ' ').slice(0, 2000)}`)
  return unescaped(value)
}

function unescaped(text: string): string {
  return text
    .replaceAll('&quot;', '"')
    .replaceAll('&#039;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&amp;', '&')
}

async function waitUntil(isUp: () => Promise<string>): Promise<void> {
  for (let tries = 0; tries < 100; tries += 1) {
    const answer = await isUp().catch(() => '')
    if (answer.includes('EntityDescriptor')) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error(`SimpleSAMLphp has not started: ${(await isUp().catch(String)).slice(0, 2000)}`)
}

function configuration(folder: string, baseUrl: string): string {
  return php(`$config = [
    'baseurlpath' => ${text(`${baseUrl}/`)},
    'certdir' => ${text(`${folder}/cert/`)},
    'loggingdir' => ${text(`${folder}/log/`)},
    'datadir' => ${text(`${folder}/data/`)},
    'tempdir' => ${text(`${folder}/tmp`)},
    'metadatadir' => ${text(`${folder}/metadata`)},
    'metadata.sources' => [['type' => 'flatfile']],
    'session.phpsession.savepath' => ${text(`${folder}/sessions`)},
    'session.cookie.secure' => false,
    'language.cookie.secure' => false,
    'store.type' => 'phpsession',
    'logging.handler' => 'file',
    'secretsalt' => ${text(randomBytes(16).toString('hex'))},
    'auth.adminpassword' => ${text(randomBytes(16).toString('hex'))},
    'timezone' => 'UTC',
    'enable.saml20-idp' => true,
    'module.enable' => ['exampleauth' => true, 'core' => true, 'saml' => true],
    'technicalcontact_email' => 'nobody@idp.example',
    'trusted.url.domains' => [],
    'authproc.idp' => [],
];`)
}

function users(): string {
  const { name, password, email } = simpleSamlUser
  return php(`$config = ['users' => ['exampleauth:UserPass',
    ${text(`${name}:${password}`)} => ['email' => [${text(email)}], 'first_name' => ['Ada']],
]];`)
}

function identityProvider(baseUrl: string): string {
  return php(`$metadata[${text(`${baseUrl}/idp`)}] = [
    'host' => '__DEFAULT__', 'privatekey' => 'idp.key', 'certificate' => 'idp.crt', 'auth' => 'users',
    'signature.algorithm' => 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
];`)
}

function serviceProviders(providers: readonly KnownServiceProvider[]): string {
  return php(
    providers
      .map(
        ({
          metadata,
          ...sends
        }) => `$read = \\SimpleSAML\\Metadata\\SAMLParser::parseString(${text(metadata)});
$metadata[$read->getEntityId()] = [
    'simplesaml.nameidattribute' => 'email',
    'validate.authnrequest' => true,
    'saml20.sign.response' => ${sends.signsResponse ?? true},
    'saml20.sign.assertion' => ${sends.signsAssertion ?? true},
    'assertion.encryption' => ${sends.encrypts ?? false},
] + $read->getMetadata20SP();`,
      )
      .join('\n'),
  )
}

function php(code: string): string {
  return `<?php\n${code}\n`
}

function text(value: string): string {
  return `'${value.replace(/[\\']/g, '\\$&')}'`
}
