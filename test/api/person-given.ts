import type { Client } from '@portico/sdk'
import { anyEmail, anything } from '../given/given.js'
import type { Service } from '../given/harness.js'
import { scimGivenOf } from '../given/scim-given.js'
import { startOpenIdProvider } from '../given/openid-provider.js'
import { answerAtTestIdp, chooseAtTestIdp } from '../given/test-idp-given.js'
import { createVisitor } from '../given/visitor.js'

/** Unique values of all personal data that callers can send. */
export function canaries() {
  const word = (member: string) => `canary-${member}-${anything()}`
  const address = {
    formatted: word('formatted'),
    street_address: word('street'),
    locality: word('locality'),
    region: word('region'),
    postal_code: word('postal'),
    country: word('country'),
  }
  const profile = {
    given_name: word('given'),
    family_name: word('family'),
    nickname: word('nickname'),
    preferred_username: word('username'),
    birthdate: '1907-03-21',
    picture: `https://people.example/${word('picture')}`,
    profile: `https://people.example/${word('profile')}`,
    website: `https://people.example/${word('website')}`,
  }
  return {
    email: `${word('email')}@people.example`,
    earlier_email: `${word('earlier')}@people.example`,
    phone_number: `+336${String(10_000_000 + Math.floor(Math.random() * 89_999_999))}`,
    metadata: word('metadata'),
    replaced_metadata: word('replaced'),
    profile,
    address,
  }
}

export type Canaries = ReturnType<typeof canaries>

/** The words of all personal data, each of which is searched for. */
export function wordsOf({ profile, address, email, earlier_email, ...others }: Canaries): string[] {
  // An address may be stored in other forms, all of which contain its local part.
  const locals = [email, earlier_email].map((text) => text.split('@')[0] ?? '')
  return [...locals, ...Object.values(others), ...Object.values(profile), ...Object.values(address)]
}

/**
 * Signs in with the built-in identity provider, returns from it without continuing, does not open the URL of a third
 * sign-in, and is redirected to an OpenID provider.
 */
export async function signInBySso(
  service: Service,
  client: Client,
  { org_domain, user_email }: { readonly org_domain: string; readonly user_email: string },
): Promise<void> {
  const { id: organization_id } = await client.organizations.get({ org_domain })
  const domain = user_email.split('@')[1] ?? ''
  await client.domains.create({ org_domain, domain, declared: true, sso_exempt_emails: [user_email] })
  await client.ssoConnections.create({ organization_id, provider_type: 'test', other_domains: 'any_address' })
  const challenge = () => client.ssoConnections.createSamlChallenge({ org_domain, user_email })
  const ask = async () => {
    const visitor = createVisitor(service.baseUrl)
    return { visitor, page: await visitor.visit((await challenge()).authorization_url) }
  }
  const fields = { email: user_email }
  const whole = await ask()
  await chooseAtTestIdp(whole.visitor, whole.page, fields)
  const halfway = await ask()
  await answerAtTestIdp(halfway.visitor, halfway.page, fields)
  await challenge()
  await leaveForOpenIdProvider(service, client, { org_domain, user_email, organization_id })
}

/** Starts a sign-in with OpenID Connect that its provider does not answer. */
async function leaveForOpenIdProvider(
  service: Service,
  client: Client,
  { organization_id, ...user }: Record<'organization_id' | 'org_domain' | 'user_email', string>,
): Promise<void> {
  const { issuer, client: known } = await startOpenIdProvider(service.clock)
  const { idp_id } = await client.ssoConnections.create({
    organization_id,
    provider_type: 'custom_oidc',
    issuer,
    oidc_client_id: known.id,
    oidc_client_secret: known.secret,
  })
  const { authorization_url } = await client.ssoConnections.createOauthChallenge({ ...user, idp_id })
  await createVisitor(service.baseUrl).visit(authorization_url)
}

/** Lets a directory take over a user with a verified address, and adds the user to a group. */
export async function keepByDirectory(
  client: Client,
  {
    org_domain,
    user_id,
    email,
  }: { readonly org_domain: string; readonly user_id: string; readonly email: string },
): Promise<void> {
  const { scim } = await scimGivenOf(client).directory({ org_domain, takes_over_users: true })
  const schema = (name: string) => ({ schemas: [`urn:ietf:params:scim:schemas:core:2.0:${name}`] })
  const taken = await scim('POST', '/Users', { body: { ...schema('User'), userName: email } })
  const group = { ...schema('Group'), displayName: 'Engineers', members: [{ value: user_id }] }
  const made = await scim('POST', '/Groups', { body: group })
  if (taken.status !== 201 || made.status !== 201) throw new Error(JSON.stringify([taken, made]))
}

/** A user, and the links and mails sent while the user had the address. */
export interface Mailed {
  readonly org_domain: string
  readonly user_id: string
  readonly challenges: readonly unknown[]
  readonly mails: readonly unknown[]
}

/** Two users who had an address in turn, the first one twice, with the links and mails sent to each. */
export async function givenSharedAddress(
  service: Service,
  client: Client,
): Promise<{ first: Mailed; second: Mailed }> {
  const { domain: org_domain } = await service.given.organization()
  await service.given.application({ org_domain, organization_domain_scope: org_domain })
  await client.magicLink.updateConnection({ org_domain, find_or_create_user: true })
  const email = `shared.${anything()}@people.example`
  // Gives every event a different time.
  const userWithAddress = async () => {
    await service.clock.advance(1)
    return service.given.user({ org_domain, email })
  }
  const changeAddress = async (user_id: string, to: string) => {
    await service.clock.advance(1)
    return client.users.update({ org_domain, user_id, email: to })
  }
  const mailLink = async () => {
    await service.clock.advance(1)
    await client.magicLink.createChallenge({ org_domain, user_email: email })
    await service.clock.advance(1)
    await service.runJobs()
  }
  const { id: first } = await userWithAddress()
  await mailLink()
  await changeAddress(first, anyEmail())
  // Requested while no user had the address, by its next owner.
  await mailLink()
  const { id: second } = await userWithAddress()
  await mailLink()
  await changeAddress(second, anyEmail())
  await changeAddress(first, email)
  await mailLink()

  const challenges = await idsWith(service, email, 'magic_link_challenges')
  const mails = await idsWith(service, email, 'outbox_messages')
  // Simulates that each mail failed again with an error that contains the address.
  await service.query(
    `insert into jobs (name, account_id, payload, run_at, last_error, inserted_at)
     select 'send_magic_link', account_id, jsonb_build_object(
       'challengeId', id, 'environment', environment, 'organizationId', organization_id
     ), 'infinity', '550 <' || email || '>', inserted_at
     from magic_link_challenges where id = any($1) order by inserted_at`,
    [challenges],
  )
  const at = (ids: readonly unknown[], ...indexes: number[]) => indexes.map((index) => ids[index])
  const sent = (...indexes: number[]) => ({
    challenges: at(challenges, ...indexes),
    mails: at(mails, ...indexes),
  })
  return {
    first: { org_domain, user_id: first, ...sent(0, 3) },
    second: { org_domain, user_id: second, ...sent(1, 2) },
  }
}

/** The ids of rows that contain an address, oldest first. */
async function idsWith(
  service: Service,
  email: string,
  table: 'magic_link_challenges' | 'outbox_messages',
): Promise<string[]> {
  const rows = await service.query<{ id: string }>(
    `select id from ${table} where email_normalized = $1 order by inserted_at`,
    [email],
  )
  return rows.map(({ id }) => id)
}
