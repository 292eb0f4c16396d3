import { guard, guardTest, routeTests } from './guard.js'

const users = 'server/src/directory/users/users.ts'
const wholeUser = 'server/src/directory/users/whole-user.ts'
const storedMetadata = 'server/src/directory/users/stored-metadata.ts'
const userMetadata = 'server/src/directory/users/metadata.ts'
const usersMigration = 'server/src/platform/db/migrations/0004-users.ts'
const organizations = 'server/src/directory/organizations/organizations.ts'
const domain = 'server/src/directory/organizations/domain.ts'
const applications = 'server/src/directory/applications/applications.ts'
const connection = 'server/src/sign-in/magic-link/connection.ts'
const metaKeys = 'server/src/directory/token-customization/meta-keys.ts'
const idempotency = 'server/src/delivery/events/idempotency.ts'

const usersCreate = routeTests('users.create')
const usersUpdate = routeTests('users.update')
const organizationsCreate = routeTests('organizations.create')
const organizationsUpdate = routeTests('organizations.update')
const organizationsDelete = routeTests('organizations.delete')
const applicationsUpdate = routeTests('applications.update')
const updateConnection = routeTests('magicLink.updateConnection')
const createMetaKey = routeTests('tokenCustomization.createMetaKey')
const deleteMetaKey = routeTests('tokenCustomization.deleteMetaKey')
const removeMetadata = routeTests('users.removeMetadata')

const repeated = (title: string) => guardTest('idempotency', title)
const hasOneEffect = repeated('a request that is made twice has one effect and one answer')
const domains = (title: string) => guardTest('tenancy', `a domain ${title}`)

/** What a change has to meet. */
export const changeGuards = [
  guard({
    name: 'If-Match: users',
    file: wholeUser,
    find: '.where(isOfVersion(versions))',
    replace: '',
    red: usersUpdate.refuses('precondition_failed'),
    green: usersUpdate.refuses('user_not_found'),
  }),
  guard({
    name: 'If-Match: change of an organization',
    file: organizations,
    find: '.where(isOfVersion(versions)) .$if(isGuarded',
    replace: '.$if(isGuarded',
    red: organizationsUpdate.refuses('precondition_failed'),
    green: organizationsUpdate.refuses('production_is_up'),
  }),
  guard({
    name: 'If-Match: deletion of an organization',
    file: organizations,
    find: '.where(isOfVersion(versions)) .$if(tenant.environment',
    replace: '.$if(tenant.environment',
    red: organizationsDelete.refuses('precondition_failed'),
    green: organizationsDelete.refuses('production_is_up'),
  }),
  guard({
    name: 'If-Match: applications',
    file: applications,
    find: '.where(isOfVersion(versions))',
    replace: '',
    red: applicationsUpdate.refuses('precondition_failed'),
    green: applicationsUpdate.refuses('application_not_found'),
  }),
  guard({
    name: 'If-Match: magic-link connection',
    file: connection,
    find: '.where(isOfVersion(versions))',
    replace: '',
    red: updateConnection.refuses('precondition_failed'),
    green: updateConnection.refuses('organization_not_found'),
  }),
  guard({
    name: 'production is up: change of an organization',
    file: organizations,
    find: ".$if(isGuarded, (update) => update.where(isProductionUp(), '=', false))",
    replace: '',
    red: organizationsUpdate.refuses('production_is_up'),
    green: organizationsUpdate.refuses('precondition_failed'),
  }),
  guard({
    name: 'production is up: deletion of an organization',
    file: organizations,
    find: ".$if(tenant.environment === 'sandbox', (update) => update.where(isProductionUp(), '=', false))",
    replace: '',
    red: organizationsDelete.refuses('production_is_up'),
    green: organizationsDelete.refuses('precondition_failed'),
  }),
  guard({
    name: 'production is up: declaration of a required metadata key',
    file: metaKeys,
    find: 'input.required ? mayChangeProduction(tenant) : sql`true`',
    replace: 'sql`true`',
    red: createMetaKey.refuses('production_is_up'),
    green: createMetaKey.refuses('meta_keys_exhausted'),
  }),
  guard({
    name: 'production is up: deletion of a metadata key',
    file: metaKeys,
    find: '.where(mayChangeProduction(tenant))',
    replace: '',
    red: deleteMetaKey.refuses('production_is_up'),
    green: deleteMetaKey.refuses('meta_key_not_found'),
  }),
  guard({
    name: 'plan limit',
    file: organizations,
    find: "if (count >= limit) throw new ApiError('plan_limit_reached')",
    replace: '',
    red: organizationsCreate.refuses('plan_limit_reached'),
    green: organizationsCreate.refuses('invalid_parameters'),
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
    name: 'domains of accounts',
    file: domain,
    find: 'return taken !== undefined',
    replace: 'return true',
    red: domains('is not that of an account'),
    green: domains('is none of the service’s own paths'),
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
    name: 'e-mail address in any case',
    file: 'server/src/platform/email.ts',
    find: ".normalize('NFKC').toLowerCase()",
    replace: ".normalize('NFKC')",
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
    name: 'required metadata: change of a user',
    file: storedMetadata,
    find: "if (declared.some((key) => key.required && !byKey.has(key.id))) throw new ApiError('metadata_required')",
    replace: '',
    red: usersUpdate.refuses('metadata_required'),
    green: usersUpdate.refuses('meta_key_not_found'),
  }),
  guard({
    name: 'required metadata: removal of a value',
    file: userMetadata,
    find: "if (key.required) throw new ApiError('metadata_required')",
    replace: '',
    red: removeMetadata.refuses('metadata_required'),
    green: removeMetadata.refuses('meta_key_not_found'),
  }),
  guard({
    name: 'number of metadata keys',
    file: metaKeys,
    find: 'sql<boolean>`(${totalOf(tenant)}) < ${maxMetaKeys}`',
    replace: 'sql<boolean>`true`',
    red: createMetaKey.refuses('meta_keys_exhausted'),
    green: createMetaKey.refuses('meta_key_taken'),
  }),
  guard({
    name: 'Idempotency-Key: the same request',
    file: idempotency,
    find: 'if (earlier !== undefined && !digests.some((digest) => digest.equals(earlier.request_hash)))',
    replace: 'if (false)',
    red: usersCreate.refuses('idempotency_key_reused'),
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
    name: 'Idempotency-Key: the same request after the lease',
    file: idempotency,
    find: "eb('idempotency_keys.request_hash', 'in', digests),",
    replace: '',
    red: repeated('a lease that has run out is not another request’s to take'),
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
    name: 'Idempotency-Key: a lease of a clock that was ahead',
    file: idempotency,
    find: "eb('idempotency_keys.lease_until', '>', new Date(at.getTime() + implausibleMs)),",
    replace: '',
    red: repeated('a lease that a clock has written which was an hour ahead is taken over'),
    green: hasOneEffect,
  }),
  guard({
    name: 'Idempotency-Key: holder of the lease',
    file: idempotency,
    find: ".where('lease', '=', claim.lease) .returning(",
    replace: '.returning(',
    red: repeated(
      'of two requests, the second of which took over the lease of the first, one has its effect',
    ),
    green: hasOneEffect,
  }),
  guard({
    name: 'Idempotency-Key: answer of a deleted organization',
    file: idempotency,
    find: "if (!settled.is_organization_held) throw new ApiError('organization_not_found')",
    replace: '',
    red: guardTest(
      'deletion-race',
      'of a request under an Idempotency-Key and the deletion of its organization the deletion that ends first leaves nothing to repeat',
    ),
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
