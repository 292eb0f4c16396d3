import { withoutSecrets } from '@portico/contract/sensitivity'
import type { z } from 'zod/v4'
import type { Deps } from '../../delivery/deps.js'
import { ApiError } from '../../platform/errors.js'
import type { Changed } from '../../delivery/events/change.js'
import type { Caller, Tenant } from '../../platform/tenant.js'

/** Settings by their names in the contract, as JSON has them. */
export type Members = Readonly<Record<string, unknown>>

/** The tenant of every operation; things of the account are handled from one of its organizations. */
export interface PromotionTarget extends Caller, Tenant {
  readonly organizationId: string
}

/** An existing thing. */
export interface Found {
  readonly id: string
  readonly record: Members
}

/** A kind of thing that is promoted: its section in the file, its key, and the operations on it. */
export interface Kind {
  /** Its section in the file. */
  readonly section: string
  /** Its router in the contract. */
  readonly resource: string
  readonly of: 'account' | 'organization'
  /** The member of its input that names it; null where an organization has one. */
  readonly key: string | null
  /** Two of the same name are refused, or numbered in the order in which they are found. */
  readonly doubles: 'refused' | 'numbered'
  /** The members that are promoted, in the order of the contract. */
  readonly members: readonly string[]
  /** The members of the inputs that are not promoted, each with the reason. */
  readonly omitted: Readonly<Record<string, string>>
  readonly record: z.ZodObject
  /** The input of POST; undefined where there is always one. */
  readonly creation: z.ZodObject | undefined
  readonly changes: z.ZodObject
  readonly isDeletable: boolean
  find(deps: Deps, place: PromotionTarget): Promise<Found[]>
  create(deps: Deps, place: PromotionTarget, input: Members): Promise<Found>
  update(deps: Deps, place: PromotionTarget, id: string, input: Members): Promise<Found>
  remove(deps: Deps, place: PromotionTarget, id: string): Promise<void>
}

/** The parts of a kind: schemas of the contract, and operations on what these read. */
interface Parts<Creation extends z.ZodObject, Changes extends z.ZodObject> extends Pick<
  Kind,
  'section' | 'resource' | 'of' | 'key' | 'omitted' | 'record'
> {
  readonly doubles?: Kind['doubles']
  /** Takes what the input of a member does not have from a record. */
  readonly toInput?: (record: Members) => Members
  readonly changes: Changes
  readonly find: (deps: Deps, place: PromotionTarget) => Promise<readonly Named[]>
  readonly creation?: Creation
  readonly create?: (deps: Deps, place: PromotionTarget, input: z.output<Creation>) => Promise<Changed<Named>>
  readonly update: (
    deps: Deps,
    place: PromotionTarget,
    id: string,
    input: z.output<Changes>,
  ) => Promise<Changed<Named>>
  readonly remove?: (deps: Deps, place: PromotionTarget, id: string) => Promise<unknown>
}

/** A record; where an organization has one it need not have an id. */
type Named = object & { readonly id?: string }

/** Makes a kind of its parts: the contract's schemas read inputs, and secrets are removed from records. */
export function kindOf<Creation extends z.ZodObject, Changes extends z.ZodObject>({
  find,
  create,
  update,
  remove,
  toInput = (record) => record,
  ...parts
}: Parts<Creation, Changes>): Kind {
  const { key, omitted, creation, changes, doubles = 'refused' } = parts
  const inputs = new Set(Object.keys({ ...creation?.shape, ...changes.shape }))
  const toFound = (record: Named): Found => ({
    id: record.id ?? '',
    record: toInput(withoutSecrets(parts.record, record) as Members),
  })
  const impossible = (act: string) => new Error(`${parts.section} cannot be ${act}`)
  return {
    ...parts,
    doubles,
    creation,
    members: [...inputs].filter((name) => name !== key && !Object.hasOwn(omitted, name)),
    isDeletable: remove !== undefined,
    find: async (deps, place) => (await find(deps, place)).map(toFound),
    create: async (deps, place, input) => {
      if (create === undefined || creation === undefined) throw impossible('created')
      return toFound((await create(deps, place, creation.parse(input))).record)
    },
    update: async (deps, place, id, input) =>
      toFound((await update(deps, place, id, changes.parse(input))).record),
    remove: async (deps, place, id) => {
      if (remove === undefined) throw impossible('deleted')
      await remove(deps, place, id)
    },
  }
}

/** All items of a list, read page by page. */
export async function everyPage<Item>(
  list: (query: {
    per_page: number
    after?: string
  }) => Promise<{ data: Item[]; next_cursor: string | null }>,
): Promise<Item[]> {
  const all: Item[] = []
  for (let after: string | null | undefined; after !== null;) {
    const page = await list({ per_page: 100, ...(after !== undefined && { after }) })
    all.push(...page.data)
    after = page.next_cursor
  }
  return all
}

/** The only one of an organization, if it exists. */
export async function oneOrNone<Item>(
  found: Promise<Changed<Item>>,
  missing: ApiError['code'],
): Promise<Item[]> {
  try {
    return [(await found).record]
  } catch (error) {
    if (error instanceof ApiError && error.code === missing) return []
    throw error
  }
}
