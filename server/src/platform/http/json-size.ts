import { BodyFault } from './body-fault.js'

/** As much as the JSON of one body may have. */
export interface JsonBounds {
  /** Members of objects and elements of lists, at all levels together. */
  readonly values: number
  /** Different names of members: each of them costs a parser far more than one that it has seen. */
  readonly names: number
}

/** Of objects and lists in each other; no parameter has more than a few. */
export const maxJsonDepth = 32

/** In UTF-16 units; the longest name of any body is that of a SCIM schema with an attribute. */
const maxNameLength = 1000

/** Of more names than these engines make a table for each object. Such names count against the bound of the different ones. */
const narrowNames = 100

const quote = 0x22
const backslash = 0x5c

/**
 * Goes over the text of JSON once, before anything is made of it, and counts what a parser would make. Of text that is not
 * JSON it says nothing.
 *
 * @returns How many names of members there are, repeated ones included.
 * @throws BodyFault `too_many`, as soon as a bound is passed
 */
export function measureJson(text: string, bounds: JsonBounds): number {
  const different = new Set<number>()
  /** Of the object or list that is open at each level. */
  const widths: number[] = [0]
  let [names, values, wideNames] = [0, 0, 0]
  /** Where the last text begins that was no name yet, so that each is looked at once. */
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
        different.add(hashOfText(text, textAt))
        textAt = undefined
        if (addTo(widths) > narrowNames) wideNames += 1
        if (Math.max(different.size, wideNames) > bounds.names)
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

/** Each list and object counts as its first value, which an empty one does not have. */
function counted(values: number, bounds: JsonBounds): number {
  if (values >= bounds.values)
    throw new BodyFault('too_many', `The body must have at most ${bounds.values} members in all.`)
  return values + 1
}

/** Where the quote stands that ends a text; the length of the whole where none does. */
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
