import { migratedCatalog } from '../../platform/db/migrated-catalog.js'

/** A foreign key of the schema as the migrations make it. */
export interface ForeignKey {
  readonly name: string
  readonly child: string
  readonly columns: readonly string[]
  readonly parent: string
  readonly parentColumns: readonly string[]
}

const form = /^FOREIGN KEY \((.+?)\) REFERENCES (\w+)\((.+?)\)/

/** All foreign keys of the schema. */
export const foreignKeys: readonly ForeignKey[] = migratedCatalog
  .filter(({ kind }) => kind === 'foreign key')
  .map(({ name, table, definition }) => {
    const [, columns = '', parent = '', parentColumns = ''] = form.exec(definition) ?? []
    return {
      name,
      child: table,
      columns: columns.split(', '),
      parent,
      parentColumns: parentColumns.split(', '),
    }
  })
