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

/** Where Debian has SimpleSAMLphp, an identity provider that other people have written. */
const simpleSamlRoot = '/usr/share/simplesamlphp/www'
export const hasSimpleSaml =
  ['simplesamlphp', 'php-xml', 'php-mbstring'].every(hasPackage) && hasTool('php') && hasTool('openssl')

/** A service provider that it knows, and what it sends to it. */
export interface KnownServiceProvider {
  /** As the service provider gives them out; it reads them itself. */
  readonly metadata: string
  /** By AES-128-CBC, the one cipher that it uses with a certificate. */
  readonly encrypts?: boolean
  readonly signsResponse?: boolean
  readonly signsAssertion?: boolean
}

/** A form that it gives a browser to post: its response, and where to. */
export interface PostedResponse {
  readonly action: string
  readonly samlResponse: string
}

export interface SimpleSaml {
  readonly entityId: string
  readonly baseUrl: string
  /** Its metadata, as it gives them to whoever asks. */
  metadata(): Promise<string>
  /** Makes these the service providers that it knows; it knew others before, and knows them no more. */
  trust(providers: readonly KnownServiceProvider[]): Promise<void>
  /** Goes to an address there, signs in as a user of its own, and gives what the browser is told to post. */
  signIn(url: string, user?: { readonly name: string; readonly password: string }): Promise<PostedResponse>
  /** Where a sign-in begins that nobody has asked for. */
  unsolicitedUrl(entityId: string): string
  stop(): Promise<void>
}

/** Whom it knows, and under which password. */
export const simpleSamlUser = { name: 'ada', password: 'a-password-of-hers', email: 'ada@awesome.example' }

/** Starts it as a process of its own, with a key of its own, at a free port of this machine. */
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
    // Its workers are processes of its group.
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

/** The value of a form's hidden field; the page without it is what went wrong. */
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
