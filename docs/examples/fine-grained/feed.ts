import { isApiError, type Client, type Event, type ListenOptions, type User } from '@portico/sdk'
import { maxTuplesOfWrite, type Engine, type Tuple } from './engine.js'

/**
 * Keeps users, groups and roles in an engine. Start it again after a crash, and it goes on where it was: the cursor is a tuple of the
 * engine, too, which is written after those of its event.
 */
export async function feed(client: Client, engine: Engine, options: ListenOptions = {}): Promise<never> {
  for (;;) {
    const after = (await positionIn(engine)) ?? (await begin(client, engine))
    try {
      for await (const event of client.events.listen({ ...options, after }))
        await follow(client, engine, event)
    } catch (error) {
      if (!isApiError(error, 'events.list') || error.code !== 'events_expired') throw error
      // Away for longer than events are kept: all over again.
      await engine.write({ writes: [], deletes: await positions(engine) })
    }
  }
}

/** Brings over what is there. What happens meanwhile is followed after it. */
async function begin(client: Client, engine: Engine): Promise<string> {
  const { cursor } = await client.events.list({ after: 'latest' })
  for await (const org_domain of organizations(client)) await settleAll(client, engine, org_domain)
  await move(engine, cursor)
  return cursor
}

async function follow(client: Client, engine: Engine, event: Event): Promise<void> {
  const { __domain__: domain, cursor } = event
  const ids = concerned(event)
  if (ids === 'all organizations')
    for await (const org_domain of organizations(client)) await settleAll(client, engine, org_domain)
  else if (ids === 'the organization') await settleAll(client, engine, domain)
  else for (const id of ids) await settle(engine, `user:${id}`, await find(client, domain, id))
  if (cursor !== null) await move(engine, cursor)
}

/** An event tells whom it concerns, and the record what is so now: an event that comes twice does no harm. */
function concerned({ code, data }: Event): readonly string[] | 'the organization' | 'all organizations' {
  if (code.startsWith('role.')) return 'all organizations'
  if (code === 'organization.organization.delete.success') return 'the organization'
  if (code.startsWith('dir_sync.group.') && 'resource' in data) return membersIn(data.resource)
  if (code.startsWith('dir_sync.group.') || code.startsWith('dir_sync.directory.')) return 'the organization'
  if (code.startsWith('user.roles.') && 'user_id' in data) return [String(data.user_id)]
  return code.startsWith('user.user.') && 'id' in data ? [String(data.id)] : []
}

/** Those who came and went. A list has a hundred at most, and a group of another name may give other roles. */
function membersIn(group: object): readonly string[] | 'the organization' {
  const { changes } = group as { changes: Record<'new_values' | 'previous_values', Record<string, unknown>> }
  const values = [changes.new_values, changes.previous_values]
  const ids = values.flatMap(({ members_added: added, members_removed: removed }) => [added, removed])
  const counts = values.map(
    (of) => Number(of['members_added_count'] ?? 0) + Number(of['members_removed_count'] ?? 0),
  )
  const listed = ids.flat().filter((id): id is string => typeof id === 'string')
  const isRenamed = values.every((of) => 'display_name' in of)
  return isRenamed || listed.length < counts.reduce((sum, count) => sum + count) ? 'the organization' : listed
}

async function* organizations(client: Client): AsyncGenerator<string> {
  for (let after: string | undefined; ;) {
    const page = await client.organizations.list({ per_page: 100, ...(after !== undefined && { after }) })
    yield* page.data.map(({ domain }) => domain)
    if (page.next_cursor === null) return
    after = page.next_cursor
  }
}

async function* usersOf(client: Client, org_domain: string): AsyncGenerator<User> {
  const asked = { org_domain, per_page: 100, preload_associations: ['roles' as const] }
  for (let after: string | undefined; ;) {
    const page = await client.users.list({ ...asked, ...(after !== undefined && { after }) })
    yield* page.data
    if (page.next_cursor === null) return
    after = page.next_cursor
  }
}

/** Every user of an organization, and those whom the engine alone still knows. */
async function settleAll(client: Client, engine: Engine, org_domain: string): Promise<void> {
  const known = await engine.read({ relation: 'member', object: `organization:${org_domain}` })
  const gone = new Set(known.map(({ user }) => user))
  try {
    for await (const user of usersOf(client, org_domain)) {
      gone.delete(`user:${user.id}`)
      await settle(engine, `user:${user.id}`, user)
    }
  } catch (error) {
    // The organization is deleted: all of its users are gone.
    if (!isApiError(error, 'users.list') || error.code !== 'organization_not_found') throw error
  }
  for (const user of gone) await settle(engine, user, undefined)
}

async function find(client: Client, org_domain: string, user_id: string): Promise<User | undefined> {
  try {
    const user = await client.users.get({ org_domain, user_id, preload_associations: ['roles'] })
    return 'deleted' in user ? undefined : user
  } catch (error) {
    if (isApiError(error, 'users.get') && error.status === 404) return undefined
    throw error
  }
}

/** Makes the tuples of a user what the record says. */
async function settle(engine: Engine, name: string, user: User | undefined): Promise<void> {
  const wanted = user === undefined || !user.active ? [] : tuplesOf(name, user)
  const types = ['organization:', 'group:', 'role:']
  const is = (await Promise.all(types.map((object) => engine.read({ user: name, object })))).flat()
  await write(engine, { writes: without(wanted, is), deletes: without(is, wanted) })
}

function tuplesOf(name: string, { __domain__: domain, groups, roles = [] }: User): Tuple[] {
  return [
    { user: name, relation: 'member', object: `organization:${domain}` },
    ...groups.map(({ id }) => ({ user: name, relation: 'member', object: `group:${id}` })),
    ...roles.map((role) => ({ user: name, relation: 'assignee', object: `role:${domain}/${role}` })),
  ]
}

function without(tuples: readonly Tuple[], others: readonly Tuple[]): Tuple[] {
  const keys = new Set(others.map(keyOf))
  return tuples.filter((tuple) => !keys.has(keyOf(tuple)))
}

function keyOf({ user, relation, object }: Tuple): string {
  return `${user} ${relation} ${object}`
}

async function write(
  engine: Engine,
  { writes, deletes }: Record<'writes' | 'deletes', Tuple[]>,
): Promise<void> {
  for (let at = 0; at < Math.max(writes.length, deletes.length); at += maxTuplesOfWrite / 2) {
    const part = (all: Tuple[]) => all.slice(at, at + maxTuplesOfWrite / 2)
    await engine.write({ writes: part(writes), deletes: part(deletes) })
  }
}

const position = { relation: 'position', object: 'feed:portico' }

function positions(engine: Engine): Promise<Tuple[]> {
  return engine.read(position)
}

async function positionIn(engine: Engine): Promise<string | undefined> {
  const [at] = await positions(engine)
  return at?.user.slice('cursor:'.length)
}

/** Two that feed one engine cannot both move: one of them deletes what is not there. */
async function move(engine: Engine, cursor: string): Promise<void> {
  const next = { user: `cursor:${cursor}`, ...position }
  const before = await positions(engine)
  if (without([next], before).length > 0) await engine.write({ writes: [next], deletes: before })
}
