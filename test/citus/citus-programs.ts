import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { outputOf } from '../resilience/postgres-programs.js'

/**
 * The folder of the programs of a Postgres that has Citus: that of CITUS_BIN, or of a pg_config which names it; undefined where
 * there is none.
 *
 * @throws Error when CITUS_BIN names another folder.
 */
export function findCitus(): string | undefined {
  const given = process.env.CITUS_BIN
  const configs = given ? [join(given, 'pg_config')] : [...installed, 'pg_config']
  const found = configs.map(binWithCitus).find((bin) => bin !== undefined)
  if (given && found === undefined)
    throw new Error(`CITUS_BIN is ${given}, which is not the folder of a pg_config whose Postgres has Citus`)
  return found
}

const installed = [17, 16, 15].map((version) => `/usr/lib/postgresql/${version}/bin/pg_config`)

function binWithCitus(config: string): string | undefined {
  const [libraries = '', bin = ''] = outputOf(config, ['--pkglibdir', '--bindir']).split('\n')
  return existsSync(join(libraries, 'citus.so')) && existsSync(join(bin, 'initdb')) ? bin : undefined
}

/** Said where there is none: what is not proved then, and how it would be. */
export const citusMissing = `${'!'.repeat(78)}
SKIPPED TESTS: no Postgres with Citus is here, so nothing is proved of a cluster.
To run them: install Citus 13, or name the folder of its Postgres' programs in CITUS_BIN.
${'!'.repeat(78)}
`
