import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { dealOrganizations } from './data.js'
import { milliseconds, type Figure } from './figures.js'
import { measure, medianOf, ratioOf, sized, type Measured, type Settings } from './measure.js'
import { makeJourneys } from './row-journey.js'
import { baseUrl, makeDirectory, makeKeys, makeMembers, mappedPaths, mappingFrom } from './row-scim.js'
import { onStage, rowVariables, type Stage } from './stage.js'

/** Far longer than it takes until the first users are written. */
const patienceMs = 60_000

/** R3: sign-ins by link while a change of mappings is applied to the users of a directory. */
export async function signInDuringRemap(settings: Settings): Promise<Figure[]> {
  const userCount = sized(settings, 20_000, 1_000)
  return onStage(
    settings,
    async (stage) => {
      const { ours, data, tokens } = stage
      // The last, because in a quick look the first have other directories.
      const domain = dealOrganizations(data).others.at(-1)
      if (domain === undefined) throw new Error('the sample has no organization')
      await makeKeys(ours, tokens.sandbox, domain)
      await makeMembers(ours, await makeDirectory(ours, tokens.sandbox, domain), userCount)
      const journeys = { ...(await makeJourneys(stage)), connections: 1 }
      const directory = { ...stage, token: tokens.sandbox, domain }
      const idle: Measured[] = []
      const busy: Measured[] = []
      await measure(stage, journeys, settings.seconds)
      for (let round = 0; round < settings.rounds; round += 1) {
        idle.push(await measure(stage, journeys, settings.seconds))
        await beginRemap(directory, round)
        busy.push(await measure(stage, journeys, settings.seconds))
        if (await isRemapped(directory)) throw new Error('all users were remapped before the round was over')
        while (!(await isRemapped(directory))) await sleep(500)
      }
      return [figureOf(userCount, idle, busy)]
    },
    rowVariables.scim,
  )
}

function figureOf(userCount: number, idle: readonly Measured[], busy: readonly Measured[]): Figure {
  return {
    row: 'R3',
    what: `magic-link journey while ${userCount.toLocaleString('en')} users are remapped, one caller: median`,
    ours: milliseconds(medianOf(busy, 'p50Ms')),
    beside: `idle ${milliseconds(medianOf(idle, 'p50Ms'))}`,
    ratio: ratioOf(busy, idle, 'p50Ms'),
  }
}

interface MappedDirectory extends Pick<Stage, 'ours' | 'databaseUrl'> {
  readonly token: string
  readonly domain: string
}

/** Changes every rule, so that every user has other values, and waits until the first of them are written. */
async function beginRemap(directory: MappedDirectory, round: number): Promise<void> {
  const paths = mappedPaths.map((_, index) => mappedPaths[(index + round) % mappedPaths.length] ?? '')
  await ask(directory, { attribute_mapping: mappingFrom(paths) })
  await makeDue(directory)
  const end = Date.now() + patienceMs
  while (((await ask(directory)) ?? { done: 0 }).done === 0) {
    if (Date.now() > end) throw new Error('the users are not remapped')
    await sleep(200)
  }
}

/** A change of rules is applied a minute later (decision 45), which is not what is measured. */
async function makeDue({ databaseUrl }: MappedDirectory): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    await client.query(`update jobs set run_at = $1 where name = 'remap_directory'`, [new Date()])
  } finally {
    await client.end()
  }
}

async function isRemapped(directory: MappedDirectory): Promise<boolean> {
  const progress = await ask(directory)
  return progress === null || progress.done >= progress.total
}

/** Reads the directory, or changes it. @returns Its progress. */
async function ask(
  { ours, token, domain }: MappedDirectory,
  changes?: object,
): Promise<{ readonly done: number; readonly total: number } | null> {
  const answer = await fetch(`${baseUrl(ours)}/api/v2/org/${domain}/directory-sync`, {
    method: changes === undefined ? 'GET' : 'PUT',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(changes !== undefined && { body: JSON.stringify(changes) }),
  })
  if (!answer.ok) throw new Error(`the directory: ${answer.status} ${await answer.text()}`)
  // The contract of directorySync.get and update.
  const { mapping_progress: progress } = (await answer.json()) as {
    readonly mapping_progress: { readonly done: number; readonly total: number } | null
  }
  return progress
}
