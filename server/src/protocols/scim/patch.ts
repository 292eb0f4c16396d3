import { scimLimits } from '@portico/contract/scim'
import { isDeepStrictEqual } from 'node:util'
import { elementOf, isMatch } from './element-filter.js'
import type { PatchStep, PatchTarget } from './patch-steps.js'
import { badRequest } from './scim-error.js'
import {
  invalidValue,
  isList,
  membersOf,
  type NoteQuirk,
  type ScimComplex,
  type ScimResource,
  type ScimSimple,
  type ScimValue,
} from './values.js'

/**
 * Applies the steps of a patch to a copy of a resource.
 *
 * @throws ScimError 400 `noTarget`, `invalidValue`
 */
export function applyPatch(
  resource: ScimResource,
  steps: readonly PatchStep[],
  quirk: NoteQuirk,
): ScimResource {
  return steps.reduce((current, step) => {
    const { schema, attribute } = step.target
    const before = current[schema.id]?.[attribute.name]
    const after = attribute.multiValued
      ? changedList(isList(before) ? before : [], step, quirk)
      : changedSingle(before, step)
    if (isList(after) && after.length > scimLimits.listValues)
      throw invalidValue(attribute.name, `must have at most ${scimLimits.listValues} values`)
    return withValue(current, step.target, after)
  }, resource)
}

function withValue(
  resource: ScimResource,
  { schema, attribute }: PatchTarget,
  value: ScimValue | undefined,
): ScimResource {
  const { [attribute.name]: _before, ...others } = resource[schema.id] ?? {}
  const isUnassigned = value === undefined || (typeof value === 'object' && Object.keys(value).length === 0)
  const attributes = isUnassigned ? others : { ...others, [attribute.name]: value }
  return { ...resource, [schema.id]: attributes }
}

function changedSingle(before: ScimValue | undefined, step: PatchStep): ScimValue | undefined {
  const { sub } = step.target
  const members = membersOf(before)
  if (step.op === 'remove') return sub === undefined ? undefined : without(members, sub.name)
  if (sub !== undefined) return { ...members, ...memberNamed(sub.name, step.value) }
  return step.value
}

function changedList(
  list: readonly ScimComplex[],
  step: PatchStep,
  quirk: NoteQuirk,
): readonly ScimComplex[] {
  if (step.op === 'remove') return shortened(list, step.target, step.values)
  const { sub, filter } = step.target
  if (sub === undefined && filter === undefined) {
    const given = isList(step.value) ? step.value : []
    return withOnePrimary(step.op === 'replace' ? given : given.reduce(withElement, list), given)
  }
  const isSelected = (element: ScimComplex) => filter === undefined || isMatch(filter, element)
  const change = sub === undefined ? membersOf(step.value) : memberNamed(sub.name, step.value)
  if (list.some(isSelected)) {
    const changed = list.map((element) => (isSelected(element) ? { ...element, ...change } : element))
    return withOnePrimary(
      changed,
      changed.filter((_, index) => isSelected(list[index] ?? {})),
    )
  }
  const made = filter === undefined ? {} : elementOf(filter)
  // Replacing a whole element requires that it exists (RFC 7644 section 3.5.2.3); Entra ID sets members of elements
  // that it has never created.
  if (made === undefined || (step.op === 'replace' && sub === undefined))
    throw badRequest('noTarget', `${step.target.attribute.name} has no element that the path selects`)
  quirk('filter_made_element')
  const element = { ...made, ...change }
  return withOnePrimary([...list, element], [element])
}

function shortened(
  list: readonly ScimComplex[],
  { sub, filter }: PatchTarget,
  values: ScimValue | undefined,
): readonly ScimComplex[] {
  const isSelected = (element: ScimComplex) => filter === undefined || isMatch(filter, element)
  if (sub !== undefined) {
    const left = list.map((element) => (isSelected(element) ? without(element, sub.name) : element))
    return left.filter((element) => Object.keys(element).length > 0)
  }
  if (!isList(values)) return list.filter((element) => !isSelected(element))
  return list.filter((element) => !values.some((value) => isSameElement(value, element)))
}

/** A list with the element appended, or merged into the equal one. */
function withElement(list: readonly ScimComplex[], element: ScimComplex): readonly ScimComplex[] {
  const index = list.findIndex((other) =>
    element['value'] === undefined
      ? isDeepStrictEqual(other, element)
      : other['value'] === element['value'] && other['type'] === element['type'],
  )
  return index === -1 ? [...list, element] : list.with(index, { ...list[index], ...element })
}

/** Whether a removal names an element: by its value, else by all members. */
function isSameElement(named: ScimComplex, element: ScimComplex): boolean {
  if (named['value'] !== undefined) return named['value'] === element['value']
  return isDeepStrictEqual(named, element)
}

/** Of several primary elements, only the last given one stays primary (RFC 7644 section 3.5.2). */
function withOnePrimary(list: readonly ScimComplex[], given: readonly ScimComplex[]): readonly ScimComplex[] {
  const isPrimary = (element: ScimComplex) => element['primary'] === true
  if (list.filter(isPrimary).length < 2) return list
  const last = given.findLast(isPrimary)
  const kept = list.findLastIndex((element) => isPrimary(element) && isDeepStrictEqual(element, last))
  return list.map((element, index) =>
    isPrimary(element) && index !== kept ? { ...element, primary: false } : element,
  )
}

function without(members: ScimComplex, name: string): ScimComplex {
  const { [name]: _removed, ...others } = members
  return others
}

function memberNamed(name: string, value: ScimValue): Record<string, ScimSimple> {
  return typeof value === 'object' ? {} : { [name]: value }
}
