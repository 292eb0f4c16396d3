import type { Names } from '../../platform/deps/names.js'
import type { OpenDeps } from '../../delivery/deps.js'
import { ApiError } from '../../platform/errors.js'
import { promptDb } from '../../platform/db/connect.js'

/** The names of one database among several, which the first one keeps. */
export function namesOf(cell: string, findFirst: () => Pick<OpenDeps, 'db'> | undefined): Names {
  const first = () => {
    const opened = findFirst()
    // Without it nobody knows which names are free; what is there goes on.
    if (opened === undefined) throw new ApiError('unavailable', { retryAfterSeconds: 30 })
    return promptDb(opened.db)
  }
  return {
    get db() {
      return first()
    },
    async reserve(slug, at) {
      const reserved = await first()
        .insertInto('slugs')
        .values({ slug, inserted_at: at, cell })
        .onConflict((conflict) =>
          conflict.column('slug').doUpdateSet({ cell }).where('slugs.cell', '=', cell),
        )
        .returning('slug')
        .executeTakeFirst()
      return reserved !== undefined
    },
  }
}
