import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Client } from '@portico/sdk'
import { givenOf } from '../given/given.js'
import { scimProvider } from '../given/scim-given.js'
import { groupsOf } from '../protocols/scim/group-given.js'
import type { Service } from '../given/harness.js'
import { givenFolder, portico, type Outcome } from './portico.js'

export interface Carried {
  readonly steps: readonly { action: string; path: string[]; before: unknown; after: unknown }[]
  readonly leftAlone: readonly string[][]
  readonly digest: string
}

/** An account of its own with an organization, a client of either environment, and portico config on it. */
export async function givenAccount(service: Service) {
  const account = await service.createAccount()
  const sandbox = await service.client({ account })
  const production = await service.client({ account, environment: 'production' })
  const { id: organization_id, domain: org_domain } = await givenOf(sandbox).organization()
  const file = join(givenFolder(), 'portico.yaml')

  function config(
    command: string,
    environment: 'sandbox' | 'production',
    ...args: string[]
  ): Promise<Outcome> {
    const scope = ['--account', account.domain, '--environment', environment]
    const variables = {
      DATABASE_URL: service.databaseUrl,
      MASTER_KEYS: service.masterKeys,
    }
    return portico(['config', command, ...scope, ...args], variables)
  }

  async function succeed(...args: Parameters<typeof config>): Promise<string> {
    const { code, stdout, stderr } = await config(...args)
    if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${stderr}`)
    return stdout
  }

  return {
    account,
    sandbox,
    production,
    org_domain,
    organization_id,
    file,
    config,
    succeed,
    pull: (...args: string[]) => succeed('pull', 'sandbox', '--out', file, ...args),
    apply: (...args: string[]) => succeed('apply', 'production', file, '--yes', ...args),
    /** The changes that production needs to match the file. */
    async plan(...args: string[]): Promise<Carried> {
      const { code, stdout, stderr } = await config('plan', 'production', file, '--json', ...args)
      if (code === 1) throw new Error(stderr)
      return JSON.parse(stdout) as Carried
    },
    read: () => readFileSync(file, 'utf8'),
    write: (text: string) => {
      writeFileSync(file, text)
    },
    /** Replaces a part of the file; throws if it is missing. */
    edit(part: string | RegExp, by: string) {
      const text = readFileSync(file, 'utf8')
      const edited = text.replace(part, by)
      if (edited === text) throw new Error(`the file has no ${String(part)}: ${text}`)
      writeFileSync(file, edited)
    },
  }
}

export type ConfigAccount = Awaited<ReturnType<typeof givenAccount>>

/** Creates one object of each promoted kind in the sandbox, all with non-default settings. */
export async function buildSandbox({ sandbox, org_domain, organization_id }: ConfigAccount) {
  const given = givenOf(sandbox)
  await sandbox.permissions.create({ name: 'invoices:read', description: 'See invoices' })
  const role = { display_name: 'Viewer', permissions: ['invoices:read'] }
  await sandbox.roles.create({ ...role, name: 'viewer', is_default: true, assignable_by_admins: true })
  await sandbox.roles.create({ ...role, name: 'auditor', organization_domain_scope: org_domain })
  await given.application({ org_domain, name: 'Storefront', description: 'Where customers order' })
  await given.application({
    org_domain,
    permission_prefixes: ['invoices:'],
    name: 'Back office',
    application_type: 'node_express',
    organization_domain_scope: org_domain,
    code_exchange: 'api_key',
  })
  await sandbox.organizationPolicy.update({ org_domain, seats_limit: 50 })
  await sandbox.password.createConnection({ org_domain, plain_text_min_length: 12, active: false })
  await sandbox.magicLink.updateConnection({ org_domain, find_or_create_user: true })
  await sandbox.totp.updateConnection({ org_domain, active: true, method: 'sms', expiry_in_seconds: 300 })
  const connection = await sandbox.ssoConnections.create({
    organization_id,
    provider_type: 'okta',
    email_domains: ['awesome.example'],
    user_security_type: 'user_registered',
    sso_admin_email: 'grace@awesome.example',
    role_mapping: {
      mode: 'authoritative',
      rules: [{ attribute: 'groups', value: 'finance', roles: ['viewer', 'auditor'] }],
    },
  })
  await sandbox.ssoConnections.disable({ idp_id: connection.idp_id })
  const directory = await sandbox.directorySync.create({
    org_domain,
    provider_type: 'okta',
    takes_over_users: true,
    role_mapping: { mode: 'add', rules: [{ group: 'Finance', roles: ['viewer', 'auditor'] }] },
  })
  // Which groups there are differs by environment.
  await groupsOf(scimProvider(directory.scim_base_url, directory.auth_secret_token.value ?? '')).make({
    displayName: 'Finance',
  })
  const webhook = await sandbox.webhooks.create({
    name: 'Shop: directory',
    target_url: 'https://shop.example/portico/events',
    event_codes: ['user.all', 'metakey.all'],
    retry_on_timeout: true,
  })
  return { connection, directory, webhook }
}

/** Creates only kinds that a rollback can create, change and delete: one of the account and one of an organization. */
export async function buildSmallSandbox({ sandbox, org_domain }: ConfigAccount): Promise<void> {
  await givenOf(sandbox).application({ org_domain, name: 'Storefront', description: 'Where customers order' })
  await sandbox.password.createConnection({ org_domain, plain_text_min_length: 12, active: false })
  await sandbox.webhooks.create({
    name: 'Shop: directory',
    target_url: 'https://shop.example/portico/events',
    event_codes: ['user.all', 'metakey.all'],
    retry_on_timeout: true,
  })
}

/** The promoted objects of an environment, read through the API, without members that always differ. */
export async function settingsOf(client: Client, { org_domain, organization_id }: ConfigAccount) {
  const [permissions, roles, applications, webhooks, connections] = await Promise.all([
    client.permissions.list({}),
    client.roles.list({}),
    client.applications.list({ org_domain, sort: 'name' }),
    client.webhooks.list({}),
    client.ssoConnections.list({ organization_id }),
  ])
  const lone = await Promise.all([
    client.organizationPolicy.get({ org_domain }),
    orNone(client.password.getConnection({ org_domain })),
    client.magicLink.getConnection({ org_domain }),
    client.totp.getConnection({ org_domain }),
    orNone(client.directorySync.get({ org_domain })),
  ])
  const listed = [permissions, roles, applications, webhooks, connections].map(({ data }) => data)
  return [...listed.flat(), ...lone].map((record) => (record === null ? null : withoutNature(record)))
}

/** Members that differ between records regardless of their settings. */
const byNature = [
  ...['id', 'client_id', 'idp_id', 'sp_id', 'acs_url', 'oidc_redirect_uri', 'onboarding', 'state'],
  ...['scim_base_url', 'auth_secret_token', 'signature_key', 'inserted_at', 'updated_at'],
  ...['__environment__', '__database__'],
]

function withoutNature(record: object): object {
  const members = Object.fromEntries(Object.entries(record).filter(([name]) => !byNature.includes(name)))
  // Whether there is the group of a rule differs as well.
  const text = JSON.stringify(members, (name, value: unknown) => (name === 'matched' ? undefined : value))
  return JSON.parse(text) as object
}

async function orNone<Value>(answer: Promise<Value>): Promise<Value | null> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof Error && 'status' in error && error.status === 404) return null
    throw error
  }
}
