import type { AttributeMapping } from '@portico/contract/attribute-mapping'
import { claimInput, profilePage } from '@portico/contract/profile'
import type { UserChanges } from '@portico/contract/user-input'
import type { DeclaredKey } from '../meta-keys/declared-keys.js'
import { isMetaValue } from '../meta-keys/meta-value.js'

/** The claims that a rule may write. */
export const mappedClaims = { ...claimInput, profile: profilePage }
export type MappedClaim = keyof typeof mappedClaims

/** The rules of a directory or connection, with the declared keys that they name. */
export interface Mapping {
  readonly rules: readonly AttributeMapping[]
  readonly keys: readonly DeclaredKey[]
}

/** What a source says where a rule reads; undefined where it says nothing. */
export interface Said {
  /** As JSON, for keys of that type. */
  readonly whole: unknown
  /** One value: of a list the preferred one; undefined where none is simple. */
  readonly one: unknown
}

export interface MappedValues {
  /** Null: no value. Required keys without a value are not among them, and keep theirs. */
  readonly metadata: readonly { readonly key: DeclaredKey; readonly value: string | null }[]
  readonly profile: NonNullable<UserChanges['profile']>
  /** Targets whose value does not fit, or is required and missing. */
  readonly unfit: readonly string[]
}

/** The metadata and the profile of a user by the rules of a mapping: what a source says no more has no value. */
export function mappedValues(
  { rules, keys }: Mapping,
  saidAt: (from: string) => Said | undefined,
): MappedValues {
  const metadata: { key: DeclaredKey; value: string | null }[] = []
  const profile: NonNullable<UserChanges['profile']> = {}
  const unfit: string[] = []
  for (const { from, to } of rules) {
    const said = saidAt(from)
    const key = keys.find(({ name }) => to === targetOfKey(name))
    const claim = claimOf(to)
    if (key !== undefined) {
      const value = said === undefined ? null : metaText(key, said)
      if (value === undefined || (value === null && key.required)) unfit.push(to)
      if (value != null || !key.required) metadata.push({ key, value: value ?? null })
    } else if (claim !== undefined) {
      const value = said === undefined ? null : claimText(claim, said)
      if (value === undefined) unfit.push(to)
      Object.assign(profile, { [claim]: value ?? null })
    }
  }
  return { metadata, profile, unfit }
}

/** The target of a rule that writes values of a key. */
export function targetOfKey(name: string): string {
  return `metadata.${name}`
}

/** The claim that a target names; undefined where it names none. */
export function claimOf(target: string): MappedClaim | undefined {
  const name = target.startsWith('profile.') ? target.slice('profile.'.length) : ''
  return Object.keys(mappedClaims).find((claim): claim is MappedClaim => claim === name)
}

/** Null for a blank text; undefined where the value does not fit. */
function metaText({ type }: DeclaredKey, { whole, one }: Said): string | null | undefined {
  const text = type === 'json' ? JSON.stringify(whole, inOrder) : textOf(one)
  if (text?.trim() === '') return null
  return text !== undefined && !text.includes('\0') && isMetaValue(type, text) ? text : undefined
}

/** Members by name: Postgres gives them back in another order, which is no change. */
function inOrder(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)))
}

function claimText(claim: MappedClaim, { one }: Said): string | null | undefined {
  const text = textOf(one)
  if (text?.trim() === '') return null
  if (text?.includes('\0') === true) return undefined
  const read = mappedClaims[claim].safeParse(text)
  return read.success && typeof read.data === 'string' ? read.data : undefined
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value.isWellFormed() ? value : undefined
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined
}
