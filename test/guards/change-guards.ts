import { contractTest, guard, guardTest, routeTests } from './guard.js'

const addressesMigration = 'server/src/platform/db/migrations/0042-filtered-lists.ts'
const accountApplications = 'server/src/directory/applications/account-applications.ts'
const idempotency = 'server/src/delivery/events/idempotency.ts'

const accountRecord = 'server/src/directory/account-record/account-record.ts'

const ofAccount = (title: string) => contractTest('account', `the record of an account ${title}`)
const listed = (title: string) =>
  contractTest('account-applications', `the applications of an account ${title}`)
const usersCreate = routeTests('users.create')

const repeated = (title: string) => guardTest('idempotency', title)
const hasOneEffect = repeated('a request that is made twice has one effect and one answer')

/** Guards of changes. */
export const changeGuards = [
  guard({
    name: 'e-mail address of one user',
    file: addressesMigration,
    find: 'isUnique: true',
    replace: 'isUnique: false',
    red: usersCreate.refuses('email_taken'),
    green: usersCreate.refuses('metadata_required'),
  }),
  guard({
    name: 'account: the record of the key’s account',
    file: accountRecord,
    find: ".where('id', '=', caller.accountId)\n      .where(isOfVersion(versions))",
    replace: '.where(isOfVersion(versions))',
    red: ofAccount('is one for both environments, and no other account’s'),
    green: ofAccount('is there from the start, with nothing chosen'),
  }),
  guard({
    name: 'account: the version that was seen',
    file: accountRecord,
    find: '\n      .where(isOfVersion(versions))',
    replace: '',
    red: ofAccount('changes only from the version that the caller has seen'),
    green: ofAccount('keeps what is not sent, and loses what is null'),
  }),
  guard({
    name: 'account: listed applications are of organizations that the key may see',
    file: accountApplications,
    find: '      and (${organizationIds}::uuid[] is null or organizations.id = any(${organizationIds}::uuid[]))\n',
    replace: '',
    red: listed('are with a limited key those of the whole account and of its organizations'),
    green: listed('are neither those of another account, nor of the other environment'),
  }),
  guard({
    name: 'account: listed applications are of organizations that exist',
    file: accountApplications,
    find: '      and organizations.deleted_at is null\n',
    replace: '',
    red: listed('are not those that were deleted, by themselves or with their organization'),
    green: listed('are neither those of another account, nor of the other environment'),
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
