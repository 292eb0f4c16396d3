import { userSchema, type ScimSchema } from '@portico/contract/scim'
import type { User } from '@portico/contract/users'
import { normalizeEmail } from '../../platform/email.js'
import type { ResourceSchemas } from '../../directory/directory-sync/schema-path.js'
import type { DirectoryUser } from './directory-users.js'
import type { ScimCaller } from './scim-caller.js'
import { roleKeysOf } from './role-keys.js'
import { addressNames, claimPaths, coreOf, preferredElement, recordPartOf } from './user-record.js'
import {
  isComplex,
  isList,
  type ScimAttributes,
  type ScimComplex,
  type ScimResource,
  type ScimValue,
} from './values.js'
import { tagOfUser } from './versions.js'

type Core = Record<string, ScimValue>

/**
 * A user resource from the directory's data, overridden by later changes of the record. Without the read-only
 * attributes.
 *
 * @param known Undefined: a user outside the directory.
 */
export function toResource(
  user: User,
  known: DirectoryUser | undefined,
  { extensions }: Pick<ResourceSchemas, 'extensions'>,
): ScimResource {
  const stored = known?.attributes ?? {}
  const core: Core = { ...coreOf(stored), userName: known?.userName ?? user.email, active: user.active }
  if (known?.externalId != null) core['externalId'] = known.externalId
  if (known === undefined && user.profile.name !== null) core['displayName'] = user.profile.name
  setEmail(core, user, known !== undefined)
  setClaims(core, stored, user)
  setPhoneNumbers(core, stored, user)
  setAddress(core, stored, user)
  const declared = extensions.map((schema) => [schema.id, fitting(schema, stored[schema.id] ?? {})] as const)
  return { [userSchema.id]: core, ...Object.fromEntries(declared) }
}

/** The values that have the form of their attribute: a directory may have declared another one before. */
function fitting({ attributes }: ScimSchema, values: ScimAttributes): ScimAttributes {
  const entries = attributes.flatMap(({ name, multiValued, type }) => {
    const value = values[name]
    if (value === undefined) return []
    const isForm = multiValued
      ? isList(value)
      : type === 'complex'
        ? isComplex(value)
        : typeof value !== 'object'
    return isForm ? [[name, value] as const] : []
  })
  return Object.fromEntries(entries)
}

function setEmail(core: Core, { email }: User, isOfDirectory: boolean): void {
  const list = isList(core['emails']) ? core['emails'] : []
  const meant = preferredElement(core['emails'])
  const stated = meant?.['value'] ?? core['userName']
  const isKnown = typeof stated === 'string' && normalizeEmail(stated.trim()) === normalizeEmail(email)
  // A user whom the directory describes only by an address as userName gets no list of addresses.
  if (isKnown && (meant !== undefined || isOfDirectory)) return
  core['emails'] =
    meant === undefined
      ? [{ value: email, type: 'work', primary: true }]
      : list.map((element) => (element === meant ? { ...element, value: email } : element))
}

function setClaims(core: Core, stored: ScimResource, { profile }: User): void {
  const stated = recordPartOf(stored).profile
  for (const [claim, [name, sub]] of Object.entries(claimPaths) as [
    keyof typeof claimPaths,
    readonly [string, string?],
  ][]) {
    const value = profile[claim]
    if (stated[claim] === value) continue
    if (name === 'photos') core[name] = value === null ? [] : [{ value, type: 'photo', primary: true }]
    else if (sub === undefined) set(core, name, value)
    else {
      const members: Record<string, ScimValue> = isComplex(core[name]) ? { ...core[name] } : {}
      set(members, sub, value)
      // Members of a name are texts.
      core[name] = members as ScimComplex
    }
  }
}

function setPhoneNumbers(core: Core, stored: ScimResource, { phone_numbers }: User): void {
  const stated = recordPartOf(stored).phone_numbers.map(({ value }) => value)
  const isSame =
    stated.length === phone_numbers.length && phone_numbers.every(({ value }) => stated.includes(value))
  if (!isSame)
    core['phoneNumbers'] = phone_numbers.map(({ value, type, primary }) => ({ value, type, primary }))
}

function setAddress(core: Core, stored: ScimResource, { address }: User): void {
  const stated = recordPartOf(stored).address
  const names = Object.entries(addressNames) as [keyof typeof addressNames, string][]
  const changed = names.filter(([member]) => stated[member] !== address[member])
  if (changed.length === 0) return
  const list = isList(core['addresses']) ? core['addresses'] : []
  const meant = preferredElement(core['addresses'])
  const members: Record<string, ScimValue> = { ...(meant ?? { type: 'work', primary: true }) }
  for (const [member, name] of changed) set(members, name, address[member])
  // Members of an address are texts, except primary.
  const element = members as ScimComplex
  core['addresses'] =
    meant === undefined ? [element] : list.map((other) => (other === meant ? element : other))
}

function set(members: Record<string, ScimValue>, name: string, value: string | null): void {
  if (value === null) Reflect.deleteProperty(members, name)
  else members[name] = value
}

/** Adds the read-only attributes: id, groups and meta. */
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

/** The URL of a user. */
export function locationOf({ baseUrl }: Pick<ScimCaller, 'baseUrl'>, id: string): string {
  return `${baseUrl}/Users/${id}`
}

/**
 * The part of a resource stored with the directory: everything without a column of the user.
 *
 * @param before What is stored: values of a schema that is no longer declared stay.
 */
export function toDirectoryUser(
  resource: ScimResource,
  caller: Pick<ScimCaller, 'userSchemas' | 'roleAttributes'>,
  before: ScimResource = {},
): DirectoryUser {
  const { userName, externalId, active: _active, ...core } = coreOf(resource)
  const { extensions } = caller.userSchemas
  return {
    userName: typeof userName === 'string' ? userName : '',
    externalId: typeof externalId === 'string' && externalId !== '' ? externalId : null,
    attributes: {
      ...before,
      [userSchema.id]: core,
      ...Object.fromEntries(extensions.map(({ id }) => [id, resource[id] ?? {}])),
    },
    roleKeys: roleKeysOf(caller, resource),
  }
}
