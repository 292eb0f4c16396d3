import { contractTest, guard, guardTest, routeTests, without } from './guard.js'

const organizationId = 'server/src/platform/db/organization-id.ts'
const organizations = 'server/src/directory/organizations/organizations.ts'
const users = 'server/src/directory/users/whole-user.ts'
const totals = 'server/src/platform/db/totals.ts'
const applications = 'server/src/directory/applications/applications.ts'
const declaredKeys = 'server/src/directory/meta-keys/declared-keys.ts'
const metaKeys = 'server/src/directory/token-customization/meta-keys.ts'
const addressee = 'server/src/directory/sessions/addressee.ts'
const outbox = 'server/src/delivery/outbox/outbox.ts'
const events = 'server/src/delivery/events/events.ts'
const logEvents = 'server/src/delivery/log-events/log-events.ts'

const usersGet = routeTests('users.get')
const usersDelete = routeTests('users.delete')
const organizationsGet = routeTests('organizations.get')
const applicationsGet = routeTests('applications.get')
const applicationsDelete = routeTests('applications.delete')
const createMetaKey = routeTests('tokenCustomization.createMetaKey')
const deleteMetaKey = routeTests('tokenCustomization.deleteMetaKey')
const addMetadata = routeTests('users.addMetadata')
const createChallenge = routeTests('magicLink.createChallenge')

const limited = (title: string) => guardTest('tenancy', `a key limited to some organizations ${title}`)
const listed = (title: string) => guardTest('tenancy', `a list ${title}`)
const deleted = (title: string) => guardTest('tenancy', `what is deleted ${title}`)

const eventsOfOthers = contractTest(
  'events',
  'the stream of events has nothing of another environment or account',
)
const eventsInOrder = contractTest(
  'events',
  'the stream of events has every change once, in its order, with the record, the actor and the request',
)
const eventsFiltered = contractTest(
  'events',
  'the stream of events gives those of a code, or of a family; and nothing, at the same place, for one that there is not',
)
const logEventsOfOthers = contractTest(
  'log-events',
  'the log events of an organization 404: of an organization of another account; and none of the other environment',
)
const logEventsOfSignIn = contractTest(
  'log-events',
  'the log events of an organization tell each step of a sign-in, newest first, in an envelope of their own',
)

const keysOfTenant =
  'ofOrganization({ accountId: tenant.accountId, organizationId: organizationIdOf(tenant) })'

const reachesItsOwn = limited('reaches what its own organization has')
const countsItsOwn = listed('of users counts those of its own environment alone')

/**
 * Whose data it is. The account in a query that compares with organizationIdOf() is there for its index: an
 * organization is of one account. It is a guard where no organization is compared with.
 */
export const tenantGuards = [
  guard({
    name: 'account: organizationIdOf',
    file: organizationId,
    find: 'where account_id = ${tenant.accountId} and domain = ${tenant.domain}',
    replace: 'where domain = ${tenant.domain}',
    red: usersGet.hidesForeign,
    green: usersGet.succeeds,
  }),
  guard({
    name: 'account: users, with organizationIdOf',
    file: users,
    ...without('account_id', "ofTenant(tenant, 'users')"),
    also: [
      {
        file: organizationId,
        find: 'where account_id = ${tenant.accountId} and domain = ${tenant.domain}',
        replace: 'where domain = ${tenant.domain}',
      },
    ],
    red: usersGet.hidesForeign,
    green: usersGet.succeeds,
  }),
  guard({
    name: 'organization closed to a limited key: organizationIdOf',
    file: organizationId,
    find: 'and (${tenant.organizationIds}::uuid[] is null or id = any(${tenant.organizationIds}::uuid[]))',
    replace: '',
    red: limited('reaches nothing of another: 404 as for one that does not exist'),
    green: reachesItsOwn,
  }),
  guard({
    name: 'deleted_at: organizationIdOf',
    file: organizationId,
    find: 'and deleted_at is null',
    replace: '',
    red: deleted('nothing under an organization is reached'),
    green: reachesItsOwn,
  }),
  guard({
    name: 'account: organizations',
    file: organizations,
    find: 'sql<boolean>`organizations.account_id = ${accountId} and (',
    replace: 'sql<boolean>`(',
    red: listed('of organizations has none of another account'),
    green: reachesItsOwn,
  }),
  guard({
    name: 'account: an organization by its domain',
    file: organizations,
    find: 'sql<boolean>`organizations.account_id = ${accountId} and (',
    replace: 'sql<boolean>`(',
    red: organizationsGet.hidesForeign,
    green: organizationsGet.succeeds,
  }),
  guard({
    name: 'organization closed to a limited key: organizations',
    file: organizations,
    find: 'and (${organizationIds}::uuid[] is null or organizations.id = any(${organizationIds}::uuid[]))',
    replace: '',
    red: limited('finds and lists its own organization alone'),
    green: reachesItsOwn,
  }),
  guard({
    name: 'deleted_at: list of organizations',
    file: organizations,
    find: ".where('organizations.deleted_at', 'is', null)",
    replace: '',
    red: deleted('an organization is in no list'),
    green: listed('of organizations has none of another account'),
  }),
  guard({
    name: 'deleted_at: change of an organization',
    file: organizations,
    find: ".where('deleted_at', 'is', null) .where('domain', '=', tenant.domain) .where(isOfVersion(versions)) .$if(isGuarded",
    replace: ".where('domain', '=', tenant.domain).where(isOfVersion(versions)).$if(isGuarded",
    red: deleted('an organization is not changed'),
    green: routeTests('organizations.update').succeeds,
  }),
  guard({
    name: 'deleted_at: deletion of an organization',
    file: organizations,
    find: ".where('deleted_at', 'is', null) .where('domain', '=', tenant.domain) .where(isOfVersion(versions)) .$if(tenant.environment",
    replace: ".where('domain', '=', tenant.domain).where(isOfVersion(versions)).$if(tenant.environment",
    red: deleted('an organization is not deleted again'),
    green: routeTests('organizations.delete').succeeds,
  }),
  guard({
    name: 'organization: users',
    file: users,
    ...without('organization_id', "ofTenant(tenant, 'users')"),
    red: usersGet.hidesForeign,
    green: usersGet.succeeds,
  }),
  guard({
    name: 'environment: users',
    file: users,
    ...without('environment', "ofTenant(tenant, 'users')"),
    red: usersGet.hidesForeign,
    green: usersGet.succeeds,
  }),
  guard({
    name: 'deleted_at: users',
    file: users,
    find: ".where('users.deleted_at', 'is', null)",
    replace: '',
    red: deleted('a user is in no list, is not found by e-mail and not changed'),
    green: countsItsOwn,
  }),
  guard({
    name: 'organization: change of a user',
    file: users,
    ...without('organization_id', 'ofTenant(tenant)'),
    red: usersDelete.hidesForeign,
    green: usersDelete.succeeds,
  }),
  guard({
    name: 'environment: change of a user',
    file: users,
    ...without('environment', 'ofTenant(tenant)'),
    red: usersDelete.hidesForeign,
    green: usersDelete.succeeds,
  }),
  guard({
    name: 'deleted_at: change of a user',
    file: users,
    find: ".where('deleted_at', 'is', null)",
    replace: '',
    red: deleted('a user is not deleted again'),
    green: countsItsOwn,
  }),
  guard({
    name: 'environment: total of a list',
    file: totals,
    find: 'and environment = ${tenant.environment}',
    replace: '',
    red: countsItsOwn,
    green: listed('of users counts those of its own organization alone'),
  }),
  guard({
    name: 'organization: total of a list',
    file: totals,
    find: 'and organization_id = organization.organization_id',
    replace: '',
    red: listed('of users counts those of its own organization alone'),
    green: reachesItsOwn,
  }),
  guard({
    name: 'account: applications',
    file: applications,
    ...without('account_id', "ofEnvironment(tenant, 'applications')"),
    red: listed('of applications has none of another account'),
    green: reachesItsOwn,
  }),
  guard({
    name: 'environment: applications',
    file: applications,
    ...without('environment', "ofEnvironment(tenant, 'applications')"),
    red: listed('of applications has none of another environment'),
    green: reachesItsOwn,
  }),
  guard({
    name: 'organization: applications',
    file: applications,
    find: ' and ${isForOrganization(organizationId)}',
    replace: '',
    red: listed('of applications has none that another organization keeps to itself'),
    green: reachesItsOwn,
  }),
  guard({
    name: 'deleted_at: applications',
    file: applications,
    find: ".where('applications.deleted_at', 'is', null)",
    replace: '',
    red: deleted('an application is in no list and not changed'),
    green: applicationsGet.succeeds,
  }),
  guard({
    name: 'reach of a limited key: change of an application',
    file: applications,
    find: ".$if(tenant.organizationIds !== null, (query) => query.where('applications.organization_id', 'is not', null))",
    replace: '',
    red: applicationsDelete.refuses('key_limited_to_organizations'),
    green: applicationsDelete.refuses('application_not_found'),
  }),
  guard({
    name: 'reach of a limited key: creation of an application',
    file: applications,
    find: 'sql`${tenant.organizationIds}::uuid[] is null`',
    replace: 'sql`true`',
    red: routeTests('applications.create').refuses('key_limited_to_organizations'),
    green: routeTests('applications.create').refuses('organization_not_found'),
  }),
  guard({
    name: 'organization: metadata keys of a user’s values',
    file: declaredKeys,
    ...without('organization_id', keysOfTenant),
    red: addMetadata.hidesForeign,
    green: addMetadata.succeeds,
  }),
  guard({
    name: 'organization: deletion of a metadata key',
    file: metaKeys,
    ...without('organization_id', keysOfTenant),
    red: deleteMetaKey.hidesForeign,
    green: deleteMetaKey.succeeds,
  }),
  guard({
    name: 'organization: count of metadata keys',
    file: metaKeys,
    find: 'where account_id = ${tenant.accountId} and organization_id = ${organizationIdOf(tenant)}`',
    replace: 'where account_id = ${tenant.accountId}`',
    red: listed('of metadata keys counts those of its own organization alone'),
    green: createMetaKey.succeeds,
  }),
  guard({
    name: 'account: addressee of a magic link',
    file: addressee,
    find: ".where('organizations.account_id', '=', accountId)",
    replace: '',
    red: contractTest(
      'magic-link',
      'asking for a link 404: without org_domain, an organization of another account that allows it is as good as none',
    ),
    green: createChallenge.succeeds,
  }),
  guard({
    name: 'organization closed to a limited key: addressee of a magic link',
    file: addressee,
    find: '(${organizationIds}::uuid[] is null or organizations.id = any(${organizationIds}::uuid[]))',
    replace: 'true',
    red: limited('finds the organization of an address among its own alone'),
    green: createChallenge.succeeds,
  }),
  guard({
    name: 'deleted_at: addressee of a magic link',
    file: addressee,
    find: ".where('organizations.deleted_at', 'is', null)",
    replace: '',
    red: deleted('an organization is not that of an address'),
    green: createChallenge.succeeds,
  }),
  guard({
    name: 'account: outbox',
    file: outbox,
    ...without('account_id', "ofEnvironment({ accountId, environment }, 'outbox_messages')"),
    red: listed('of kept mails has none of another account'),
    green: routeTests('outbox.list').succeeds,
  }),
  guard({
    name: 'account: events',
    file: events,
    find: 'where place.account_id = ${accountId} and place.environment = ${environment}',
    replace: 'where place.environment = ${environment}',
    also: [
      {
        file: events,
        find: 'where account_id = ${accountId} and environment = ${environment} and id = place.event_id',
        replace:
          'where account_id = place.account_id and environment = ${environment} and id = place.event_id',
      },
    ],
    red: eventsOfOthers,
    green: eventsInOrder,
  }),
  guard({
    name: 'environment: events',
    file: events,
    find: 'where place.account_id = ${accountId} and place.environment = ${environment}',
    replace: 'where place.account_id = ${accountId}',
    also: [
      {
        file: events,
        find: 'where account_id = ${accountId} and environment = ${environment} and id = place.event_id',
        replace:
          'where account_id = ${accountId} and environment = place.environment and id = place.event_id',
      },
    ],
    red: eventsOfOthers,
    green: eventsFiltered,
  }),
  guard({
    name: 'environment: log events',
    file: logEvents,
    ...without('environment', "ofEnvironment(tenant, 'log_events')"),
    red: logEventsOfOthers,
    green: logEventsOfSignIn,
  }),
  guard({
    name: 'account: log events of the account',
    file: logEvents,
    ...without('account_id', "ofEnvironment(tenant, 'log_events')"),
    red: contractTest(
      'log-events',
      'the log events of the account tell what API keys did, to keys of the whole account',
    ),
    green: logEventsOfSignIn,
  }),
  guard({
    name: 'key limited to organizations: log events of the account',
    file: logEvents,
    find: 'return domain === accountDomain && organizationIds === null',
    replace: 'return domain === accountDomain',
    red: contractTest(
      'log-events',
      'the log events of the account 404: to a key that is limited to organizations',
    ),
    green: logEventsOfSignIn,
  }),
]
