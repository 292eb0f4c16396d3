import { guard, guardTest, routeTests } from './guard.js'

const users = 'server/src/directory/users/users.ts'
const usersMigration = 'server/src/platform/db/migrations/0004-users.ts'
const domain = 'server/src/directory/organizations/domain.ts'
const metaKeys = 'server/src/directory/token-customization/meta-keys.ts'
const idempotency = 'server/src/delivery/events/idempotency.ts'

const usersCreate = routeTests('users.create')
const createMetaKey = routeTests('tokenCustomization.createMetaKey')

const repeated = (title: string) => guardTest('idempotency', title)
const hasOneEffect = repeated('a request that is made twice has one effect and one answer')
const domains = (title: string) => guardTest('tenancy', `a domain ${title}`)

/** What a change has to meet. */
export const changeGuards = [
  guard({
    name: 'production is up: declaration of a required metadata key',
    file: metaKeys,
    find: 'input.required ? mayChangeProduction(tenant) : sql`true`',
    replace: 'sql`true`',
    red: createMetaKey.refuses('production_is_up'),
    green: createMetaKey.refuses('meta_keys_exhausted'),
  }),
  guard({
    name: 'reserved domains',
    file: domain,
    find: '!isReserved(slug) && (await take(trx, slug, at))',
    replace: 'await take(trx, slug, at)',
    red: domains('is none of the service’s own paths'),
    green: domains('is not that of an account'),
  }),
  guard({
    name: 'e-mail address of one user',
    file: usersMigration,
    find: 'create unique index users_email_key',
    replace: 'create index users_email_key',
    red: usersCreate.refuses('email_taken'),
    green: usersCreate.refuses('metadata_required'),
  }),
  guard({
    name: 'required metadata: creation of a user',
    file: users,
    find: "if (inserted === undefined) throw new ApiError('metadata_required')",
    replace: '',
    also: [{ file: users, find: 'and required and name <> all', replace: 'and false and name <> all' }],
    red: usersCreate.refuses('metadata_required'),
    green: usersCreate.refuses('email_taken'),
  }),
  guard({
    name: 'Idempotency-Key: expiry of the lease',
    file: idempotency,
    find: "eb('idempotency_keys.lease_until', '<=', at),",
    replace: "eb('idempotency_keys.expires_at', '>', at),",
    red: repeated('a request in flight holds its key: the same request is refused meanwhile'),
    green: hasOneEffect,
  }),
  guard({
    name: 'Idempotency-Key: the lease of a long request',
    file: 'server/src/app/http/idempotency.ts',
    find: 'renewIdempotencyClaim(deps, found).catch(',
    replace: 'Promise.reject(renewIdempotencyClaim).catch(',
    red: repeated('a request that takes longer than its lease keeps its key'),
    green: hasOneEffect,
  }),
  guard({
    name: 'Idempotency-Key: deletion of the organization under way',
    file: idempotency,
    find: ' for share',
    replace: '',
    red: guardTest(
      'deletion-race',
      'of a request under an Idempotency-Key and the deletion of its organization the deletion that is under way is waited for, and leaves nothing to repeat',
    ),
    green: hasOneEffect,
  }),
]
