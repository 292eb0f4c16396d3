import { ApiError, type Application, type Client } from '@portico/sdk'

/** What the page and the back end have to know of the organization and the application. */
export interface Registration {
  /** Domain of the organization. */
  readonly domain: string
  readonly clientId: string
}

const name = 'Example company'

/** Registers what the example needs; run again, it finds it. */
export async function prepare(client: Client, origin: string): Promise<Registration> {
  const { data: organizations } = await client.organizations.list({ filter: name })
  const organization =
    organizations.find((candidate) => candidate.name === name) ??
    (await client.organizations.create({ name }))
  const org_domain = organization.domain
  // Whoever reads the mail of an address may sign up with it, and have a password and a second factor.
  await client.magicLink.updateConnection({ org_domain, active: true, find_or_create_user: true })
  await client.password.createConnection({ org_domain }).catch(unlessThere)
  await client.totp.updateConnection({ org_domain, active: true })
  const application = await findOrRegister(client, org_domain, origin)
  return { domain: org_domain, clientId: application.client_id }
}

async function findOrRegister(client: Client, org_domain: string, origin: string): Promise<Application> {
  const redirectUrl = `${origin}/callback`
  const { data: applications } = await client.applications.list({ org_domain })
  const known = applications.find(({ allowed_redirect_urls }) => allowed_redirect_urls.includes(redirectUrl))
  if (known !== undefined) return known
  return client.applications.create({
    org_domain,
    organization_domain_scope: org_domain,
    name: 'Example application',
    application_type: 'spa',
    code_exchange: 'pkce',
    allowed_redirect_urls: [redirectUrl],
    allowed_origins_cors: [origin],
    allowed_logout_urls: [`${origin}/`],
  })
}

/** A connection that is there already is what was wanted. */
function unlessThere(error: unknown): void {
  if (!(error instanceof ApiError) || error.status !== 409) throw error
}
