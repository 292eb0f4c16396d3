import { sql, type QueryExecutorProvider } from 'kysely'

/** Whether a database is one of a Citus cluster (docs/decisions/0069), in SQL. */
export const isInClusterText = `exists (select from pg_extension where extname = 'citus')`

export async function findIsInCluster(db: QueryExecutorProvider): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`select ${sql.raw(isInClusterText)} as found`.execute(db)
  return rows[0]?.found === true
}
