import { isMap, isScalar, LineCounter, parseDocument, type Document } from 'yaml'
import { Seed, type SeedFile, type SeedPath } from './seed-file.js'

/** The faults of a seed, each with its place. */
export class SeedError extends Error {
  override readonly name = 'SeedError'
  constructor(
    readonly faults: readonly string[],
    options?: ErrorOptions,
  ) {
    super(['The seed cannot be used:', ...faults.map((fault) => `  - ${fault}`)].join('\n'), options)
  }
}

/** Further faults mostly follow from the first. */
const maxFaults = 20

/**
 * Reads a seed from YAML.
 *
 * @param file The name of the text in messages.
 * @throws SeedError naming each fault by file, line and path, and what would be right.
 */
export function readSeed(text: string, file: string): SeedFile {
  const lineCounter = new LineCounter()
  const document = parseDocument(text, { lineCounter, prettyErrors: false })
  const at = (offset: number) => {
    const { line, col } = lineCounter.linePos(offset)
    return `${file}:${line}:${col}`
  }
  if (document.errors.length > 0)
    throw new SeedError(document.errors.map(({ pos, message }) => `${at(pos[0])} ${message}`))

  const placeOf = (path: SeedPath) => at(offsetOf(document, path))
  const { data: seed, error } = Seed.safeParse(document.toJS())
  if (seed === undefined)
    throw new SeedError(
      error.issues
        .flatMap((issue) => faultsOf(issue))
        .slice(0, maxFaults)
        .map(({ path, message }) => `${placeOf(path)} ${toText(path)} ${message}`),
    )
  const twice = findRepeated(seed)
  if (twice.length > 0)
    throw new SeedError(twice.map(({ path, message }) => `${placeOf(path)} ${toText(path)} ${message}`))
  return { seed, placeOf }
}

/** A path as people write it: accounts[0].organizations[1].name */
export function toText(path: SeedPath): string {
  if (path.length === 0) return 'the seed'
  return path
    .map((part, index) => (typeof part === 'number' ? `[${part}]` : `${index > 0 ? '.' : ''}${part}`))
    .join('')
}

interface Issue {
  readonly code?: unknown
  readonly path: readonly PropertyKey[]
  readonly message: string
  readonly keys?: unknown
  readonly errors?: readonly (readonly Issue[])[]
}

interface Fault {
  readonly path: SeedPath
  readonly message: string
}

function faultsOf(issue: Issue, parents: SeedPath = []): Fault[] {
  const path = [...parents, ...issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part))]
  if (issue.code === 'unrecognized_keys' && Array.isArray(issue.keys))
    return issue.keys.map((key) => ({
      path: [...path, String(key)],
      message: 'is no member that can stand here: check its name and its indentation',
    }))
  // Of several forms, the intended one is the one whose members were checked.
  const meant = issue.errors?.find((issues) => issues.some(({ path: inner }) => inner.length > 0))
  if (meant !== undefined) return meant.flatMap((inner) => faultsOf(inner, path))
  return [{ path, message: issue.message }]
}

/** Where a part begins, or the nearest one around it: a missing part has no place of its own. */
function offsetOf(document: Document.Parsed, path: SeedPath): number {
  for (let length = path.length; length > 0; length -= 1) {
    const parent = length === 1 ? document.contents : document.getIn(path.slice(0, length - 1), true)
    const last = path[length - 1]
    // The place of a member is that of its name.
    const pair = isMap(parent)
      ? parent.items.find(({ key }) => isScalar(key) && key.value === last)
      : undefined
    const key = isScalar(pair?.key) ? pair.key : document.getIn(path.slice(0, length), true)
    const range = typeof key === 'object' && key !== null && 'range' in key ? key.range : undefined
    if (Array.isArray(range) && typeof range[0] === 'number') return range[0]
  }
  return 0
}

/** Names that two entries of one list share: ids are made from them. */
function findRepeated(seed: Seed): Fault[] {
  return seed.accounts
    .flatMap((account, a) => {
      const here = ['accounts', a]
      return [
        ...repeatedIn([...here, 'api_keys'], account.api_keys, (key) => `${key.environment} ${key.name}`),
        ...repeatedIn(
          [...here, 'webhooks'],
          account.webhooks,
          (hook) => `${hook.environment} ${hook.input.name}`,
        ),
        ...repeatedIn([...here, 'organizations'], account.organizations, ({ input }) => input.name),
        ...account.organizations.flatMap((organization, o) => [
          ...repeatedIn(
            [...here, 'organizations', o, 'meta_keys'],
            organization.meta_keys,
            ({ input }) => input.name,
          ),
          ...(['sandbox', 'production'] as const).flatMap((environment) => {
            const inside = [...here, 'organizations', o, environment]
            const { applications, sso_connections, users } = organization[environment]
            return [
              ...repeatedIn([...inside, 'applications'], applications, ({ input }) => input.name),
              ...repeatedIn([...inside, 'sso_connections'], sso_connections, ({ name }) => name),
              ...repeatedIn([...inside, 'users'], users, ({ input }) => input.email.toLowerCase(), 'email'),
            ]
          }),
        ]),
      ]
    })
    .concat(repeatedIn(['accounts'], seed.accounts, ({ name }) => name))
}

function repeatedIn<Entry>(
  path: SeedPath,
  entries: readonly Entry[],
  nameOf: (entry: Entry) => string,
  member = 'name',
): Fault[] {
  const names = entries.map(nameOf)
  return names.flatMap((name, index) =>
    names.indexOf(name) === index
      ? []
      : [{ path: [...path, index, member], message: 'is that of an entry above it: give each its own' }],
  )
}
