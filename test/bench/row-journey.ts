import { besideBare, type Figure } from './figures.js'
import { runLoad } from './load.js'
import { interleaved, type Settings } from './measure.js'
import { writeRequests, type LoadRequest } from './requests.js'
import { applicationName, redirectUri } from './sample.js'
import { onStage, type Stage } from './stage.js'

/** A5: a sign-in by magic link in the sandbox: challenge, open, exchange. */
export async function signInByLink(settings: Settings): Promise<Figure[]> {
  return onStage(settings, async (stage) => {
    const ours = await makeJourneys(stage)
    const measured = await interleaved(stage, { ours, bare: { ...ours, contender: stage.bare } }, settings)
    return besideBare('A5', 'magic-link journey', measured)
  })
}

/** Sign-ins of random users of the sandbox, in organizations that have their signing keys. */
export async function makeJourneys(stage: Place) {
  const targets = stage.data.targets.filter(({ environment }) => environment === 'sandbox')
  const requestsFile = writeRequests(shuffled(challengeRequests(stage, targets)))
  const journey = { kind: 'journey', requestsFile, application: await getApplicationId(stage) } as const
  // The signing keys of the sample's organizations are made when they are first used, so one journey goes to each of them.
  const first = [...new Map(targets.map((target) => [target.domain, target])).values()]
  const firstFile = writeRequests(challengeRequests(stage, first))
  const every = { ...journey, requestsFile: firstFile, connections: 5, seconds: 0, requests: first.length }
  await runLoad({ ...every, port: stage.ours.port, seed: 'keys' })
  return { ...journey, contender: stage.ours }
}

type Place = Pick<Stage, 'ours' | 'data' | 'tokens'>

function challengeRequests({ tokens }: Place, targets: Stage['data']['targets']): LoadRequest[] {
  return targets.map(({ domain, email }) => ({
    method: 'POST',
    path: '/api/v2/magic-link-challenge',
    token: tokens.sandbox,
    body: { user_email: email, org_domain: domain, redirect_uri: redirectUri, send_email: false },
  }))
}

/** In another order each time. */
export function shuffled<Item>(items: readonly Item[]): Item[] {
  return items
    .map((item) => ({ item, place: Math.random() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ item }) => item)
}

/** Of the account's application in the sandbox. */
export async function getApplicationId({ ours, data, tokens }: Place): Promise<string> {
  const [target] = data.targets.filter(({ environment }) => environment === 'sandbox')
  const path = `/api/v2/org/${target?.domain}/applications`
  const answer = await fetch(`http://127.0.0.1:${ours.port}${path}`, {
    headers: { authorization: `Bearer ${tokens.sandbox}` },
  })
  // The contract of applications.list.
  const { data: applications } = (await answer.json()) as { data: { id: string; name: string }[] }
  const application = applications.find(({ name }) => name === applicationName)
  if (application === undefined) throw new Error('the sample has no application')
  return application.id
}
