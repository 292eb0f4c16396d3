import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createVerifier } from '@portico/sdk'
import { afterAll, describe, expect, test } from 'vitest'
import { startService } from '../given/harness.js'
import { codeGivenOf, exchange, type CodeGiven } from '../protocols/code-given.js'
import { longTest, sampled } from '../sampled.js'
import { bundler, compile, packedConsumer, root } from '../clients/sdk/packed.js'
import { givenFolder, portico, porticoJson, type Outcome } from './portico.js'

const service = await startService()
const client = await service.client()
const given = codeGivenOf(service, client)
const consumer = await packedConsumer()

afterAll(() => consumer.remove())

function types(...args: string[]): Promise<Outcome> {
  return portico(['types', ...args], variables())
}

function variables(): Record<string, string> {
  return { DATABASE_URL: service.databaseUrl, MASTER_KEYS: service.masterKeys }
}

const keys = {
  employee_number: 'integer',
  score: 'float',
  is_guest: 'boolean',
  'cost center': 'string',
  born: 'date',
  seen: 'datetime',
  badge: 'url',
  boss: 'email',
  settings: 'json',
} as const

/** An organization with a key of every type, in reverse alphabetical order. */
async function givenKeys(org_domain: string): Promise<void> {
  for (const [name, type] of Object.entries(keys).toReversed())
    await service.given.metaKey({ org_domain, name, type, required: false })
}

const values: Readonly<Record<keyof typeof keys, string>> = {
  employee_number: '1815',
  score: '3.14',
  is_guest: 'false',
  'cost center': 'Analysis',
  born: '1815-12-10',
  seen: '1815-12-10T09:30:00Z',
  badge: 'https://store.example/badge',
  boss: 'charles@people.example',
  settings: '{"theme":["dark",null]}',
}

describe('portico types', () => {
  longTest(
    'writes types that are those of real tokens, with every value and with none; wrong uses of them do not compile',
    async () => {
      const scene = await given.scene()
      await givenKeys(scene.org_domain)
      const options = ['--organization', scene.org_domain, '--environment', 'sandbox']
      expect((await types(...options, '--out', join(consumer.folder, 'claims.ts'))).stderr).toBe('')

      const without = await claimsOf(scene)
      for (const [key_name, key_value] of Object.entries(values))
        await client.tokenCustomization.setUserMetadata({
          org_domain: scene.org_domain,
          user_id: scene.user.id,
          key_name,
          key_value,
        })
      const whole = await claimsOf(scene)

      expect(without.access.meta_data).toEqual({})
      expect(Object.keys(whole.access.meta_data).toSorted()).toEqual(Object.keys(keys).toSorted())
      // A literal must have all required members of its type and no others.
      const literals = [without, whole].map(
        ({ access, id }, index) =>
          `export const access${index}: AccessClaims = ${JSON.stringify(access)}
         export const id${index}: IdClaims = ${JSON.stringify(id)}`,
      )
      const program = `import type { AccessClaims, IdClaims } from './claims.js'\n${literals.join('\n')}`
      const uses = `const number: number | undefined = meta_data.employee_number
      const text: (string | undefined)[] = [meta_data['cost center'], meta_data.born, meta_data.seen, meta_data.badge]
      const guest: boolean | undefined = meta_data.is_guest
      return [number?.toFixed(), text, guest, meta_data.score, meta_data.boss, meta_data.settings]`
      const right = {
        'literals.ts': program,
        'uses.ts': verifying(uses),
        'none.ts': await typesWithoutKeys(),
      }
      expect(await compile(consumer, right, { options: bundler })).toBe('')

      const misuses = `const certain: number = meta_data.employee_number
      const text: string | undefined = meta_data.score
      return [certain, text, meta_data.employee_numbr]`
      const wrong = {
        'lacking.ts': program.replace('"sub":', '"subject":'),
        'misuses.ts': verifying(misuses),
      }
      const complaint = await compile(consumer, wrong, { options: bundler })
      expect(complaint).toMatch(/lacking\.ts.*subject/)
      const misused = [...complaint.matchAll(/^misuses\.ts.*(TS\d+)/gm)].map(([, code]) => code)
      expect(misused).toEqual(['TS2322', 'TS2322', 'TS2551'])
    },
    120_000,
  )

  test.each(sampled(['with keys', 'without keys'], 1))(
    'writes types that the examples of a protected route take, %s, and their handlers know the metadata',
    async (which) => {
      const { domain } = await service.given.organization()
      if (which === 'with keys') await givenKeys(domain)
      const folder = which.replace(' ', '-')
      cpSync(join(root, 'docs/examples/protected-route'), join(consumer.folder, folder), { recursive: true })
      const { stderr } = await types(
        '--organization',
        domain,
        '--out',
        join(consumer.folder, folder, 'claims.ts'),
      )
      const frameworks = ['express', '@types/express', 'fastify', '@types/node', 'undici-types']
      if (which === 'with keys') for (const name of frameworks) await consumer.link(name)

      const file = join(folder, 'app.ts')
      const wrong = join(folder, 'wrong.ts')
      const options = [
        ...bundler,
        '--typeRoots',
        'node_modules/@types',
        '--types',
        'node',
        '--skipLibCheck',
        'true',
        '--esModuleInterop',
      ]
      const told = which === 'with keys' ? 'number | undefined' : 'undefined'
      expect(stderr).toBe('')
      const files = { [file]: protecting(told), [wrong]: protecting('string') }
      const complaint = await compile(consumer, files, { options })
      // Only errors of the incorrect program, none of the code shared with the correct one.
      const lines = complaint.split('\n').filter((line) => /^\S/.test(line))
      expect(lines).toEqual([expect.stringMatching(/wrong\.ts.*TS2322/)])
    },
    120_000,
  )

  longTest(
    'knows the permissions and roles of an account, so that one that is gone does not compile',
    async () => {
      const account = await service.createAccount()
      const own = await service.client({ account })
      for (const name of ['invoices:read', 'invoices:write']) await own.permissions.create({ name })
      await own.roles.create({ name: 'viewer', display_name: 'Viewer', permissions: ['invoices:read'] })
      const options = ['--account', account.domain, '--out', join(consumer.folder, 'roles.ts')]
      expect((await types(...options)).stderr).toBe('')
      const asking = (
        permission: string,
        role: string,
      ) => `import { createVerifier, hasPermission } from '@portico/sdk'
      import type { Claims, RoleName } from './roles.js'
      const options = { baseUrl: 'https://auth.example', account: 'a', audience: 'b', environment: 'sandbox' as const }
      const verifier = createVerifier<Claims>(options)
      export const role: RoleName = '${role}'
      export async function may(token: string): Promise<boolean> {
        return hasPermission(await verifier.verifyAccessToken(token), '${permission}')
      }`
      const files = {
        'asks.ts': asking('invoices:write', 'viewer'),
        'asks-wrong.ts': asking('invoices:edit', 'editor'),
      }

      const complaint = await compile(consumer, files, { options: bundler })

      const faults = [...complaint.matchAll(/^(asks\S*\.ts).*(TS\d+)/gm)].map(([, file, code]) => [
        file,
        code,
      ])
      expect(faults).toEqual([
        ['asks-wrong.ts', 'TS2322'],
        ['asks-wrong.ts', 'TS2345'],
      ])
      expect((await types(...options, '--check')).code).toBe(0)
      await own.permissions.create({ name: 'invoices:edit' })
      expect((await types(...options, '--check')).code).toBe(1)
      expect((await types('--account', 'nobody')).stderr).toContain('no account nobody')
      expect((await types()).stderr).toContain('--account <domain>, --organization <domain>')
    },
    120_000,
  )

  longTest(
    '--check fails once the keys are others, and what it demands is the same text each time',
    async () => {
      const { domain } = await service.given.organization()
      await service.given.metaKey({ org_domain: domain, name: 'b', required: true })
      const out = join(givenFolder(), 'claims.ts')
      const options = ['--organization', domain, '--out', out]

      expect(await types(...options, '--check')).toMatchObject({ code: 1, stdout: '' })
      expect((await types(...options)).code).toBe(0)
      const text = readFileSync(out, 'utf8')
      expect(text).toContain(`portico types --organization ${domain} --out`)
      expect(text).toContain('Users are created only with a value.')
      expect(await porticoJson(['types', ...options], variables())).toMatchObject({ changed: false })
      expect((await types(...options, '--check')).code).toBe(0)
      await service.given.metaKey({ org_domain: domain, name: 'a', required: false })
      const stale = await types(...options, '--check')
      expect([stale.code, stale.stderr]).toEqual([1, expect.stringContaining('run it without --check')])
      expect(readFileSync(out, 'utf8')).toBe(text)
      await client.tokenCustomization.deleteMetaKey({ org_domain: domain, key_name: 'a' })
      expect((await types(...options, '--check')).code).toBe(0)
    },
    60_000,
  )

  test('overwrites no file of somebody else, and says in a sentence what it lacks', async () => {
    const { domain } = await service.given.organization()
    const out = join(givenFolder(), 'mine.ts')
    writeFileSync(out, 'export {}\n')
    const fault = async (...args: string[]) => {
      const { code, stderr } = await types(...args)
      return [code, stderr]
    }

    expect(await fault('--organization', domain, '--out', out)).toEqual([
      1,
      expect.stringContaining('was not written by'),
    ])
    expect(readFileSync(out, 'utf8')).toBe('export {}\n')
    expect(await fault('--organization', 'nobody')).toEqual([
      1,
      expect.stringContaining('no organization nobody'),
    ])
    expect(await fault('--organization', domain, '--check')).toEqual([
      1,
      expect.stringContaining('--out <file>'),
    ])
  })
})

/** A program that verifies a token and uses its metadata. */
function verifying(statements: string): string {
  return `import { createVerifier } from '@portico/sdk'
    import type { Claims } from './claims.js'
    export async function read(token: string) {
      const options = { baseUrl: 'https://auth.example', domain: 'a', audience: 'b', environment: 'sandbox' as const }
      const { meta_data } = await createVerifier<Claims>(options).verifyAccessToken(token)
      ${statements}
    }`
}

/** The examples with a verifier of the generated claims, and a handler that reads a number of the metadata. */
function protecting(type: string): string {
  return `import { createVerifier } from '@portico/sdk'
    import type { Claims } from './claims.js'
    import { createExpressApp } from './express.js'
    import { createFastifyApp } from './fastify.js'
    import { createMe, protect } from './next.js'
    const options = { baseUrl: 'https://auth.example', domain: 'a', audience: 'b', environment: 'sandbox' as const }
    const verifier = createVerifier<Claims>(options)
    export const apps = [createExpressApp(verifier), createFastifyApp(verifier), createMe(verifier)]
    export const GET = protect(verifier, (_request, { meta_data }) => {
      const number: ${type} = meta_data['employee_number']
      return Response.json({ number })
    })`
}

async function typesWithoutKeys(): Promise<string> {
  const { domain } = await service.given.organization()
  const { stdout } = await types('--organization', domain)
  expect(stdout).toContain('MetaDataClaims = Record<string, never>')
  return stdout
}

async function claimsOf(scene: Awaited<ReturnType<CodeGiven['scene']>>) {
  const { body } = await exchange(service, { code: await given.code(scene, { nonce: 'n-1', state: 's-1' }) })
  const verifier = createVerifier({
    baseUrl: service.baseUrl,
    domain: scene.org_domain,
    audience: scene.application.client_id,
    environment: 'sandbox',
  })
  return {
    access: await verifier.verifyAccessToken(body.access_token ?? ''),
    id: await verifier.verifyIdToken(body.id_token ?? ''),
  }
}
