import { userSchema } from '@portico/contract/scim'
import type { User } from '@portico/contract/users'
import type { Transaction } from 'kysely'
import { isDeepStrictEqual } from 'node:util'
import { newId } from '../../platform/crypto/random.js'
import type { DB } from '../../platform/db/schema.js'
import type { Deps } from '../../delivery/deps.js'
import { ApiError } from '../../platform/errors.js'
import { changeLockedUser, removeUser, type LockedUser, lockUser } from '../../directory/users/change-user.js'
import { normalizeEmail } from '../../platform/email.js'
import { asApiError, lockSeatAndInvitation, revokeHeld } from '../../directory/users/admit.js'
import { userInsertion } from '../../directory/users/insert-user.js'
import { changedPhoneNumbers } from '../../platform/phone.js'
import { findUser } from '../../directory/users/signing-in-user.js'
import { toMetaDataRows, writeMappedMetadata } from '../../directory/users/stored-metadata.js'
import { changedNames, emitDirectoryChange, withDirectoryAttributes } from './directory-event.js'
import {
  asTaken,
  insertDirectoryUser,
  insertUserOfDirectory,
  updateDirectoryUser,
} from './directory-users.js'
import { getFound, listFound, type Found } from './found-user.js'
import { changeAndLog, lockDirectory, lockWithDirectory } from './in-change.js'
import { readListQuery, toListBody } from './list-query.js'
import { mappedChanges, mappedOf, noteUnfit } from './mapped-user.js'
import { readPatch } from './patch-steps.js'
import { applyPatch } from './patch.js'
import { readProjection, toBody, type Projection } from './projection.js'
import type { ScimAnswer, ScimCall, ScimCaller, ScimOperations } from './scim-caller.js'
import { ScimError } from './scim-error.js'
import { checkEmailDomain, emailOf, isEmailDomainTrusted, uniquenessError } from './user-email.js'
import { coreOf, recordChanges, recordPartOf } from './user-record.js'
import { locationOf, toDirectoryUser, toResource, withReadOnly } from './user-resource.js'
import { membersOf, readResource, type NoteQuirk, type ScimResource } from './values.js'
import { tagOfUser } from './versions.js'

/** SCIM operations on users (RFC 7644 section 3). */
export function scimUsers(deps: Deps): ScimOperations {
  return {
    list: (caller, call) => listScimUsers(deps, caller, call),
    create: (caller, call) => createScimUser(deps, caller, call),
    get: (caller, id, call) => getScimUser(deps, caller, id, call),
    replace: (caller, id, call) =>
      changeScimUser(deps, caller, id, call, (before) => replaced(caller, before, call.body, call.quirk)),
    patch: (caller, id, call) => {
      const steps = readPatch(caller.userSchemas, call.body, call.quirk)
      return changeScimUser(deps, caller, id, call, (before) => applyPatch(before, steps, call.quirk))
    },
    delete: (caller, id, call) => deleteScimUser(deps, caller, id, call),
  }
}

async function listScimUsers({ db }: Deps, caller: ScimCaller, call: ScimCall): Promise<ScimAnswer> {
  const query = readListQuery(caller.userSchemas, call.query, call.quirk)
  const { found, total } = await listFound(db, caller, query)
  const bodies = found.map((each) => bodyOf(caller, each, query.projection))
  return { status: 200, body: toListBody(query, total, bodies), changes: [] }
}

async function getScimUser(
  { db }: Deps,
  caller: ScimCaller,
  id: string,
  { query }: ScimCall,
): Promise<ScimAnswer> {
  const projection = readProjection(caller.userSchemas, query)
  const found = await getFound(db, caller, id)
  const tag = tagOfFound(found)
  return { status: 200, body: bodyOf(caller, found, projection), tag, changes: [], userId: id }
}

async function createScimUser(deps: Deps, caller: ScimCaller, call: ScimCall): Promise<ScimAnswer> {
  const projection = readProjection(caller.userSchemas, call.query)
  const resource = readResource(caller.userSchemas, call.body, call.quirk)
  const email = emailOf(resource)
  checkEmailDomain(caller, email)
  // The foreign key of the inserted row locks that of the directory.
  return changeAndLog(deps, caller, async (trx) => {
    const found =
      (await insertScimUser(deps, trx, caller, { resource, email, quirk: call.quirk })) ??
      (await takeOver(deps, trx, caller, { resource, email, quirk: call.quirk }))
    const { id } = found.user
    return {
      status: 201,
      body: bodyOf(caller, found, projection),
      tag: tagOfFound(found),
      location: locationOf(caller, id),
      changes: [{ type: 'User', id, members: [...Object.keys(found.user), 'directory_attributes'] }],
      userId: id,
    }
  })
}

interface Described {
  readonly resource: ScimResource
  readonly email: string
  readonly quirk: NoteQuirk
  /** The transaction has locked what holds newcomers back. */
  readonly isHeld?: boolean
}

/** Creates a user; undefined when another user has the address, and where something holds newcomers back that is not locked. */
async function insertScimUser(
  deps: Deps,
  trx: Transaction<DB>,
  caller: ScimCaller,
  { resource, email, quirk, isHeld = false }: Described,
): Promise<Found | undefined> {
  const { tenant } = caller
  const id = newId()
  const { active, profile, address, phone_numbers } = recordPartOf(resource)
  const mapped = mappedOf(caller, resource)
  const rows = toMetaDataRows(mapped.metadata)
  const user = {
    id,
    input: { email, active, profile: { ...profile, ...mapped.profile }, address },
    emailVerified: isEmailDomainTrusted(caller, email),
    phoneNumbers: changedPhoneNumbers([], { phone_numbers }),
  }
  const known = toDirectoryUser(resource, caller)
  const insertion = { ...userInsertion(deps, tenant, user), isHeld }
  const created = await insertUserOfDirectory(deps, trx, caller, insertion, {
    described: known,
    metadata: rows,
  })
  if (created === undefined) return undefined
  if (rows.length > 0) await writeMappedMetadata(trx, tenant, id, { rows, removed: [] })
  await noteUnfit(deps, trx, caller, mapped, quirk)
  const { record, version } = created
  const after = withDirectoryAttributes(caller, record, resource)
  const event = { type: 'User', change: 'provision', id, before: undefined, after } as const
  await emitDirectoryChange(deps, trx, caller, { ...event, userId: id, email })
  return { user: record, version, known }
}

/** The same where nobody has the address: the seats of the organization are limited, or it has invited the address. */
async function insertHeld(
  deps: Deps,
  trx: Transaction<DB>,
  caller: ScimCaller,
  described: Described,
): Promise<Found> {
  const email = normalizeEmail(described.email)
  const held = await lockSeatAndInvitation(trx, caller.tenant, email, deps.now()).catch(asApiError)
  const inserted = await insertScimUser(deps, trx, caller, { ...described, isHeld: true })
  // Created concurrently: a repeated request finds the user.
  if (inserted === undefined) throw uniquenessError('the e-mail address')
  await revokeHeld(deps, trx, caller.tenant, held)
  return inserted
}

/**
 * Makes the directory the manager of the user with this address, if they have verified it and the directory may.
 *
 * @throws ScimError 409 `uniqueness`, ApiError `seats_exhausted`
 */
async function takeOver(
  deps: Deps,
  trx: Transaction<DB>,
  caller: ScimCaller,
  { resource, email, quirk }: Described,
): Promise<Found> {
  await lockDirectory(trx, caller)
  const holder = await findUser(trx, caller.tenant, normalizeEmail(email))
  if (holder === undefined) return insertHeld(deps, trx, caller, { resource, email, quirk })
  const held = await lockUser(trx, caller.tenant, holder.id)
  const found = await getFound(trx, caller, holder.id)
  if (found.known !== undefined || !mayTakeOver(caller, found.user)) throw whyNotTakenOver(caller, found)
  // Absent attributes keep their values.
  const before = toResource(found.user, undefined, caller.userSchemas)
  const [existing, sent] = [coreOf(before), coreOf(resource)]
  const name = { ...membersOf(existing['name']), ...membersOf(sent['name']) }
  const core = { ...existing, ...sent, ...(Object.keys(name).length > 0 && { name }) }
  const after = { ...resource, [userSchema.id]: core }
  const change = { held, found, before, after, ifMatch: undefined, quirk }
  const { written } = await writeFound(deps, trx, caller, change)
  return written
}

function mayTakeOver({ takesOverUsers }: ScimCaller, user: User): boolean {
  return takesOverUsers && user.email_verified
}

/** Only a directory that may take over users learns the reason; others learn that the address is in use. */
function whyNotTakenOver({ takesOverUsers }: ScimCaller, { known, user }: Found): ScimError {
  const isUnverified = takesOverUsers && known === undefined && !user.email_verified
  return uniquenessError(
    'the e-mail address',
    isUnverified ? ' who has not verified it, and is not taken over before' : '',
  )
}

/** PUT and PATCH: locks the user's row, applies the change, and checks the version under the lock. */
async function changeScimUser(
  deps: Deps,
  caller: ScimCaller,
  id: string,
  { query, ifMatch, quirk }: ScimCall,
  toAfter: (before: ScimResource) => ScimResource,
): Promise<ScimAnswer> {
  const projection = readProjection(caller.userSchemas, query)
  return changeAndLog(deps, caller, async (trx) => {
    const held = await lockWithDirectory(trx, caller, id)
    const found = await getFound(trx, caller, id)
    const before = toResource(found.user, found.known, caller.userSchemas)
    const after = toAfter(before)
    const change = { held, found, before, after, ifMatch, quirk }
    const { written, members } = await writeFound(deps, trx, caller, change)
    return {
      status: 200,
      body: bodyOf(caller, written, projection),
      tag: tagOfFound(written),
      changes: members.length === 0 ? [] : [{ type: 'User', id, members }],
      userId: id,
    }
  })
}

/** The resource after a PUT; an absent `active` keeps its value. */
function replaced(
  { userSchemas }: ScimCaller,
  before: ScimResource,
  body: unknown,
  quirk: NoteQuirk,
): ScimResource {
  const resource = readResource(userSchemas, body, quirk)
  const core = { active: coreOf(before)['active'] ?? true, ...coreOf(resource) }
  return { ...resource, [userSchema.id]: core }
}

interface Change {
  readonly held: LockedUser
  readonly found: Found
  readonly before: ScimResource
  readonly after: ScimResource
  readonly ifMatch: readonly string[] | undefined
  readonly quirk: NoteQuirk
}

interface Written {
  readonly written: Found
  /** The changed members of the user's record. */
  readonly members: string[]
}

/**
 * Writes a changed resource, and emits its events.
 *
 * @throws ScimError 403, 409 `uniqueness`, 412, 400 `invalidValue`
 */
async function writeFound(
  deps: Deps,
  trx: Transaction<DB>,
  caller: ScimCaller,
  { held, found, before, after, ifMatch, quirk }: Change,
): Promise<Written> {
  const { user, known } = found
  checkTag(found, ifMatch)
  const email = emailOf(after)
  const isSameEmail = normalizeEmail(email) === normalizeEmail(user.email)
  if (known === undefined && !(isSameEmail && mayTakeOver(caller, user))) throw notOfDirectory()
  if (known !== undefined && isDeepStrictEqual(withoutEmpty(before), withoutEmpty(after)))
    return { written: found, members: [] }
  if (!isSameEmail || known === undefined) checkEmailDomain(caller, email)

  const described = toDirectoryUser(after, caller, known?.attributes)
  const named = { id: user.id, email }
  if (known === undefined) await insertDirectoryUser(deps, trx, caller, named, described)
  else await updateDirectoryUser(trx, caller, named, { before: known, after: described })
  const input = recordChanges(recordPartOf(before), recordPartOf(after))
  const mapped = mappedOf(caller, after)
  const { metadata, profile } = mappedChanges(mapped, user)
  if (metadata !== undefined) await writeMappedMetadata(trx, caller.tenant, user.id, metadata)
  await noteUnfit(deps, trx, caller, mapped, quirk)
  const { record, version } = await changeLockedUser(deps, trx, caller.tenant, held, {
    input: {
      ...input,
      ...(profile !== undefined && { profile: { ...input.profile, ...profile } }),
      ...(email !== user.email && { email }),
    },
    versions: undefined,
    isEmailVouched: !isSameEmail && isEmailDomainTrusted(caller, email),
  }).catch(asTaken)
  const kind = known === undefined ? 'provision' : 'update'
  const shown = [
    known === undefined ? user : withDirectoryAttributes(caller, user, before),
    withDirectoryAttributes(caller, record, after),
  ] as const
  const event = { type: 'User', change: kind, id: user.id, before: shown[0], after: shown[1] } as const
  await emitDirectoryChange(deps, trx, caller, { ...event, userId: user.id, email })
  return { written: { user: record, version, known: described }, members: changedNames(...shown) }
}

/** The row lock excludes other writers of the user; the groups in the tag are as of this moment. */
function checkTag(found: Found, ifMatch: readonly string[] | undefined): void {
  if (ifMatch !== undefined && !ifMatch.includes(tagOfFound(found))) throw new ApiError('precondition_failed')
}

/** An extension without attributes equals an absent one. */
function withoutEmpty(resource: ScimResource): ScimResource {
  return Object.fromEntries(Object.entries(resource).filter(([, values]) => Object.keys(values).length > 0))
}

async function deleteScimUser(
  deps: Deps,
  caller: ScimCaller,
  id: string,
  { ifMatch }: ScimCall,
): Promise<ScimAnswer> {
  return changeAndLog(deps, caller, async (trx) => {
    await lockWithDirectory(trx, caller, id)
    const found = await getFound(trx, caller, id)
    const { user, known } = found
    if (known === undefined) throw notOfDirectory()
    checkTag(found, ifMatch)
    await removeUser(deps, trx, caller.tenant, id, undefined)
    const before = withDirectoryAttributes(caller, user, toResource(user, known, caller.userSchemas))
    const event = { type: 'User', change: 'deprovision', id, before, after: undefined } as const
    await emitDirectoryChange(deps, trx, caller, { ...event, userId: id, email: user.email })
    const changes: ScimAnswer['changes'] = [{ type: 'User', id, members: [] }]
    return { status: 204, changes, userId: id }
  })
}

function bodyOf(caller: ScimCaller, { user, version, known }: Found, projection: Projection): object {
  const { baseUrl, userSchemas } = caller
  const resource = toResource(user, known, userSchemas)
  return toBody(userSchemas, withReadOnly(resource, user, { baseUrl, version }), projection)
}

function tagOfFound({ version, user }: Found): string {
  return tagOfUser(version, user)
}

function notOfDirectory(): ScimError {
  return new ScimError({ status: 403 }, 'the user is not one of the directory and can only be read by it')
}
