import { AuditQuery } from '@portico/contract/audit'
import { listAudit } from '@portico/server/list-audit'
import { openCall } from '@portico/server/call'
import { causeBy, operatorCaller, type Caller } from '@portico/server/tenant'
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { flowGivenOf } from '../given/flow-given.js'
import { anyEmail, anything, givenOf } from '../given/given.js'
import { startService } from '../given/harness.js'
import { personGivenOf } from './person-given.js'

const service = await startService()
const client = await service.client()
const person = personGivenOf(service)

/** Users with one address, each in an organization of its own. */
async function members(email: string, count: number, by = client) {
  const given = givenOf(by)
  const all = []
  for (let made = 0; made < count; made++) {
    const { domain: org_domain, name } = await given.organization()
    all.push({ org_domain, org_name: name, user: await by.users.create({ org_domain, email }) })
  }
  return all
}

describe('a look-up of an address', () => {
  test('finds its users in all organizations, however the address is written', async () => {
    const email = anyEmail()
    const made = await members(email, 2)
    const { data, is_cut } = await person.diagnoseAll(email.toUpperCase())
    expect(is_cut).toBe(false)
    expect(data).toHaveLength(2)
    for (const { org_domain, org_name, user } of made)
      expect(data).toContainEqual(expect.objectContaining({ org_domain, org_name, user_id: user.id }))
  })

  test('finds neither deleted users nor those of deleted organizations', async () => {
    const email = anyEmail()
    const [one, two] = await members(email, 2)
    await client.users.delete({ org_domain: one?.org_domain ?? '', user_id: one?.user.id ?? '' })
    await client.organizations.delete({ org_domain: two?.org_domain ?? '' })
    expect((await person.diagnoseAll(email)).data).toEqual([])
  })

  test('finds nothing of the other environment or of another account, and says nothing about it', async () => {
    const name = `${anything()}.example`
    const email = `ada@${name}`
    const other = await service.createAccount()
    const production = await service.client({ environment: 'production' })
    const [inProduction] = await members(email, 1, production)
    await members(email, 1, await service.client({ account: other }))
    // An attempt, an invitation and a domain lead to an organization as well.
    const org_domain = await service.given.domain()
    await givenOf(production).application({ org_domain })
    const asker = await service.client({ environment: 'production', scopes: ['write:magic_links'] })
    await asker.magicLink.createChallenge({ org_domain, user_email: email, send_email: false })
    await production.invitations.create({ org_domain: await service.given.domain(), email })
    const { id: organization_id } = await service.given.organization()
    await production.ssoConnections.create({ organization_id, email_domains: [name] })

    expect((await person.diagnoseAll(email)).data).toEqual([])
    const { id: accountId, domain: accountDomain } = other
    const foreigner = personGivenOf(service, { accountId, accountDomain, environment: 'production' })
    expect((await foreigner.diagnoseAll(email)).data).toEqual([])
    const own = personGivenOf(service, { environment: 'production' })
    const { data } = await own.diagnoseAll(email)
    expect(data).toHaveLength(4)
    expect(data.filter(({ user_id }) => user_id !== null)).toMatchObject([
      { org_domain: inProduction?.org_domain },
    ])
  })

  test('tells nothing of the other environment of the same organization', async () => {
    const account = await service.createAccount()
    const [sandbox, production] = [
      await service.client({ account }),
      await service.client({ account, environment: 'production' }),
    ]
    const email = anyEmail()
    const [{ org_domain } = { org_domain: '' }] = await members(email, 1, production)
    await givenOf(sandbox).application({ org_domain, organization_domain_scope: org_domain })
    await sandbox.invitations.create({ org_domain, email })
    await service.runJobs()
    expect(await sandbox.outbox.list({ to: email })).toMatchObject({ total: 1 })

    const caller = {
      accountId: account.id,
      accountDomain: account.domain,
      environment: 'production',
    } as const
    const codes = await personGivenOf(service, caller).codesOf(email)
    expect(codes).toContain('no_application')
    expect(codes).not.toContain('mail_kept')
  })

  test('shows a caller only the organizations that they may see', async () => {
    const email = anyEmail()
    const [one] = await members(email, 2)
    const { data } = await client.organizations.list({ filter: one?.org_domain ?? '' })
    const organizationIds = data.filter(({ domain }) => domain === one?.org_domain).map(({ id }) => id)
    const limited = personGivenOf(service, { organizationIds })
    expect((await limited.diagnoseAll(email)).data).toMatchObject([{ org_domain: one?.org_domain }])
  })
})

describe('an unlock', () => {
  test('404: of an organization of another account or none', async () => {
    const given = givenOf(await service.client({ account: await service.createAccount() }))
    const { domain } = await given.organization()
    for (const org_domain of [domain, 'nobody-is-there'])
      await expect(person.unlock({ email: anyEmail(), org_domain, kinds: ['mail'] })).rejects.toMatchObject({
        code: 'organization_not_found',
      })
  })

  test('forgets nothing of another organization or address', async () => {
    const flows = flowGivenOf(service, client)
    const { scene, visitor, page } = await flows.atPassword()
    const { email } = scene.user
    await visitor.press(page, 'password', { password: 'wrong' })
    const { domain: elsewhere } = await service.given.organization()
    const kinds: 'sign_in'[] = ['sign_in']
    const none = { forgotten: [{ kind: 'sign_in', count: 0 }] }
    expect(await person.unlock({ email, org_domain: elsewhere, kinds })).toMatchObject(none)
    const { org_domain } = scene
    expect(await person.unlock({ email: anyEmail(), org_domain, kinds })).toMatchObject(none)
    expect(await person.unlock({ email, org_domain, kinds })).toMatchObject({
      forgotten: [{ kind: 'sign_in', count: 1 }],
    })
  })
})

describe('a member of staff', () => {
  const call = openCall(service.deps)
  const names = ['people.diagnose', 'limits.unlock']

  function staff(id = randomUUID()): Caller {
    const rights = { routes: new Set(names), seesPersonalData: true, isProved: false }
    const caller = operatorCaller(service.account, 'sandbox', causeBy(randomUUID(), 'staff', id))
    return { ...caller, id, scopes: ['read:people', 'write:limits'], staff: rights }
  }

  test('is in the audit with each look-up and each unlock', async () => {
    const email = anyEmail()
    const [at] = await members(email, 1)
    const who = staff()
    const body = { email, org_domain: at?.org_domain, kinds: ['mail'] }
    const calls = [
      { route: 'people.diagnose', query: { email } },
      { route: 'limits.unlock', body },
    ]
    for (const each of calls) expect(await call(who, each)).toMatchObject({ status: 200 })
    const { data } = await listAudit(service.deps, who, AuditQuery.parse({ actor: who.id }))
    const of = { email, staff: { id: who.id } }
    expect(data).toMatchObject([
      { ...of, action: 'limits.unlock', outcome: 'done', org_domain: at?.org_domain },
      { ...of, action: 'people.diagnose', outcome: 'looked_up' },
    ])
  })
})
