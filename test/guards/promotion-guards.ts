import { guard, guardTest } from './guard.js'

const history = 'server/src/promotion/history.ts'
const apply = 'server/src/promotion/apply.ts'
const configuration = 'server/src/promotion/configuration.ts'

const promotion = (title: string) => guardTest('promotion', title)
const isApplied = promotion('a plan is applied')
const isTakenBack = promotion('what was applied is taken back where it was')

/** What keeps portico config within its account and environment, and to what was reviewed. */
export const promotionGuards = [
  guard({
    name: 'account: what portico config has applied',
    file: history,
    find: ".selectFrom('config_applies') .where('account_id', '=', account.id)",
    replace: ".selectFrom('config_applies')",
    red: promotion('what was applied in another account is not taken back'),
    green: isTakenBack,
  }),
  guard({
    name: 'environment: what portico config has applied',
    file: history,
    find: ".where('environment', '=', environment) .orderBy",
    replace: '.orderBy',
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
    find: 'throw takenBack',
    replace: 'return { record: takenBack }',
    red: promotion('a plan changes nothing'),
    green: promotion('an organization of another account is none'),
  }),
]
