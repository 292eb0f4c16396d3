import { atMost, cpuText, milliseconds, type Figure } from './figures.js'
import { runLoad } from './load.js'
import { interleaved, median, medianOf, type Measured, type Settings } from './measure.js'
import { writeRequests } from './requests.js'
import { skewedData } from './row-users.js'
import { getTokens, onPostgres, startService, stopContender, type Contender } from './stage.js'

/** Each of another organization. */
const directoryCount = 20
const memberCount = 10_000
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
  const data = await skewedData(settings)
  return onPostgres(data, async (_url, postgresPid) => {
    // The limit of a directory is far below what is measured.
    const ours = await startService(data.dataDir, [], { SCIM_RATE_PER_SECOND: '999999999' })
    try {
      const { sandbox } = await getTokens(ours, data)
      const domains = [...new Set(data.targets.map(({ domain }) => domain))].slice(0, directoryCount)
      const directories: Directory[] = []
      for (const domain of domains) directories.push(await makeDirectory(ours, sandbox, domain))
      const [first] = directories
      if (first === undefined) throw new Error('the sample has no organization')
      await makeMembers(ours, first)
      const members = await readMembers(ours, first)
      const rounds = await interleaved({ postgresPid }, userCases(ours, directories, members), settings)
      const group = await measureGroup(ours, first, members, settings.rounds)
      return [
        atMost('C2', 'SCIM, POST one user: CPU', medianOf(rounds.create, 'cpuMs'), {
          text: cpuText(rounds.create),
          goal: 'at most 0.8 ms',
          bound: 0.8,
        }),
        withoutGoal('SCIM, users by userName: CPU', rounds.filter),
        withoutGoal('SCIM, PATCH one user: CPU', rounds.patch),
        groupFigure('PUT', group.put),
        groupFigure('PATCH', group.patch),
      ]
    } finally {
      await stopContender(ours)
    }
  })
}

function withoutGoal(what: string, rounds: readonly Measured[]): Figure {
  return { row: 'C2', what, ours: cpuText(rounds), beside: '-', ratio: '-', goal: '-', isMet: undefined }
}

function groupFigure(method: string, timesMs: readonly number[]): Figure {
  const ms = median(timesMs)
  return atMost('C2', `SCIM, ${method} a group of 10,000 members: one caller`, ms, {
    text: milliseconds(ms),
    goal: 'at most 500 ms',
    bound: 500,
  })
}

/** Begins directory sync in an organization. */
export async function makeDirectory(ours: Contender, token: string, domain: string): Promise<Directory> {
  const answer = await fetch(`${baseUrl(ours)}/api/v2/org/${domain}/directory-sync`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ provider_type: 'custom_scim' }),
  })
  if (!answer.ok) throw new Error(`no directory: ${answer.status} ${await answer.text()}`)
  // The contract of directorySync.create.
  const { id, auth_secret_token } = (await answer.json()) as {
    readonly id: string
    readonly auth_secret_token: { readonly value: string }
  }
  return { path: `/scim/v2/${id}`, secret: auth_secret_token.value }
}

const newUser = {
  userName: '{unique}@people.example',
  externalId: '{unique}',
  name: { givenName: 'Grace', familyName: 'Hopper' },
  emails: [{ value: '{unique}@people.example', type: 'work', primary: true }],
  title: 'Engineer',
  active: true,
}

const createIn = ({ path, secret }: Directory) =>
  ({ method: 'POST', path: `${path}/Users`, token: secret, body: newUser }) as const

async function makeMembers({ port }: Contender, directory: Directory): Promise<void> {
  await runLoad({
    kind: 'requests',
    port,
    requestsFile: writeRequests([createIn(directory)]),
    connections: 25,
    seconds: 0,
    requests: memberCount,
    seed: `member${Date.now().toString(36)}x`,
  })
}

/** Those whom the directory has made: the list has the other users of the organization, too. */
async function readMembers(ours: Contender, { path, secret }: Directory): Promise<Member[]> {
  const members: Member[] = []
  while (members.length < memberCount) {
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
  return members.slice(0, memberCount)
}

function userCases(ours: Contender, directories: readonly Directory[], members: readonly Member[]) {
  const [{ path, secret: token } = { path: '', secret: '' }] = directories
  const filter = (userName: string) => encodeURIComponent(`userName eq "${userName}"`)
  const patch = {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
    Operations: [{ op: 'replace', path: 'title', value: '{unique}' }],
  }
  const caseOf = (requests: Parameters<typeof writeRequests>[0]) => ({
    contender: ours,
    requestsFile: writeRequests(requests),
  })
  return {
    create: caseOf(directories.map(createIn)),
    filter: caseOf(
      members.map(({ userName }) => ({
        method: 'GET',
        path: `${path}/Users?filter=${filter(userName)}`,
        token,
      })),
    ),
    patch: caseOf(
      members.map(({ id }) => ({ method: 'PATCH', path: `${path}/Users/${id}`, token, body: patch })),
    ),
  }
}

interface GroupTimes {
  readonly put: number[]
  readonly patch: number[]
}

/** Each from an empty group, by one caller, from the first byte of the request to the last of the answer. */
async function measureGroup(
  ours: Contender,
  { path, secret }: Directory,
  members: readonly Member[],
  rounds: number,
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
  const times: GroupTimes = { put: [], patch: [] }
  for (let round = 0; round <= rounds; round += 1) {
    const put = await ask('PUT', where, whole)
    await ask('PATCH', where, empty)
    const patch = await ask('PATCH', where, added)
    await ask('PATCH', where, empty)
    // The first is the warm-up.
    if (round > 0) {
      times.put.push(put.ms)
      times.patch.push(patch.ms)
    }
  }
  return times
}
