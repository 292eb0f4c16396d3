import pg from 'pg'

/** The properties of a tenant table's column that copying its rows requires. */
interface Column {
  readonly name: string
  readonly type: string
  /** Whether a unique index contains it, in addition to the tenant's columns. */
  readonly is_own: boolean
  /** The table that it references, alone or together with the tenant's columns. */
  readonly parent: string | null
}

interface Table {
  readonly name: string
  readonly columns: readonly Column[]
  /** The columns of each unique index, without those of the tenant. */
  readonly keys: readonly (readonly string[])[]
}

/**
 * Tables that are not copied: rows that each event or sign-in has to process, of which an account has few; keys sealed for their
 * row; and rows that jobs process each minute.
 */
const alone = new Set([
  ...['webhooks', 'meta_keys', 'sso_connections', 'sso_keys', 'config_numbers'],
  ...['record_counts', 'unnumbered_events', 'password_peppers', 'permissions'],
])
/** Rows that jobs process each minute. */
const perMinute = new Set(['unnumbered_events'])
/** Rows of which a user has few, however many an organization has: at most 20 passkeys, an identity for each connection or provider. */
const fewOfUser = new Set(['user_identities', 'passkeys'])

/** Replacements of columns, so that no copy of a job or a delivery is due. */
const values: Readonly<Record<string, string>> = {
  'jobs.run_at': `run_at + interval '10 years'`,
  'webhook_deliveries.run_at': `run_at + interval '10 years'`,
}

const tenantColumns = ['account_id', 'environment', 'organization_id']

/** The owner of the copied rows. */
export interface Place {
  readonly accountId: string
  readonly organizationId: string
}

/** Reads the schema of tenant tables before copying. */
export async function readTables(admin: pg.Client): Promise<Table[]> {
  const { rows } = await admin.query<Table>(
    `select relname as name,
       (select json_agg(json_build_object('name', attname, 'type', format_type(atttypid, null),
          'is_own', attname <> all($1) and exists (
            select from pg_index where indrelid = pg_class.oid and indisunique and attnum = any(indkey)),
          'parent', (
            select confrelid::regclass::text from pg_constraint
            where conrelid = pg_class.oid and contype = 'f' and attnum = any(conkey) and attname <> all($1)
            limit 1)) order by attnum)
        from pg_attribute
        where attrelid = pg_class.oid and attnum > 0 and not attisdropped and attgenerated = '') as columns,
       coalesce((select json_agg((
           select coalesce(json_agg(attname), '[]') from pg_attribute
           where attrelid = indrelid and attnum = any(indkey) and attname <> all($1)))
         from pg_index where indrelid = pg_class.oid and indisunique), '[]') as keys
     from pg_class
     where relnamespace = current_schema()::regnamespace and relkind = 'r' and exists (
       select from pg_attribute where attrelid = pg_class.oid and attname = 'account_id')
     order by relname`,
    [tenantColumns],
  )
  return rows
}

/**
 * Copies one row of each table of the organization or its account this many times: once so that copies refer to copies (a
 * session of each user), and once so that they refer to the parent of the row (many sessions of one user). Rows of which an
 * organization can only have one are not copied.
 *
 * @param admin A superuser, so that triggers and foreign keys can be disabled.
 * @returns The tables that were copied.
 */
export async function grow(
  admin: pg.Client,
  tables: readonly Table[],
  place: Place,
  count: number,
): Promise<string[]> {
  const many = manyOf(tables)
  const grown: string[] = []
  for (const { name, columns } of tables) {
    if (!many.has(name)) continue
    const hasOrganization = columns.some((column) => column.name === 'organization_id')
    // Neither a session beside its user nor a user beside its organization has another parent.
    const wide = ({ is_own, parent }: Column) => (parent === null ? is_own : many.has(parent))
    const deep = (column: Column) => column.is_own && column.parent === null
    let copied = 0
    for (const [isCopied, first] of [
      [wide, 1],
      [deep, 1_000_000],
    ] as const) {
      if (isCopied === deep && (fewOfUser.has(name) || !columns.some(deep))) continue
      const ofPlace = hasOrganization ? 'organization_id = $2' : '$2::uuid is not null'
      const numbers = [first, first + count - 1] as const
      copied += await insertCopies(admin, { name, columns }, isCopied, `${ofPlace} limit 1`, place, numbers)
    }
    if (copied > 0) grown.push(name)
  }
  return grown
}

/**
 * Copies the organization with all that it has, this many times: each copy is another organization of the account.
 *
 * @returns The tables that were copied.
 */
export async function growBeside(
  admin: pg.Client,
  tables: readonly Table[],
  place: Place,
  count: number,
): Promise<string[]> {
  const grown: string[] = []
  for (const { name, columns } of tables) {
    const owner = name === 'organizations' ? 'id' : 'organization_id'
    if (perMinute.has(name) || !columns.some((column) => column.name === owner)) continue
    const isOfCopy = ({ name: column, type, is_own }: Column) =>
      !['account_id', 'environment'].includes(column) &&
      (type === 'uuid' || is_own || column.startsWith('email'))
    const ofPlace = `"${owner}" = $2 limit 3`
    const copied = await insertCopies(admin, { name, columns }, isOfCopy, ofPlace, place, [1, count])
    if (copied > 0) grown.push(name)
  }
  return grown
}

/**
 * Copies rows of a table, once for each number.
 *
 * @param isCopied Whether a column is another one in each copy.
 * @param ofPlace Which rows of the account are copied, as SQL; $2 is the organization.
 * @returns How many rows there are more.
 */
async function insertCopies(
  admin: pg.Client,
  { name, columns }: Pick<Table, 'name' | 'columns'>,
  isCopied: (column: Column) => boolean,
  ofPlace: string,
  { accountId, organizationId }: Place,
  numbers: readonly [first: number, last: number],
): Promise<number> {
  const copies = columns.map(
    (column) => values[`${name}.${column.name}`] ?? (isCopied(column) ? copyOf(column) : `"${column.name}"`),
  )
  const { rowCount } = await orCheck(
    admin.query(
      `insert into "${name}" (${columns.map((column) => `"${column.name}"`).join(', ')})
       overriding system value
       select ${copies.join(', ')}
       from (select * from "${name}" where account_id = $1 and ${ofPlace}) template
       cross join generate_series($3::int, $4::int) copy_number
       on conflict do nothing`,
      [accountId, organizationId, ...numbers],
    ),
  )
  return rowCount ?? 0
}

/** Ignores violated check constraints: fixed names, such as that of an algorithm, cannot be varied. */
async function orCheck(insertion: Promise<pg.QueryResult>): Promise<{ rowCount: number | null }> {
  try {
    return await insertion
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code === '23514') return { rowCount: 0 }
    throw error
  }
}

/** The tables of which an organization may have many rows: no unique index consists only of tenant and single-row columns. */
function manyOf(tables: readonly Table[]): Set<string> {
  const many = new Set<string>()
  for (let before = -1; before !== many.size;) {
    before = many.size
    for (const { name, columns, keys } of tables) {
      const parentOf = new Map(columns.map((column) => [column.name, column.parent]))
      const mayRepeat = keys.every((key) =>
        key.some((column) => {
          const parent = parentOf.get(column) ?? null
          return parent === null || many.has(parent)
        }),
      )
      if (mayRepeat && !alone.has(name)) many.add(name)
    }
  }
  return many
}

/** Maps equal values equally in all tables, so that copies refer to copies. */
function copyOf({ name, type }: Column): string {
  const column = `"${name}"`
  if (type === 'uuid') return `md5(${column}::text || copy_number)::uuid`
  if (type === 'text') return `'n' || copy_number || ${column}`
  if (type === 'bytea') return `sha256(${column} || convert_to(copy_number::text, 'UTF8'))`
  // Below all assigned numbers.
  if (type === 'bigint') return `-(${column} * 2000000 + copy_number)`
  if (type === 'integer') return `-copy_number`
  // One of few places.
  if (type === 'smallint') return column
  if (type.startsWith('timestamp')) return `${column} - copy_number * interval '1 second'`
  return column
}
