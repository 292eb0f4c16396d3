import { setTimeout as sleep } from 'node:timers/promises'
import { dealOrganizations } from './data.js'
import { besideOthers, cpuText, milliseconds, type Figure } from './figures.js'
import { runLoad } from './load.js'
import { interleaved, median, sized, type Settings } from './measure.js'
import { writeRequests, type LoadRequest } from './requests.js'
import { getUserRequests } from './row-users.js'
import { onStage, rowVariables, type Contender } from './stage.js'

/** Each of another organization. */
const directoryCount = 20
const perPage = 200
export const baseUrl = ({ port }: Contender) => `http://127.0.0.1:${port}`

/** A directory, and the secret of its provider. */
export interface Directory {
  readonly path: string
  readonly secret: string
}

/** A user of a directory. */
interface Member {
  readonly id: string
  readonly userName: string
}

/** C2: the usual requests of providers about users, and a group of 10,000 members written at once. */
export async function provisionByScim(settings: Settings): Promise<Figure[]> {
  return onStage(
    settings,
    async (stage) => {
      const { ours, data, tokens } = stage
      const domains = dealOrganizations(data).others
      const directories: Directory[] = []
      for (const domain of domains.slice(0, directoryCount))
        directories.push(await makeDirectory(ours, tokens.sandbox, domain))
      const [first] = directories
      if (first === undefined) throw new Error('the sample has no organization')
      const memberCount = sized(settings, 10_000, 250)
      await makeMembers(ours, first, memberCount)
      const members = await readMembers(ours, first, memberCount)
      const mapping = await makeMappingDirectory(ours, tokens.sandbox, domains[directoryCount])
      await makeMembers(ours, mapping, memberCount)
      const mapped = { directory: mapping, members: await readMembers(ours, mapping, memberCount) }
      const cases = userCases(ours, directories, members, mapped)
      const rounds = await interleaved(stage, cases, settings)
      const look = lookOf(ours, getUserRequests({ data, tokens }))
      const group = await measureGroup(ours, first, { members, rounds: settings.rounds, look })
      const { create, createInLarge } = rounds
      const groupOf = `a group of ${members.length.toLocaleString('en')} members`
      return [
        { row: 'C2', what: 'SCIM, POST one user: CPU', ours: cpuText(create) },
        besideOthers(
          'C2',
          'SCIM, POST one user to a large directory',
          { ours: createInLarge, others: create },
          'small',
        ),
        { row: 'C2', what: 'SCIM, users by userName: CPU', ours: cpuText(rounds.filter) },
        { row: 'C2', what: 'SCIM, PATCH one user: CPU', ours: cpuText(rounds.patch) },
        besideOthers(
          'C2',
          'SCIM, PATCH one user with ten mappings',
          { ours: rounds.mappedPatch, others: rounds.patch },
          'none',
        ),
        { row: 'C2', what: `SCIM, PUT ${groupOf}: one caller`, ours: milliseconds(median(group.put)) },
        { row: 'C2', what: `SCIM, PATCH ${groupOf}: one caller`, ours: milliseconds(median(group.patch)) },
        {
          row: 'C2',
          what: `GET one user during PUT and PATCH of ${groupOf}: longest wait`,
          ours: milliseconds(median(group.waits)),
          beside: `idle ${milliseconds(median(group.idleWaits))}`,
        },
      ]
    },
    rowVariables.scim,
  )
}

/** Begins directory sync in an organization. */
export async function makeDirectory(
  ours: Contender,
  token: string,
  domain: string,
  members: object = {},
): Promise<Directory> {
  const answer = await postTo(ours, token, `/api/v2/org/${domain}/directory-sync`, {
    provider_type: 'custom_scim',
    ...members,
  })
  // The contract of directorySync.create.
  const { id, auth_secret_token } = (await answer.json()) as {
    readonly id: string
    readonly auth_secret_token: { readonly value: string }
  }
  return { path: `/scim/v2/${id}`, secret: auth_secret_token.value }
}

async function postTo(ours: Contender, token: string, path: string, body: object): Promise<Response> {
  const answer = await fetch(`${baseUrl(ours)}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(`POST ${path}: ${answer.status} ${await answer.text()}`)
  return answer
}

/** The paths of ten mappings. */
export const mappedPaths = [
  ...['title', 'nickName', 'userType', 'displayName', 'locale', 'preferredLanguage', 'timezone'],
  ...['name.givenName', 'name.familyName', 'emails.value'],
]

/** The same with ten mappings, in an organization without one. */
async function makeMappingDirectory(
  ours: Contender,
  token: string,
  domain: string | undefined,
): Promise<Directory> {
  if (domain === undefined) throw new Error('the sample has too few organizations')
  await makeKeys(ours, token, domain)
  return makeDirectory(ours, token, domain, { attribute_mapping: mappingFrom(mappedPaths) })
}

/** A key for each of ten mappings. */
export async function makeKeys(ours: Contender, token: string, domain: string): Promise<void> {
  const path = `/api/v2/org/${domain}/token-customization/user-metakey`
  for (const index of mappedPaths.keys())
    await postTo(ours, token, path, { name: keyOf(index), type: 'string', required: false })
}

/** Rules that write the values of paths into these keys. */
export function mappingFrom(paths: readonly string[]) {
  return paths.map((from, index) => ({ from, to: `metadata.${keyOf(index)}` }))
}

const keyOf = (index: number) => `mapped_${index}`

const newUser = {
  userName: '{unique}@people.example',
  externalId: '{unique}',
  name: { givenName: 'Grace', familyName: 'Hopper' },
  emails: [{ value: '{unique}@people.example', type: 'work', primary: true }],
  title: 'Engineer',
  active: true,
}

export const createIn = ({ path, secret }: Directory) =>
  ({ method: 'POST', path: `${path}/Users`, token: secret, body: newUser }) as const

/** Makes users of a directory. */
export async function makeMembers(
  { port }: Contender,
  directory: Directory,
  requests: number,
): Promise<void> {
  await runLoad({
    kind: 'requests',
    port,
    requestsFile: writeRequests([createIn(directory)]),
    connections: 25,
    seconds: 0,
    requests,
    seed: `member${Date.now().toString(36)}x`,
  })
}

/** Those whom the directory has made: the list has the other users of the organization, too. */
async function readMembers(ours: Contender, { path, secret }: Directory, count: number): Promise<Member[]> {
  const members: Member[] = []
  while (members.length < count) {
    const filter = encodeURIComponent('externalId pr')
    const page = `filter=${filter}&startIndex=${members.length + 1}&count=${perPage}&attributes=userName`
    const answer = await fetch(`${baseUrl(ours)}${path}/Users?${page}`, {
      headers: { authorization: `Bearer ${secret}` },
    })
    // RFC 7644 section 3.4.2.
    const { Resources } = (await answer.json()) as { readonly Resources: readonly Member[] }
    if (Resources.length === 0) throw new Error('the list of users ends early')
    members.push(...Resources)
  }
  return members.slice(0, count)
}

function userCases(
  ours: Contender,
  directories: readonly Directory[],
  members: readonly Member[],
  mapped: { readonly directory: Directory; readonly members: readonly Member[] },
) {
  const [large = { path: '', secret: '' }, ...small] = directories
  const { path, secret: token } = large
  const filter = (userName: string) => encodeURIComponent(`userName eq "${userName}"`)
  const patch = {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
    Operations: [{ op: 'replace', path: 'title', value: '{unique}' }],
  }
  const caseOf = (requests: Parameters<typeof writeRequests>[0]) => ({
    contender: ours,
    requestsFile: writeRequests(requests),
  })
  const patchIn = (directory: Directory, { id }: Member) =>
    ({
      method: 'PATCH',
      path: `${directory.path}/Users/${id}`,
      token: directory.secret,
      body: patch,
    }) as const
  return {
    create: caseOf(small.map(createIn)),
    createInLarge: caseOf([createIn(large)]),
    filter: caseOf(
      members.map(({ userName }) => ({
        method: 'GET',
        path: `${path}/Users?filter=${filter(userName)}`,
        token,
      })),
    ),
    patch: caseOf(members.map((member) => patchIn(large, member))),
    mappedPatch: caseOf(mapped.members.map((member) => patchIn(mapped.directory, member))),
  }
}

interface GroupTimes {
  readonly put: number[]
  readonly patch: number[]
  /** The longest of another caller's meanwhile, and of one in the same time without. */
  readonly waits: number[]
  readonly idleWaits: number[]
}

interface GroupWork {
  readonly members: readonly Member[]
  readonly rounds: number
  readonly look: () => Promise<void>
}

/** Each from an empty group, by one caller, from the first byte of the request to the last of the answer. */
async function measureGroup(
  ours: Contender,
  { path, secret }: Directory,
  { members, rounds, look }: GroupWork,
): Promise<GroupTimes> {
  const ask = async (method: string, where: string, body: string) => {
    const start = performance.now()
    const answer = await fetch(`${baseUrl(ours)}${path}${where}`, {
      method,
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/scim+json' },
      body,
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${method} ${where}: ${answer.status} ${text.slice(0, 500)}`)
    return { ms: performance.now() - start, text }
  }
  const displayName = 'Everybody'
  const value = members.map(({ id }) => ({ value: id }))
  const made = await ask('POST', '/Groups', JSON.stringify({ displayName }))
  const { id } = JSON.parse(made.text) as { readonly id: string }
  const where = `/Groups/${id}`
  const empty = JSON.stringify({ Operations: [{ op: 'remove', path: 'members' }] })
  const whole = JSON.stringify({ displayName, members: value })
  const added = JSON.stringify({ Operations: [{ op: 'add', path: 'members', value }] })
  const times: GroupTimes = { put: [], patch: [], waits: [], idleWaits: [] }
  const write = async () => {
    const put = await ask('PUT', where, whole)
    await ask('PATCH', where, empty)
    const patch = await ask('PATCH', where, added)
    await ask('PATCH', where, empty)
    return { put: put.ms, patch: patch.ms }
  }
  // The first is the warm-up.
  await write()
  for (let round = 0; round < rounds; round += 1) {
    const { put, patch } = await write()
    times.put.push(put)
    times.patch.push(patch)
    times.waits.push(await longestWait(look, write))
    times.idleWaits.push(await longestWait(look, () => sleep(put + patch)))
  }
  return times
}

/** Of one who looks again and again while something is done. */
async function longestWait(look: () => Promise<void>, work: () => Promise<unknown>): Promise<number> {
  let isOver = false
  const done = work().finally(() => (isOver = true))
  let longest = 0
  while (!isOver) {
    const start = performance.now()
    await look()
    longest = Math.max(longest, performance.now() - start)
  }
  await done
  return longest
}

function lookOf(ours: Contender, requests: readonly LoadRequest[]): () => Promise<void> {
  let turn = 0
  return async () => {
    turn += 1
    const { path = '', token = '' } = requests[turn % requests.length] ?? {}
    const answer = await fetch(`${baseUrl(ours)}${path}`, { headers: { authorization: `Bearer ${token}` } })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`GET ${path}: ${answer.status} ${text}`)
  }
}
