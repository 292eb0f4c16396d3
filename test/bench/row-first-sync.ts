import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createClient } from '@portico/sdk'
import { copyEmpty, forgetSince, makeAccount } from './data.js'
import { milliseconds, type Figure } from './figures.js'
import { cpuSecondsOf } from './machine.js'
import { median, sized, type Settings } from './measure.js'
import { baseUrl, makeDirectory, type Directory } from './row-scim.js'
import { onPostgres, rowVariables, startService, stopContender, getToken, type Contender } from './stage.js'

/** In which CPU is counted. */
const atOnceOf = (settings: Settings) => sized(settings, 100, 50)
/** Of these at each end the median counts, because autovacuum falls into some. */
const ends = 5

/**
 * C3: the first sync of a directory into a young database, as Okta makes it: one user after the other is looked for by
 * userName, and created. A user at the end costs as much as one at the beginning.
 */
export async function synchronizeFirst(settings: Settings): Promise<Figure[]> {
  const { folder } = settings
  const userCount = sized(settings, 20_000, 500)
  const warmUpCount = sized(settings, 1_000, 100)
  await mkdir(folder, { recursive: true })
  const own = await mkdtemp(join(folder, 'first-sync-'))
  try {
    const dataDir = join(own, 'data')
    await copyEmpty(folder, dataDir)
    return await onPostgres({ dataDir }, async (url, postgresPid) => {
      const data = await makeAccount(dataDir)
      const ours = await startService(dataDir, [], rowVariables.scim)
      try {
        const token = await getToken(ours, data, 'sandbox')
        const { client_id: clientId, client_secret: clientSecret } = data.credentials.sandbox
        const client = createClient({
          ...{ baseUrl: baseUrl(ours), domain: data.account.domain, clientId, clientSecret },
        })
        const { domain } = await client.organizations.create({ name: 'First sync' })
        const directory = await makeDirectory(ours, token, domain)
        const begun = new Date()
        await synchronize(ours, directory, { from: userCount, count: warmUpCount })
        await forgetSince(url, begun)
        const costs: number[] = []
        const atOnce = atOnceOf(settings)
        for (let from = 0; from < userCount; from += atOnce) {
          const before = cpuMs(ours, postgresPid)
          await synchronize(ours, directory, { from, count: atOnce })
          costs.push((cpuMs(ours, postgresPid) - before) / atOnce)
        }
        return [figureOf(userCount, median(costs.slice(0, ends)), median(costs.slice(-ends)))]
      } finally {
        await stopContender(ours)
      }
    })
  } finally {
    await rm(own, { recursive: true, force: true })
  }
}

function figureOf(userCount: number, firstMs: number, lastMs: number): Figure {
  return {
    row: 'C3',
    what: `SCIM, first sync of ${userCount.toLocaleString('en')}, filter and POST a user at the end: CPU`,
    ours: milliseconds(lastMs),
    beside: `at the beginning ${milliseconds(firstMs)}`,
    ratio: lastMs / firstMs,
  }
}

function cpuMs({ pid }: Contender, postgresPid: number): number {
  return 1000 * ((cpuSecondsOf(pid) ?? NaN) + (cpuSecondsOf(postgresPid) ?? NaN))
}

/** One caller, who looks for each user and creates it. */
async function synchronize(
  ours: Contender,
  { path, secret }: Directory,
  { from, count }: { from: number; count: number },
): Promise<void> {
  const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/scim+json' }
  const users = `${baseUrl(ours)}${path}/Users`
  for (let number = from; number < from + count; number += 1) {
    const userName = `user${number}@first.example`
    const filter = encodeURIComponent(`userName eq "${userName}"`)
    const found = await fetch(`${users}?filter=${filter}&startIndex=1&count=100`, { headers })
    // RFC 7644 section 3.4.2.
    const { totalResults } = (await found.json()) as { readonly totalResults: number }
    if (totalResults !== 0) throw new Error(`${userName} is there already`)
    const body = {
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
      userName,
      externalId: `external-${number}`,
      name: { givenName: 'Grace', familyName: `Hopper ${number}` },
      emails: [{ value: userName, type: 'work', primary: true }],
      active: true,
    }
    const made = await fetch(users, { method: 'POST', headers, body: JSON.stringify(body) })
    const text = await made.text()
    if (made.status !== 201) throw new Error(`${userName}: ${made.status} ${text}`)
  }
}
