import type { RepositoryCopy } from './repository-copy.js'

/** A copy of the repository, and the database that tests of it use. */
export type Place = RepositoryCopy & { readonly databaseUrl: string }
