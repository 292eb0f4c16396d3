import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbedded } from '@portico/server/embedded'
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

/** Starts Postgres, or takes TEST_DATABASE_URL, and migrates the template database once. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  await installDebianTools()
  const given = process.env.TEST_DATABASE_URL
  const postgres =
    given === undefined
      ? await startEmbedded({
          dataDir: await mkdtemp(join(tmpdir(), 'portico-test-')),
          throwaway: true,
          maxConnections: 300,
        })
      : undefined
  const adminUrl = given ?? postgres?.url ?? ''
  const templateName = `portico_template_${process.pid}`

  await run(adminUrl, `create database ${templateName}`)
  const templateUrl = new URL(adminUrl)
  templateUrl.pathname = templateName
  await migrateDatabase(templateUrl.href)
  project.provide('adminUrl', adminUrl)
  project.provide('templateName', templateName)

  return async () => {
    await run(adminUrl, `drop database ${templateName}`)
    await postgres?.stop()
  }
}

async function run(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
