import { relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { TestProject } from 'vitest/node'
import { installDebianTools } from './debian-tools.js'
import { startTemplate, templateIn } from './template-database.js'

declare module 'vitest' {
  interface ProvidedContext {
    /** A database whose role may create others. */
    adminUrl: string
    /** The migrated database that every test file clones. */
    templateName: string
    /** The workers of a Citus cluster, as host:port, whose coordinator has the databases; none in a single Postgres. */
    citusWorkers: readonly string[]
  }
}

/** Starts Postgres with a migrated database, or takes one at TEST_DATABASE_URL. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  await installDebianTools(await chosenFiles(project.vitest))
  const given = process.env.TEST_DATABASE_URL
  const { adminUrl, templateName, close } =
    given === undefined ? await startTemplate() : await templateIn(given)
  project.provide('adminUrl', adminUrl)
  project.provide('templateName', templateName)
  project.provide('citusWorkers', (process.env.TEST_CITUS_WORKERS ?? '').split(',').filter(Boolean))
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

const root = fileURLToPath(new URL('..', import.meta.url))
