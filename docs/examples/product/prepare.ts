import { randomBytes } from 'node:crypto'
import { followMagicLink, type Client } from '@portico/sdk'

/** The password of the user at each company. */
export const password = 'velvet harbour 41 lanterns'

const email = 'ada@people.example'
/** Invited to the first company, where she becomes a user when she accepts. */
export const colleague = 'grace@people.example'
const companies = ['Awesome Bakery', 'Blue Harbour', 'Crisp Apples']

/** What the product has to know, and who can sign in to it. */
export interface Prepared {
  /** Of its environment, but for the address and the account of the service. */
  readonly variables: Readonly<Record<string, string>>
  readonly email: string
  /** Domains of the companies that use the product. */
  readonly organizations: readonly string[]
}

/** Registers the product, and three companies with one user each. */
export async function prepare(client: Client, appUrl: string): Promise<Prepared> {
  const organizations: string[] = []
  for (const name of companies) organizations.push((await client.organizations.create({ name })).domain)
  const [org_domain = ''] = organizations
  // One of the whole account: without organization_domain_scope.
  const { client_id } = await client.applications.create({
    org_domain,
    name: 'Ledger',
    application_type: 'node_express',
    client_authentication: 'secret',
    allowed_redirect_urls: [`${appUrl}/auth/callback`],
    allowed_origins_cors: [],
    allowed_logout_urls: [`${appUrl}/`],
    initiate_login_uri: `${appUrl}/auth/sign-in`,
  })
  const { value } = await client.applicationSecrets.create({ org_domain, client_id })
  await declareRole(client)
  for (const domain of organizations) await addUser(client, domain, `${appUrl}/auth/callback`)
  await addTestProvider(client, organizations.at(-1) ?? '')
  await client.invitations.create({ org_domain, email: colleague, profile: { given_name: 'Grace' } })
  const variables = {
    PORTICO_ENVIRONMENT: 'sandbox',
    PORTICO_CLIENT_ID: client_id,
    PORTICO_CLIENT_SECRET: value ?? '',
    SESSION_SECRET: randomBytes(32).toString('base64'),
    APP_URL: appUrl,
    SIGNED_OUT_URL: `${appUrl}/`,
    CUSTOMERS: organizations.join(','),
  }
  return { variables, email, organizations }
}

/** Lets everybody who has no other role see their pay. */
async function declareRole(client: Client): Promise<void> {
  const name = 'payroll:read'
  if ((await client.permissions.list({ name })).total > 0) return
  await client.permissions.create({ name, description: 'See one’s own pay' })
  const display_name = 'Employee'
  await client.roles.create({ name: 'employee', display_name, permissions: [name], is_default: true })
}

/** Lets everybody who has an account at the test provider of the sandbox sign in to a company, newcomers as well. */
async function addTestProvider(client: Client, org_domain: string): Promise<void> {
  const name = 'test'
  if ((await client.socialProviders.list({ name })).total === 0) await client.socialProviders.create({ name })
  await client.socialConnection.update({ org_domain, active: true, providers: [name], allow_sign_up: true })
}

/** A user with a password, who can set up a second factor. */
async function addUser(client: Client, org_domain: string, redirect_uri: string): Promise<void> {
  await client.magicLink.updateConnection({ org_domain, active: true })
  await client.password.createConnection({ org_domain })
  await client.totp.updateConnection({ org_domain, active: true })
  await client.users.create({ org_domain, email, profile: { given_name: 'Ada', family_name: 'Lovelace' } })
  // The way of a person who sets a password, without the mail.
  const nonce = randomBytes(16).toString('hex')
  const { request_id } = await client.password.createRequest({
    org_domain,
    user_email: email,
    redirect_uri,
    nonce,
  })
  const { magic_link } = await client.magicLink.createChallenge({
    org_domain,
    user_email: email,
    request_id,
    send_email: false,
  })
  const followed = await followMagicLink(magic_link ?? '')
  if (followed.outcome !== 'password_code') throw new Error('the link leads to no password')
  await client.password.set({
    org_domain,
    user_email: email,
    password_code: followed.passwordCode,
    plain_text: password,
  })
}
