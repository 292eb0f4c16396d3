import { describe, expect, test } from 'vitest'
import { isIn } from '../given/flow-given.js'
import { startService } from '../given/harness.js'
import { roleGivenOf } from '../given/role-given.js'
import { samlGivenOf } from '../given/saml-given.js'
import { sampled } from '../sampled.js'
import { asMembers, groupsOf } from './scim/group-given.js'
import { scimUsersGivenOf } from './scim/user-given.js'

// Each case signs one or two people in, so that the whole table is for the full run.

const service = await startService()
const client = await service.client()
const roles = roleGivenOf(client)
const saml = samlGivenOf(service, client)
const directories = scimUsersGivenOf(client)

type Mode = 'add' | 'authoritative'
type Source = 'api' | 'directory' | 'sso'

interface Case {
  readonly directoryMode: Mode
  readonly ssoMode: Mode
  readonly hasApi: boolean
  /** The directory keeps the user, who is in the group of its rule. */
  readonly isInGroup: boolean
  /** The identity provider has said what the rule of its connection names. */
  readonly isSaid: boolean
  /** The last sign-in by SSO was by this connection, and not by another one. */
  readonly isLast: boolean
}

/** What is effective, in the words of the guide. */
function model({ directoryMode, ssoMode, hasApi, isInGroup, isSaid, isLast }: Case): readonly string[] {
  const given: Source[] = []
  if (hasApi) given.push('api')
  if (isInGroup) given.push('directory')
  if (isSaid) given.push('sso')
  let only: Source | undefined
  if (isInGroup && directoryMode === 'authoritative') only = 'directory'
  else if (isLast && ssoMode === 'authoritative') only = 'sso'
  const effective = given.filter((source) => only === undefined || source === only)
  return effective.length === 0 ? ['default'] : effective
}

const modes: readonly Mode[] = ['authoritative', 'add']
const booleans = [true, false] as const
const cases: readonly Case[] = booleans.flatMap((isInGroup) =>
  booleans.flatMap((isLast) =>
    booleans.flatMap((hasApi) =>
      booleans.flatMap((isSaid) =>
        modes.flatMap((directoryMode) =>
          modes.map((ssoMode) => ({ directoryMode, ssoMode, hasApi, isInGroup, isSaid, isLast })),
        ),
      ),
    ),
  ),
)

const byApi = await roles.role()
const byGroup = await roles.role()
const byClaim = await roles.role()
const byDefault = await roles.role({ is_default: true })
const sources: Readonly<Record<string, string>> = {
  [byApi.name]: 'api',
  [byGroup.name]: 'directory',
  [byClaim.name]: 'sso',
  [byDefault.name]: 'default',
}

/** An organization with a directory and two connections; the second maps nothing. */
async function organizationOf({ directoryMode, ssoMode }: Pick<Case, 'directoryMode' | 'ssoMode'>) {
  const rule = { attribute: 'groups', value: 'staff', roles: [byClaim.name] }
  const scene = await saml.scene({ role_mapping: { mode: ssoMode, rules: [rule] } })
  const other = { ...scene, ...(await saml.connect(scene, { other_domains: 'any_address' }, 'other')) }
  const { org_domain } = scene
  const { scim } = await directories.directory({
    org_domain,
    role_mapping: { mode: directoryMode, rules: [{ group: 'Staff', roles: [byGroup.name] }] },
  })
  return { org_domain, scene, other, scim }
}

const organizations = new Map<string, ReturnType<typeof organizationOf>>()

function organizationFor(of: Case) {
  const key = `${of.directoryMode} ${of.ssoMode}`
  const known = organizations.get(key) ?? organizationOf(of)
  organizations.set(key, known)
  return known
}

async function personOf(of: Case, number: number) {
  const { org_domain, scene, other, scim } = await organizationFor(of)
  const email = `person-${String(number)}@people.example`
  const user_id = of.isInGroup
    ? (await directories.user(scim, { email })).id
    : (await client.users.create({ org_domain, email })).id
  const user = { org_domain, user_id }
  if (of.isInGroup) await groupsOf(scim).make({ displayName: 'staff', members: asMembers([user_id]) })
  if (of.hasApi) await roles.give(user, byApi)
  if (of.isSaid || of.isLast) {
    const attributes = { groups: of.isSaid ? 'staff' : 'others' }
    expect(isIn((await saml.signIn(scene, { nameId: email, attributes })).landed)).toBe(true)
  }
  if (!of.isLast) expect(isIn((await saml.signIn(other, { nameId: email })).landed)).toBe(true)
  return client.roles.getUserRoles(user)
}

describe('the effective roles are those of the model', () => {
  test.each(sampled(cases, 4).map((of, number) => [JSON.stringify(of), of, number] as const))(
    '%s',
    async (_, of, number) => {
      const { roles: names, assignments } = await personOf(of, number)
      const sourcesOf = (effective: boolean) =>
        assignments.filter((one) => one.effective === effective).map(({ source }) => source)

      expect(names.map((name) => sources[name]).toSorted()).toEqual(model(of))
      expect(sourcesOf(true).toSorted()).toEqual(model(of))
      const given = [of.hasApi && 'api', of.isInGroup && 'directory', of.isSaid && 'sso'].filter(Boolean)
      expect(sourcesOf(false).toSorted()).toEqual(
        given.filter((source) => !model(of).includes(String(source))),
      )
    },
  )
})
