import { besideBare, besideOthers, cpuText, milliseconds, type Figure } from './figures.js'
import { interleaved, measure, medianOf, type Settings } from './measure.js'
import { writeRequests, type LoadRequest } from './requests.js'
import { onStage, type Stage } from './stage.js'

type Place = Pick<Stage, 'data' | 'tokens'>

export function getUserRequests({ data, tokens }: Place): LoadRequest[] {
  return data.targets.map(({ domain, environment, id }) => ({
    method: 'GET',
    path: `/api/v2/org/${domain}/users/${id}`,
    token: tokens[environment],
  }))
}

export function createUserRequests({ data, tokens }: Place): LoadRequest[] {
  return data.targets.map(({ domain, environment }) => ({
    method: 'POST',
    path: `/api/v2/org/${domain}/users`,
    token: tokens[environment],
    body: {
      email: '{unique}@people.example',
      phone_number: '+33612345678',
      profile: { given_name: 'Grace', family_name: 'Hopper', locale: 'en-GB' },
      address: { locality: 'Lyon', country: 'France' },
    },
  }))
}

/** A1: GET one user. */
export async function getUser(settings: Settings): Promise<Figure[]> {
  return onStage(settings, async (stage) => {
    const requestsFile = writeRequests(getUserRequests(stage))
    const measured = await interleaved(stage, besides(stage, requestsFile), settings)
    return besideBare('A1', 'GET one user', measured)
  })
}

/** A2: POST one user, with its event. */
export async function createUser(settings: Settings): Promise<Figure[]> {
  return onStage(settings, async (stage) => {
    const requestsFile = writeRequests(createUserRequests(stage))
    const measured = await interleaved(stage, besides(stage, requestsFile), settings)
    return besideBare('A2', 'POST one user, with its event', measured)
  })
}

function besides({ ours, bare }: Stage, requestsFile: string) {
  return { ours: { contender: ours, requestsFile }, bare: { contender: bare, requestsFile } }
}

const perPage = 25

/** A3: list 25 users with the exact total in the largest organization. */
export async function listUsers(settings: Settings): Promise<Figure[]> {
  return onStage(settings, async (stage) => {
    const largest = `/api/v2/org/org-1/users?per_page=${perPage}`
    const deepest = Math.floor((settings.users * 0.3 * 0.9) / perPage)
    const { next_cursor: cursor, total } = await getList(stage, `${largest}&page=${deepest}`)
    const pageCase = (path: string) => ({
      contender: stage.ours,
      requestsFile: writeRequests([{ method: 'GET', path, token: stage.tokens.production }]),
    })
    const cases = {
      first: pageCase(largest),
      page300: pageCase(`${largest}&page=${Math.min(300, deepest)}`),
      cursor: pageCase(`${largest}&after=${cursor}`),
    }
    const { first, page300, cursor: deep } = await interleaved(stage, cases, settings)
    const alone = await measure(stage, { ...cases.page300, connections: 1 }, settings.seconds)
    const where = `list ${perPage} of ${total.toLocaleString('en')}`
    return [
      { row: 'A3', what: `${where}, first page: CPU`, ours: cpuText(first) },
      besideOthers('A3', `${where}, cursor at 90 %`, { ours: deep, others: first }, 'first page'),
      {
        row: 'A3',
        what: `${where}, page 300: p99 of one caller`,
        ours: `${milliseconds(alone.p99Ms)} (CPU ${milliseconds(medianOf(page300, 'cpuMs'))})`,
      },
    ]
  })
}

interface List {
  readonly total: number
  readonly next_cursor: string | null
}

async function getList({ ours, tokens }: Stage, path: string): Promise<List> {
  const answer = await fetch(`http://127.0.0.1:${ours.port}${path}`, {
    headers: { authorization: `Bearer ${tokens.production}` },
  })
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
  // The contract of users.list.
  return (await answer.json()) as List
}
