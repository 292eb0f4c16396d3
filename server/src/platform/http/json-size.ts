import { BodyFault } from './body-fault.js'

/** Bounds of the JSON of one body. */
export interface JsonBounds {
  /** Members of objects and elements of lists, of all levels together. */
  readonly values: number
  /** Distinct names of members: each costs a parser far more than a repeated one. */
  readonly names: number
}

/** Nesting of objects and lists; no parameter has more than a few levels. */
const maxJsonDepth = 32

/** In UTF-16 units; the longest name of any body is that of a SCIM schema with an attribute. */
const maxNameLength = 1000

/** Engines make a table for each object with more names than this. Such names count against the bound of distinct ones. */
const narrowNames = 100

const quote = 0x22
const backslash = 0x5c

/**
 * Scans JSON once before it is parsed, and counts what a parser would make. The count is meaningless for text that is
 * not JSON.
 *
 * @returns How many names of members there are, repeated ones included.
 * @throws BodyFault `too_many`, as soon as a bound is passed
 */
export function measureJson(text: string, bounds: JsonBounds): number {
  const distinct = new Set<number>()
  /** Names of the open object or list at each level. */
  const widths: number[] = [0]
  let [names, values, wideNames] = [0, 0, 0]
  /** Start of the last string that is not a name yet, so that each is hashed at most once. */
  let textAt: number | undefined
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case quote:
        textAt = at + 1
        at = endOfText(text, textAt)
        break
      case 0x3a: // a colon
        if (textAt === undefined) break
        names += 1
        distinct.add(hashOfText(text, textAt))
        textAt = undefined
        if (addTo(widths) > narrowNames) wideNames += 1
        if (Math.max(distinct.size, wideNames) > bounds.names)
          throw new BodyFault(
            'too_many',
            `The body must have at most ${bounds.names} different names in all.`,
          )
        break
      case 0x7b: // {
      case 0x5b: // [
        widths.push(0)
        if (widths.length - 1 > maxJsonDepth)
          throw new BodyFault(
            'too_many',
            `The body must not be nested more than ${maxJsonDepth} levels deep.`,
          )
        values = counted(values, bounds)
        break
      case 0x7d: // }
      case 0x5d: // ]
        widths.pop()
        break
      case 0x2c: // a comma
        values = counted(values, bounds)
        break
    }
  }
  return names
}

/** @returns How many names the innermost object has with one more; text that closes more than it opens is not JSON. */
function addTo(widths: number[]): number {
  const last = Math.max(widths.length - 1, 0)
  return (widths[last] = (widths[last] ?? 0) + 1)
}

/** Counts the first value of each list and object, which an empty one lacks. */
function counted(values: number, bounds: JsonBounds): number {
  if (values >= bounds.values)
    throw new BodyFault('too_many', `The body must have at most ${bounds.values} members in all.`)
  return values + 1
}

/** The index of the quote that ends a text; the length of the whole without one. */
function endOfText(text: string, start: number): number {
  let at = start
  for (; at < text.length; at += 1) {
    const unit = text.charCodeAt(at)
    if (unit === backslash) at += 1
    else if (unit === quote) break
  }
  return at
}

/**
 * FNV-1a: two names of one hash are counted as one, which makes a bound a little wider and nothing else.
 *
 * @throws BodyFault `too_many` where the name is too long
 */
function hashOfText(text: string, start: number): number {
  let hash = 0x811c9dc5
  for (let at = start; at < text.length; at += 1) {
    const unit = text.charCodeAt(at)
    if (unit === quote) break
    if (at - start >= maxNameLength)
      throw new BodyFault('too_many', `A name in the body must have at most ${maxNameLength} characters.`)
    hash = Math.imul(hash ^ unit, 0x01000193)
    if (unit === backslash) {
      at += 1
      hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
    }
  }
  return hash
}
