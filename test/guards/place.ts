import type { RepositoryCopy } from './repository-copy.js'

/** A copy of the repository, and the database of its tests. */
export type Place = RepositoryCopy & { readonly databaseUrl: string }
