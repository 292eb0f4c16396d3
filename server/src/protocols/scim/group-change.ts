import { groupSchema } from '@portico/contract/scim'
import { isMatch } from './element-filter.js'
import type { ElementFilter } from './filter.js'
import type { PatchStep } from './patch-steps.js'
import { badRequest } from './scim-error.js'
import {
  invalidValue,
  isList,
  valueOf,
  type ScimComplex,
  type ScimResource,
  type ScimValue,
} from './values.js'

/** The requested state or change of a group. */
export interface GroupChange {
  /** Undefined: unchanged. */
  readonly displayName: string | undefined
  /** Undefined: unchanged; null: removed. */
  readonly externalId: string | null | undefined
  readonly members: readonly MemberStep[]
}

/** One change of the members, by the ids of users. */
export type MemberStep =
  | { readonly kind: 'replace'; readonly ids: readonly string[] }
  | { readonly kind: 'add'; readonly ids: readonly string[] }
  | Removal

type Removal =
  | { readonly kind: 'remove'; readonly ids: readonly string[] }
  | { readonly kind: 'remove matching'; readonly filter: ElementFilter }

/** The combined change of the members. */
export interface MemberChange {
  /** Replaces all members by the added ones. */
  readonly isWhole: boolean
  readonly added: ReadonlySet<string>
  /** Only used when not all are replaced. */
  readonly removed: ReadonlySet<string>
}

/** Of indexed columns: Postgres refuses index entries above about 2,700 bytes. */
const maxNameBytes = 1000

/**
 * The complete state of a group: absent attributes are removed (RFC 7644 section 3.5.1).
 *
 * @throws ScimError 400 `invalidValue`
 */
export function toWholeGroup(resource: ScimResource): GroupChange & { readonly displayName: string } {
  const displayName = valueOf(resource, groupSchema.id, 'displayName')
  return {
    displayName: nameOf('displayName', displayName),
    externalId: externalIdOf(valueOf(resource, groupSchema.id, 'externalId')),
    members: [{ kind: 'replace', ids: idsIn(valueOf(resource, groupSchema.id, 'members')) }],
  }
}

/**
 * Converts the steps of a patch to the change of a group.
 *
 * @throws ScimError 400 `invalidValue`, `mutability`
 */
export function toGroupChange(steps: readonly PatchStep[]): GroupChange {
  const change = { displayName: undefined, externalId: undefined, members: [] }
  return steps.reduce<GroupChange>((before, step) => {
    const { name } = step.target.attribute
    if (name === 'members') return { ...before, members: [...before.members, toMemberStep(step)] }
    const value = step.op === 'remove' ? undefined : step.value
    return name === 'externalId'
      ? { ...before, externalId: externalIdOf(value) }
      : { ...before, displayName: nameOf(name, value) }
  }, change)
}

function toMemberStep(step: PatchStep): MemberStep {
  const { sub, filter } = step.target
  // The value of a member is immutable (RFC 7643 section 4.2).
  if (sub !== undefined || (filter !== undefined && step.op !== 'remove'))
    throw badRequest('mutability', 'members are added and removed, and not changed')
  if (step.op !== 'remove') return { kind: step.op, ids: idsIn(step.value) }
  if (filter !== undefined) {
    const ids = idsNamedBy(filter)
    return ids === undefined ? { kind: 'remove matching', filter } : { kind: 'remove', ids }
  }
  return step.values === undefined
    ? { kind: 'replace', ids: [] }
    : { kind: 'remove', ids: idsIn(step.values) }
}

/** The ids named by a filter such as `value eq "…"`; undefined for any other filter. */
function idsNamedBy(filter: ElementFilter): readonly string[] | undefined {
  if (filter.kind === 'comparison')
    return filter.subject.name === 'value' && filter.operator === 'eq' ? [String(filter.value)] : undefined
  if (filter.kind !== 'or') return undefined
  const parts = filter.filters.map(idsNamedBy)
  return parts.includes(undefined) ? undefined : parts.flatMap((ids) => ids ?? [])
}

/** Combines steps, in their order, into one change; `current` is only called to resolve a filter. */
export async function foldMembers(
  steps: readonly MemberStep[],
  current: () => Promise<readonly ScimComplex[]>,
): Promise<MemberChange> {
  let change: MemberChange = { isWhole: false, added: new Set(), removed: new Set() }
  let read: Promise<readonly ScimComplex[]> | undefined
  // Cached, so that a request with a hundred filters reads the members once.
  const stored = () => (read ??= current())
  for (const step of steps) {
    if (step.kind === 'replace') change = { isWhole: true, added: new Set(step.ids), removed: new Set() }
    else if (step.kind === 'add') change = withMembers(change, new Set(step.ids))
    else change = withoutMembers(change, new Set(await idsMeant(change, step, stored)))
  }
  return change
}

async function idsMeant(
  { isWhole, added, removed }: MemberChange,
  step: Removal,
  current: () => Promise<readonly ScimComplex[]>,
): Promise<readonly string[]> {
  if (step.kind === 'remove') return step.ids
  const stored = isWhole ? [] : await current()
  const left = stored.filter(({ value }) => !removed.has(String(value)))
  const elements = [...left, ...[...added].map((value) => ({ value, type: 'User' }))]
  return elements.filter((element) => isMatch(step.filter, element)).map(({ value }) => String(value))
}

function withMembers(change: MemberChange, ids: ReadonlySet<string>): MemberChange {
  return {
    ...change,
    added: new Set([...change.added, ...ids]),
    removed: difference(change.removed, ids),
  }
}

function withoutMembers(change: MemberChange, ids: ReadonlySet<string>): MemberChange {
  const removed = change.isWhole ? [] : [...change.removed, ...ids]
  return { ...change, added: difference(change.added, ids), removed: new Set(removed) }
}

function difference(ids: ReadonlySet<string>, others: ReadonlySet<string>): ReadonlySet<string> {
  return new Set([...ids].filter((id) => !others.has(id)))
}

function externalIdOf(value: ScimValue | undefined): string | null {
  return value === undefined || value === '' ? null : nameOf('externalId', value)
}

function nameOf(name: string, value: ScimValue | undefined): string {
  if (typeof value !== 'string') throw invalidValue(name, 'must be text')
  if (value.trim() === '') throw invalidValue(name, 'must not be blank')
  if (Buffer.byteLength(value) > maxNameBytes)
    throw invalidValue(name, `must be at most ${maxNameBytes} bytes long`)
  return value
}

function idsIn(value: ScimValue | undefined): readonly string[] {
  if (!isList(value)) return []
  return value.map(({ value: id, type }) => {
    if (typeof id !== 'string') throw invalidValue('members', 'must have the id of a user as their value')
    if (type !== undefined && String(type).toLowerCase() !== 'user')
      throw invalidValue('members', 'must be users: groups have no groups in them')
    return id
  })
}
