/**
 * Makes sure that a database is ready for this release.
 *
 * @throws Error a sentence when it lacks migrations.
 */
export function checkMigrated({
  pendingMigrations: { length },
}: {
  pendingMigrations: readonly string[]
}): void {
  if (length > 0)
    throw new Error(
      `The database lacks ${length} migration${length === 1 ? '' : 's'}: run portico migrate first.`,
    )
}
