import { environments, type Environment } from '@portico/contract/fields'
import { Document, isMap, isPair, isScalar, isSeq, LineCounter, parseDocument, type Node } from 'yaml'
import { nameOfPath, pathOf, type Path } from './address.js'
import type { ExistingThing, Scope } from './configuration.js'
import type { Kind } from './kind.js'
import { kinds } from './kinds.js'

/** Of the file's format. */
const version = 1

const overrides = 'environments'

/** A file as it applies to one environment. */
export interface ConfigurationFile {
  /** The data with the overrides of the environment, and without the overrides themselves. */
  readonly data: Readonly<Record<string, unknown>>
  /** The position of a path: name, line and column, from 1. */
  where(path: Path): string
  /** A note for that path: members beside it are overridden elsewhere in the file. */
  remarkOn(path: Path): string
}

/**
 * Reads a file for an environment: its section under `environments` is applied to the rest, as a merge patch (RFC 7396).
 *
 * @throws Error sentences with line and column for text that is not YAML, or of another form.
 */
export function readConfigurationFile(
  name: string,
  text: string,
  environment: Environment,
): ConfigurationFile {
  const { document, at } = parse(name, text)
  const { data, fault } = dataOf(document)
  const where = (path: Path) => at(nearestOffset(document.contents, path, environment))
  if (fault !== undefined) throw new Error(`${where(fault.path)} ${fault.message}`)
  const { [overrides]: patches, version: _, ...rest } = data
  const patch: unknown = isObject(patches) ? patches[environment] : undefined
  const patched = patch === undefined ? rest : merged(rest, patch)
  const remarkOn = (path: Path) =>
    isOverriddenBeside(document.contents, path, environment)
      ? ` (${overrides}.${environment} overrides other members of it: override this one there, too)`
      : ''
  return { data: isObject(patched) ? patched : {}, where, remarkOn }
}

/**
 * A configuration as a file: the same text for the same configuration, whenever and wherever it is written.
 *
 * @param before The text of the file that is replaced, whose overrides stay.
 */
export function writeConfiguration(
  present: readonly ExistingThing[],
  { account, environment }: Pick<Scope, 'account' | 'environment'>,
  organizations: readonly string[],
  before?: { readonly name: string; readonly text: string },
): string {
  const document = new Document({ version })
  for (const { path, isKeyed } of sectionsOf(organizations))
    document.setIn(path, isKeyed ? document.createNode({}) : null)
  const inOrder = present.map((one) => ({ path: pathOf(one), members: one.members })).toSorted(byPath)
  for (const { path, members } of inOrder) document.setIn(path, document.createNode(members))
  const withQuery = present.filter(({ members }) => hasQuery(members['target_url'])).map(pathOf)
  document.commentBefore = [
    ` The configuration of ${account.domain}, pulled from its ${environment} by portico config pull.`,
    ' Secrets, people and what is of identity providers are not in it. What differs by environment stands under environments.',
    ...withQuery.map(
      (path) =>
        ` The target_url of ${nameOfPath(path)} has a query: if that is a secret, it is in this file, in plans and in the history.`,
    ),
  ].join('\n')
  const kept = before === undefined ? undefined : overridesOf(before.name, before.text)
  if (kept !== undefined) document.add(kept)
  // Long texts stay on one line, so that a diff shows the line that differs.
  return document.toString({ lineWidth: 0 })
}

function parse(name: string, text: string) {
  const lineCounter = new LineCounter()
  const document = parseDocument(text, { lineCounter, prettyErrors: false })
  const at = (offset: number) => {
    const { line, col } = lineCounter.linePos(offset)
    return `${name}:${line}:${col}`
  }
  const [first] = [...document.errors, ...document.warnings]
  if (first !== undefined) throw new Error(`${at(first.pos[0])} is no YAML: ${first.message}`)
  return { document, at }
}

function dataOf(document: ReturnType<typeof parseDocument>): {
  data: Record<string, unknown>
  fault?: { path: Path; message: string }
} {
  const data: unknown = document.toJS()
  const none = (message: string, path: Path = []) => ({ data: {}, fault: { path, message } })
  if (!isObject(data)) return none('must have sections: portico config pull writes them')
  if (data['version'] !== version) return none(`must have version: ${version}`, ['version'])
  const patches = data[overrides]
  if (patches === undefined) return { data }
  if (!isObject(patches)) return none('must name environments', [overrides])
  for (const [name, patch] of Object.entries(patches)) {
    if (!environments.some((environment) => environment === name))
      return none(`must be one of ${environments.join(', ')}`, [overrides, name])
    if (!isObject(patch)) return none('must have sections, as the file itself', [overrides, name])
  }
  return { data }
}

/** A merge patch: null removes, objects are merged, and everything else is replaced. */
function merged(base: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch
  const result = new Map(isObject(base) ? Object.entries(base) : [])
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) result.delete(name)
    else result.set(name, merged(result.get(name), value))
  }
  return Object.fromEntries(result)
}

/** The position of a path or its longest existing part: in the overrides, if they have as much of it. */
function nearestOffset(root: Node | null, path: Path, environment: Environment): number {
  const base = follow(root, path)
  const over = follow(root, [overrides, environment, ...path])
  return over.depth - 2 >= base.depth && over.depth > 2 ? over.offset : base.offset
}

/** Whether the overrides have the parent of a member, and not the member. */
function isOverriddenBeside(root: Node | null, path: Path, environment: Environment): boolean {
  const { depth } = follow(root, [overrides, environment, ...path])
  return path.length > 1 && depth - 2 === path.length - 1
}

function follow(root: Node | null, path: Path): { depth: number; offset: number } {
  let node: unknown = root
  let found = { depth: 0, offset: 0 }
  for (const [index, part] of path.entries()) {
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === part)
      if (pair === undefined) return found
      found = { depth: index + 1, offset: offsetOf(pair.key) ?? found.offset }
      node = pair.value
    } else if (isSeq(node) && node.items[Number(part)] !== undefined) {
      node = node.items[Number(part)]
      found = { depth: index + 1, offset: offsetOf(node) ?? found.offset }
    } else return found
  }
  return found
}

function offsetOf(node: unknown): number | undefined {
  return isScalar(node) || isMap(node) || isSeq(node) ? node.range?.[0] : undefined
}

function overridesOf(name: string, text: string) {
  const { document, at } = parse(name, text)
  const { fault } = dataOf(document)
  if (fault !== undefined)
    throw new Error(
      `${at(nearestOffset(document.contents, fault.path, 'sandbox'))} ${fault.message}: ${name} is left as it is`,
    )
  if (!isMap(document.contents)) return undefined
  const pair = document.contents.items.find(({ key }) => isScalar(key) && key.value === overrides)
  return isPair(pair) ? pair : undefined
}

/** The paths of all sections, empty ones included: a file also says what is absent. */
function sectionsOf(organizations: readonly string[]): { path: Path; isKeyed: boolean }[] {
  const sections = (of: Kind['of'], root: Path) =>
    kinds
      .filter((kind) => kind.of === of)
      .map(({ section, key }) => ({ path: [...root, section], isKeyed: key !== null }))
  const ofOrganizations = organizations.flatMap((domain) =>
    sections('organization', ['organizations', domain]),
  )
  return [...sections('account', []), ...ofOrganizations]
}

/** Addresses of webhooks are written in full, and people put tokens into them. */
function hasQuery(url: unknown): boolean {
  return typeof url === 'string' && new URL(url).search !== ''
}

/** By code point, whatever the locale of the machine. */
function byPath(one: { path: Path }, other: { path: Path }): number {
  return Buffer.compare(Buffer.from(one.path.join('\n')), Buffer.from(other.path.join('\n')))
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
