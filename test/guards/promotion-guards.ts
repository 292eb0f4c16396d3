import { guard, guardTest } from './guard.js'
const configuration = 'server/src/operations/promotion/configuration.ts'
const numbers = 'server/src/operations/promotion/numbers.ts'
const plan = 'server/src/operations/promotion/plan.ts'

const promotion = (title: string) => guardTest('promotion', title)
const isApplied = promotion('a plan is applied')
const isOfEnvironment = promotion('a name is that of one environment')

/** Guards that limit portico config to its account, its environment and the reviewed plan. */
export const promotionGuards = [
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
    name: 'environment: names that portico config gives',
    file: numbers,
    find: 'where ${ofOwner(place)} and section',
    replace:
      'where account_id = ${place.accountId} and organization_id = ${place.organizationId} and section',
    red: isOfEnvironment,
    green: isApplied,
  }),
]
