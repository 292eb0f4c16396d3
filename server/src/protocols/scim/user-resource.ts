import { enterpriseUserSchema, userSchema } from '@portico/contract/scim'
import type { User } from '@portico/contract/users'
import { normalizeEmail } from '../../platform/email.js'
import type { DirectoryUser } from './directory-users.js'
import type { ScimCaller } from './scim-caller.js'
import { addressNames, claimPaths, coreOf, enterpriseOf, preferred, recordPartOf } from './user-record.js'
import { isComplex, isList, type ScimComplex, type ScimResource, type ScimValue } from './values.js'
import { tagOfUser } from './versions.js'

type Core = Record<string, ScimValue>

/**
 * A user as the directory has described them, where that still holds: what the record says otherwise by now, it says.
 * Without what is only read.
 *
 * @param known Undefined: a user who is not of the directory.
 */
export function toResource(user: User, known: DirectoryUser | undefined): ScimResource {
  const stored = known?.attributes ?? {}
  const core: Core = { ...coreOf(stored), userName: known?.userName ?? user.email, active: user.active }
  if (known?.externalId != null) core['externalId'] = known.externalId
  if (known === undefined && user.profile.name !== null) core['displayName'] = user.profile.name
  setEmail(core, user, known !== undefined)
  setClaims(core, stored, user)
  setPhoneNumbers(core, stored, user)
  setAddress(core, stored, user)
  return { [userSchema.id]: core, [enterpriseUserSchema.id]: enterpriseOf(stored) }
}

function setEmail(core: Core, { email }: User, isOfDirectory: boolean): void {
  const list = isList(core['emails']) ? core['emails'] : []
  const meant = preferred(core['emails'])
  const said = meant?.['value'] ?? core['userName']
  const isKnown = typeof said === 'string' && normalizeEmail(said.trim()) === normalizeEmail(email)
  // Whom the directory names by their address alone has no list of addresses; others are looked for by one.
  if (isKnown && (meant !== undefined || isOfDirectory)) return
  core['emails'] =
    meant === undefined
      ? [{ value: email, type: 'work', primary: true }]
      : list.map((element) => (element === meant ? { ...element, value: email } : element))
}

function setClaims(core: Core, stored: ScimResource, { profile }: User): void {
  const said = recordPartOf(stored).profile
  for (const [claim, [name, sub]] of Object.entries(claimPaths) as [
    keyof typeof claimPaths,
    readonly [string, string?],
  ][]) {
    const value = profile[claim]
    if (said[claim] === value) continue
    if (name === 'photos') core[name] = value === null ? [] : [{ value, type: 'photo', primary: true }]
    else if (sub === undefined) set(core, name, value)
    else {
      const members: Record<string, ScimValue> = isComplex(core[name]) ? { ...core[name] } : {}
      set(members, sub, value)
      // Members of a name are text.
      core[name] = members as ScimComplex
    }
  }
}

function setPhoneNumbers(core: Core, stored: ScimResource, { phone_numbers }: User): void {
  const said = recordPartOf(stored).phone_numbers.map(({ value }) => value)
  const isSame =
    said.length === phone_numbers.length && phone_numbers.every(({ value }) => said.includes(value))
  if (!isSame)
    core['phoneNumbers'] = phone_numbers.map(({ value, type, primary }) => ({ value, type, primary }))
}

function setAddress(core: Core, stored: ScimResource, { address }: User): void {
  const said = recordPartOf(stored).address
  const names = Object.entries(addressNames) as [keyof typeof addressNames, string][]
  const changed = names.filter(([member]) => said[member] !== address[member])
  if (changed.length === 0) return
  const list = isList(core['addresses']) ? core['addresses'] : []
  const meant = preferred(core['addresses'])
  const members: Record<string, ScimValue> = { ...(meant ?? { type: 'work', primary: true }) }
  for (const [member, name] of changed) set(members, name, address[member])
  // Members of an address are text, but for primary.
  const element = members as ScimComplex
  core['addresses'] =
    meant === undefined ? [element] : list.map((other) => (other === meant ? element : other))
}

function set(members: Record<string, ScimValue>, name: string, value: string | null): void {
  if (value === null) Reflect.deleteProperty(members, name)
  else members[name] = value
}

/** The resource with what is only read: id, groups and meta. */
export function withReadOnly(
  resource: ScimResource,
  user: User,
  { baseUrl, version }: Pick<ScimCaller, 'baseUrl'> & { readonly version: number },
): ScimResource {
  const groups = user.groups.map(({ id, display_name }) => ({
    value: id,
    $ref: `${baseUrl}/Groups/${id}`,
    display: display_name,
  }))
  const meta = {
    resourceType: 'User',
    created: user.inserted_at,
    lastModified: user.updated_at,
    location: locationOf({ baseUrl }, user.id),
    version: tagOfUser(version, user),
  }
  return { ...resource, [userSchema.id]: { ...coreOf(resource), id: user.id, groups, meta } }
}

/** The address of a user. */
export function locationOf({ baseUrl }: Pick<ScimCaller, 'baseUrl'>, id: string): string {
  return `${baseUrl}/Users/${id}`
}

/** What is stored of a resource: all that has no place of its own. */
export function toDirectoryUser(resource: ScimResource): DirectoryUser {
  const { userName, externalId, active: _active, ...core } = coreOf(resource)
  return {
    userName: typeof userName === 'string' ? userName : '',
    externalId: typeof externalId === 'string' && externalId !== '' ? externalId : null,
    attributes: { [userSchema.id]: core, [enterpriseUserSchema.id]: enterpriseOf(resource) },
  }
}
