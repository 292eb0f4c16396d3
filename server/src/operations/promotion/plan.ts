import { createHash } from 'node:crypto'
import { nameOfPath, pathOf, type Address, type Path } from './address.js'
import type { Configuration, FormerName, ExistingThing, Scope } from './configuration.js'
import { parsed, type WantedConfiguration, type WantedThing } from './desired.js'
import { ConfigurationFaults, type ConfigurationFault } from './faults.js'
import type { Kind, Members, PromotionTarget } from './kind.js'
import { kinds } from './kinds.js'
import { fromKey, toKey } from './numbers.js'

/** The creation, change or deletion of one thing. */
export interface PlanStep {
  readonly action: 'create' | 'update' | 'delete'
  readonly path: Path
  /** Of the thing; null before it is made. */
  readonly id: string | null
  /** For a change, the members that change; null before a creation. */
  readonly before: Members | null
  /** Null after a deletion. */
  readonly after: Members | null
}

/** A step with what its execution needs. */
export interface PlannedStep extends PlanStep, Address {
  readonly place: PromotionTarget
  /** The existing thing; undefined before a creation. */
  readonly present: ExistingThing | undefined
  /** All wanted members, unchanged ones included; null for a deletion. */
  readonly wanted: Members | null
}

export interface ConfigurationPlan {
  /** In their order. */
  readonly steps: readonly PlannedStep[]
  /** Existing things that the file does not cover. */
  readonly leftAlone: readonly Path[]
  /** Things that a rollback leaves alone, because another thing has their name by now. */
  readonly replaced: readonly Path[]
  /** Equal only for the same steps on the same things of the same environment. */
  readonly digest: string
}

/**
 * Plans the steps from a configuration to the desired one. Creations that the contract would refuse are refused here.
 *
 * @param isPruned Whether things that a listed section does not have are deleted, where possible.
 * @throws ConfigurationFaults
 */
export function planChanges(
  scope: Scope,
  configuration: Configuration,
  desired: WantedConfiguration,
  isPruned: boolean,
): ConfigurationPlan {
  const faults: ConfigurationFault[] = []
  const named = new Map(configuration.present.map((present) => [idOf(pathOf(present)), present]))
  const former = new Map(configuration.former.map((one) => [idOf(pathOf(one)), one]))
  const wantedIds = new Set(desired.wanted.map((wanted) => idOf(pathOf(wanted))))
  const isNamed = (address: Address) =>
    [named, former, wantedIds].some((ids) => ids.has(idOf(pathOf(address))))
  const planned = desired.wanted.flatMap((wanted): PlannedStep | [] => {
    const present = named.get(idOf(pathOf(wanted)))
    if (present !== undefined) return changeOf(present, wanted) ?? []
    if (wanted.members === null) return []
    const creation = creationOf(configuration, wanted, wanted.members)
    const its = former.get(idOf(pathOf(wanted)))
    faults.push(...faultsOfNumber(wanted, its, isNamed), ...creation.faults)
    return creation.step ?? []
  })
  if (faults.length > 0) throw new ConfigurationFaults(faults)

  const told = new Set(desired.told.map(idOf))
  const others = configuration.present.filter(
    (present) => told.has(idOf(sectionOf(present))) && !wantedIds.has(idOf(pathOf(present))),
  )
  const pruned = isPruned ? others.filter(({ kind }) => kind.isDeletable) : []
  const steps = [...planned, ...pruned.map(deletionOf)].toSorted(inOrder)
  return {
    steps,
    leftAlone: others.filter((one) => !pruned.includes(one) && one.kind.creation !== undefined).map(pathOf),
    replaced: [],
    digest: digestOf(scope, steps),
  }
}

/** The members that differ from the wanted ones. */
export function differences(wanted: Members, is: Members): string[] {
  return Object.keys(wanted).filter((name) => JSON.stringify(wanted[name]) !== JSON.stringify(is[name]))
}

/** The part of a step that is shown, stored and compared. */
export function toStep({ action, path, id, before, after }: PlanStep): PlanStep {
  return { action, path, id, before, after }
}

/** The naming member of a creation's input: the key without the number that tells it from another. */
export function keyMemberOf(kind: Kind, key: string | null): Members {
  if (kind.key === null || key === null) return {}
  return { [kind.key]: kind.doubles === 'numbered' ? fromKey(key).name : key }
}

/** The members that the input of a creation accepts. */
export function creationMembers(kind: Kind, members: Members): Members {
  const taken = Object.entries(members).filter(([name]) => Object.hasOwn(kind.creation?.shape ?? {}, name))
  return Object.fromEntries(taken)
}

function changeOf(present: ExistingThing, wanted: WantedThing): PlannedStep | undefined {
  // Things that cannot be deleted are deactivated.
  const off = present.members['active'] === true ? { active: false } : {}
  if (wanted.members === null && present.kind.isDeletable) return deletionOf(present)
  const members = wanted.members ?? off
  const names = differences(members, present.members)
  if (names.length === 0) return undefined
  return {
    ...present,
    action: 'update',
    path: pathOf(present),
    before: only(names, present.members),
    after: only(names, members),
    present,
    wanted: members,
  }
}

/** The named members. */
export function only(names: readonly string[], members: Members): Members {
  return Object.fromEntries(names.map((name) => [name, members[name]]))
}

/** The creation of a missing thing, and its faults. */
function creationOf(
  { places, accountPlace }: Configuration,
  wanted: WantedThing,
  members: Members,
): { readonly step?: PlannedStep; readonly faults: readonly ConfigurationFault[] } {
  const path = pathOf(wanted)
  const { organization } = wanted
  const place = organization === null ? accountPlace : places.get(organization)
  if (place === undefined)
    return {
      faults: [{ path, message: 'cannot be made in an account without an organization: create one first' }],
    }
  const step = { ...wanted, action: 'create', path, id: null, before: null, after: members } as const
  return {
    step: { ...step, place, present: undefined, wanted: members },
    faults: faultsOfCreation(wanted, members),
  }
}

function deletionOf(present: ExistingThing): PlannedStep {
  return {
    ...present,
    action: 'delete',
    path: pathOf(present),
    before: present.members,
    after: null,
    present,
    wanted: null,
  }
}

function faultsOfCreation(wanted: WantedThing, members: Members): readonly ConfigurationFault[] {
  const { kind, key } = wanted
  const input = { ...keyMemberOf(kind, key), ...creationMembers(kind, members) }
  const path = pathOf(wanted)
  const { creation } = kind
  if (creation === undefined) return []
  return parsed(path, () => creation.safeParse(input)).faults.map((fault) =>
    // The key has no line of its own.
    fault.path.at(-1) === kind.key ? { ...fault, path } : fault,
  )
}

function sectionOf(address: Address): Path {
  return pathOf({ ...address, key: null })
}

/** A new thing gets the next number, whatever the file calls it. */
function faultsOfNumber(
  wanted: WantedThing,
  former: FormerName | undefined,
  isNamed: (address: Address) => boolean,
): ConfigurationFault[] {
  const { kind, key } = wanted
  if (kind.doubles !== 'numbered' || key === null) return []
  const { name, number } = fromKey(key)
  if (former !== undefined) {
    const message = `is the name of ${former.id}, whose ${kind.key} is another one by now: call a new one by the next number`
    return [{ path: pathOf(wanted), message }]
  }
  const before = toKey({ name, number: number - 1 })
  if (number === 1 || isNamed({ ...wanted, key: before })) return []
  return [
    { path: pathOf(wanted), message: `must have ${before} before it: they are numbered as they were made` },
  ]
}

const byName = new Intl.Collator('en', { numeric: true })

/** Things that others need come first, and deletions last, in reverse. What needs a thing no more comes before all. */
function inOrder(one: PlannedStep, other: PlannedStep): number {
  const [frees, freesLater] = [one, other].map(freesSecondFactor)
  if (frees !== freesLater) return frees === true ? -1 : 1
  const [first, last] = [one, other].map(({ action }) => action === 'delete')
  if (first !== last) return first === true ? 1 : -1
  const order =
    kinds.indexOf(one.kind) - kinds.indexOf(other.kind) ||
    byName.compare(nameOfPath(one.path), nameOfPath(other.path))
  return first === true ? -order : order
}

/** A policy that demands a second factor no more, without which that is not switched off. */
function freesSecondFactor({ kind, present, wanted }: PlannedStep): boolean {
  const [before, after] = [present?.members, wanted].map((members) => members?.['second_factor'])
  return kind.section === 'policy' && before === 'required' && after === 'optional'
}

function digestOf({ account, environment }: Scope, steps: readonly PlanStep[]): string {
  const content = JSON.stringify([account.id, environment, steps.map(toStep)])
  return createHash('sha256').update(content).digest('hex')
}

function idOf(path: Path): string {
  return JSON.stringify(path)
}
