import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createClient } from '@portico/sdk'
import { given, masterKeys, withPostgres, type Key } from '../cli/portico-given.js'
import { program } from '../cli/portico.js'
import { atFileEnd } from '../file-end.js'
import { anything, givenOf } from '../given/given.js'
import type { ReceiverIdentity } from '../given/receiver.js'
import { scimProvider } from '../given/scim-given.js'

const baseUrl = 'https://auth.example.com'

/** Runs a command of a version as a process. @returns Its answer as JSON. */
export type RunCommand = <Answer>(args: readonly string[], of?: string) => Promise<Answer>

/** An empty database, the settings of a production on it, and its commands. */
export async function productionOnADatabase() {
  const certificate = selfSigned()
  const settings = {
    ...(await given.database()),
    MASTER_KEYS: masterKeys,
    BASE_URL: baseUrl,
    TRUSTED_PROXIES: '127.0.0.1',
    SMTP_URL: 'smtp://localhost',
    OUTBOUND_ALLOW: '127.0.0.0/8',
    SCIM_RATE_PER_SECOND: '1000000',
    MAILS_PER_IP: '1000000',
    // A code is exchanged twice in each sign-in of the load.
    FAILED_GRANTS_PER_MINUTE: '1000000',
    NODE_EXTRA_CA_CERTS: certificate.file,
  }
  const run: RunCommand = async <Answer>(args: readonly string[], of = program) => {
    const env = { PATH: process.env.PATH, ...settings }
    const ran = promisify(execFile)(process.execPath, [of, ...args, '--json'], { env, maxBuffer: 1e8 })
    // A failure has the output of the command, too: doctor ends with 1 and says why.
    const { stdout, stderr } = await ran.catch(
      (error: unknown) => error as { stdout: string; stderr: string },
    )
    if (stdout === '') throw new Error(`portico ${args.join(' ')}: ${stderr}`)
    // The test asserts its form.
    return JSON.parse(stdout) as Answer
  }
  return { settings, certificate, run, url: settings.DATABASE_URL }
}

/** A key and a certificate for 127.0.0.1, and the file of the certificate. */
function selfSigned(): ReceiverIdentity & { readonly file: string } {
  const home = mkdtempSync(join(tmpdir(), 'portico-upgrade-'))
  atFileEnd(() => rmSync(home, { recursive: true, force: true }))
  const [key, cert] = [join(home, 'key.pem'), join(home, 'cert.pem')]
  const made = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-keyout', key, '-out', cert]
  const names = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1']
  execFileSync('openssl', [...made, ...names], { stdio: 'ignore' })
  return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8'), file: cert }
}

/** An account that the commands of the version before make, and in it what the load needs. */
export async function givenAccount(run: RunCommand, of: string, fetch: typeof globalThis.fetch) {
  const { domain } = await run<{ domain: string }>(
    ['account', 'create', 'Upgraded', '--plan', 'unlimited'],
    of,
  )
  const named = ['--account', domain, '--environment', 'sandbox', '--name', 'Load']
  const { client_id: clientId, client_secret: clientSecret } = await run<Key>(
    ['api-key', 'create', ...named],
    of,
  )
  const client = createClient({ baseUrl, domain, clientId, clientSecret, fetch, maxRetries: 0 })
  const given = givenOf(client)
  const { domain: org_domain } = await given.organization()
  const application = await given.application({ org_domain, organization_domain_scope: org_domain })
  const directory = await client.directorySync.create({ org_domain, provider_type: 'custom_scim' })
  const secret = directory.auth_secret_token.value ?? ''
  const scim = scimProvider(directory.scim_base_url, secret, fetch)
  return { client, org_domain, client_id: application.id, scim }
}

/** Adds users to an organization of their own, by a statement: through the API it would take minutes. */
export async function addOtherUsers(url: string, client: ReturnType<typeof createClient>, count: number) {
  const { domain: org_domain } = await client.organizations.create({ name: `Other ${anything()}` })
  const { id } = await client.users.create({ org_domain, email: `first@${anything()}.example` })
  await withPostgres(url, async (db) => {
    const { rows } = await db.query<{ columns: string }>(
      `select string_agg(quote_ident(attname), ', ' order by attnum) as columns from pg_attribute
       where attrelid = 'users'::regclass and attnum > 0 and not attisdropped
         and attname not in ('id', 'email', 'email_normalized')`,
    )
    const columns = rows[0]?.columns ?? ''
    await db.query(
      `insert into users (id, email, email_normalized, ${columns})
       select gen_random_uuid(), 'n' || n || '@other.example', 'n' || n || '@other.example', ${columns}
       from users cross join generate_series(1, ${count}) n where id = $1`,
      [id],
    )
  })
}
