import { contractTest, guard, routeTests, without } from './guard.js'

const organizationId = 'server/src/platform/db/organization-id.ts'
const users = 'server/src/directory/users/whole-user.ts'
const events = 'server/src/delivery/events/events.ts'

const usersGet = routeTests('users.get')

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

/**
 * Whose data it is. The account in a query that compares with organizationIdOf() is there for its index: an
 * organization is of one account. It is a guard where no organization is compared with.
 */
export const tenantGuards = [
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
]
