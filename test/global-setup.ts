import { mkdir, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startEmbedded } from '@portico/server/embedded'
import { copyTemplate } from '@portico/server/embedded-template'
import { migrateDatabase } from '@portico/server/migrate'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { installDebianTools } from './debian-tools.js'

declare module 'vitest' {
  interface ProvidedContext {
    /** A database whose role may create others. */
    adminUrl: string
    /** The migrated database that every test file clones. */
    templateName: string
  }
}

/**
 * Starts Postgres with a migrated database, or migrates one at TEST_DATABASE_URL. The cluster comes from the template cache
 * of the emulator, so only the first run after a change of the migrations creates one.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  await installDebianTools(await chosenFiles(project.vitest))
  const given = process.env.TEST_DATABASE_URL
  const { adminUrl, templateName, close } = given === undefined ? await startOwn() : await migrateIn(given)
  project.provide('adminUrl', adminUrl)
  project.provide('templateName', templateName)
  return close
}

/** The files that will run, from the root of the repository. */
async function chosenFiles(vitest: TestProject['vitest']): Promise<string[]> {
  // Not in the declared type; without it all files are run.
  const pattern: unknown = 'filenamePattern' in vitest ? vitest.filenamePattern : undefined
  const specifications = await vitest.globTestSpecifications(
    Array.isArray(pattern) ? pattern.map(String) : [],
  )
  return specifications.map(({ moduleId }) => relative(root, moduleId).split(sep).join('/'))
}

interface Prepared {
  readonly adminUrl: string
  readonly templateName: string
  readonly close: () => Promise<void>
}

async function startOwn(): Promise<Prepared> {
  const dataDir = await mkdtemp(join(tmpdir(), 'portico-test-'))
  await mkdir(cacheDir, { recursive: true })
  await copyTemplate(cacheDir, dataDir, new Date())
  const postgres = await startEmbedded({ dataDir, throwaway: true, maxConnections: 300 })
  const url = new URL(postgres.url)
  const templateName = url.pathname.slice(1)
  // A database cannot be copied while connections to it are open.
  url.pathname = 'postgres'
  return { adminUrl: url.href, templateName, close: () => postgres.stop() }
}

async function migrateIn(adminUrl: string): Promise<Prepared> {
  const templateName = `portico_template_${process.pid}`
  await run(adminUrl, `create database ${templateName}`)
  const templateUrl = new URL(adminUrl)
  templateUrl.pathname = templateName
  await migrateDatabase(templateUrl.href)
  return { adminUrl, templateName, close: () => run(adminUrl, `drop database ${templateName}`) }
}

const root = fileURLToPath(new URL('..', import.meta.url))
const cacheDir = join(root, 'node_modules/.cache/portico')

async function run(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
