import { guard, guardTest, without } from './guard.js'

const history = 'server/src/operations/promotion/history.ts'
const apply = 'server/src/operations/promotion/apply.ts'
const configuration = 'server/src/operations/promotion/configuration.ts'
const numbers = 'server/src/operations/promotion/numbers.ts'
const plan = 'server/src/operations/promotion/plan.ts'
const rollback = 'server/src/operations/promotion/rollback.ts'

const promotion = (title: string) => guardTest('promotion', title)
const isApplied = promotion('a plan is applied')
const isOfEnvironment = promotion('a name is that of one environment')
const isTakenBack = promotion('what was applied is taken back where it was')

const applied = 'ofEnvironment({ accountId: account.id, environment })'

/** What keeps portico config within its account and environment, and to what was reviewed. */
export const promotionGuards = [
  guard({
    name: 'account: what portico config has applied',
    file: history,
    ...without('account_id', applied, '.orderBy'),
    red: promotion('what was applied in another account is not taken back'),
    green: isTakenBack,
  }),
  guard({
    name: 'environment: what portico config has applied',
    file: history,
    ...without('environment', applied, '.orderBy'),
    red: promotion('what was applied in another environment is not taken back'),
    green: isTakenBack,
  }),
  guard({
    name: 'account: organizations that portico config reads',
    file: configuration,
    find: ".where('account_id', '=', account.id)",
    replace: '',
    red: promotion('an organization of another account is none'),
    green: isApplied,
  }),
  guard({
    name: 'portico config: a plan is that of this moment',
    file: apply,
    find: 'digest !== undefined && plan.digest !== digest',
    replace: 'digest === undefined && plan.digest === digest',
    red: promotion('a plan that is another one by now is not applied'),
    green: isApplied,
  }),
  guard({
    name: 'portico config: a plan changes nothing',
    file: apply,
    find: 'throw rolledBack',
    replace: 'return { record: rolledBack }',
    red: promotion('a plan changes nothing'),
    green: promotion('an organization of another account is none'),
  }),
  guard({
    name: 'portico config: one apply at a time',
    file: apply,
    find: 'await lockConfiguration(trx, { accountId: scope.account.id, environment: scope.environment })',
    replace: '',
    red: promotion('of two applies at once the second plans what the first has left'),
    green: isApplied,
  }),
  guard({
    name: 'portico config: a plan is for the things that it was made for',
    file: plan,
    find: 'steps.map(toStep)',
    replace: 'steps.map((step) => toStep({ ...step, id: null }))',
    red: promotion('a plan for a webhook is none for another one of its name'),
    green: isApplied,
  }),
  guard({
    name: 'portico config: a name stays that of its thing',
    file: configuration,
    find: 'await assignNumbers(deps, place, kind.section, things)',
    replace: 'things.map((one, index) => ({ ...one, number: index + 1 }))',
    red: promotion('a name stays that of its connection when an older one gets its provider'),
    green: isApplied,
  }),
  guard({
    name: 'portico config: a name is never given twice',
    file: plan,
    find: 'former !== undefined',
    replace: 'false',
    red: promotion('a name is none for another connection once its own has another provider'),
    green: isApplied,
  }),
  guard({
    name: 'environment: names that portico config has given',
    file: numbers,
    ...without('environment', 'ofOwner(place)'),
    red: isOfEnvironment,
    green: isApplied,
  }),
  guard({
    name: 'environment: names that portico config gives',
    file: numbers,
    find: 'where ${ofOwner(place)} and section',
    replace:
      'where account_id = ${place.accountId} and organization_id = ${place.organizationId} and section',
    red: isOfEnvironment,
    green: isApplied,
  }),
  guard({
    name: 'portico config: a rollback is of the things that were changed',
    file: rollback,
    find: 'other.id === id && ',
    replace: '',
    red: promotion(
      'what a rollback takes back is that of the connection that was changed, whatever it is called',
    ),
    green: isTakenBack,
  }),
  guard({
    name: 'portico config: a rollback leaves other things of the same name alone',
    file: rollback,
    find: 'it === undefined && isTaken',
    replace: 'false',
    red: promotion('what was made anew by hand is not taken back'),
    green: isTakenBack,
  }),
]
