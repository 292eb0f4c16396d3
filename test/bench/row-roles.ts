import { besideOthers, type Figure } from './figures.js'
import { interleaved, type Settings } from './measure.js'
import { writeRequests } from './requests.js'
import { heldPermission, insertRoles } from './role-sample.js'
import { onSignInStage, tokenCases } from './row-codes.js'
import { getUserRequests } from './row-users.js'
import { takeDownStage, type Stage } from './stage.js'

/** R1: whether a user with five roles has a permission, beside reading one user. */
export async function evaluate(settings: Settings): Promise<Figure[]> {
  // Which roles there are is a matter of this row.
  await takeDownStage()
  return onSignInStage(settings, async (stage, sample) => {
    const [targets] = halves(stage)
    await insertRoles(sample, targets)
    const token = stage.tokens.sandbox
    const evaluation = targets.map(({ domain, id }) => ({
      method: 'POST' as const,
      path: `/api/v2/org/${domain}/access/evaluation`,
      token,
      body: { subject: { type: 'user', id }, action: { name: heldPermission } },
    }))
    const reading = getUserRequests({ data: { ...stage.data, targets }, tokens: stage.tokens })
    const cases = {
      ours: { contender: stage.ours, requestsFile: writeRequests(evaluation) },
      others: { contender: stage.ours, requestsFile: writeRequests(reading) },
    }
    return [
      besideOthers('R1', 'access evaluation', await interleaved(stage, cases, settings), 'GET one user'),
    ]
  })
}

/** R2: the work of B3 for users with five roles, beside users of organizations without any. */
export async function exchangeWithRoles(settings: Settings): Promise<Figure[]> {
  // Which roles there are is a matter of this row.
  await takeDownStage()
  return onSignInStage(settings, async (stage, sample) => {
    const [having, others] = halves(stage)
    await insertRoles(sample, having)
    const withRoles = tokenCases(stage, sample, settings, having)
    const without = tokenCases(stage, sample, settings, others)
    const measure = async (work: 'exchange' | 'refresh') => {
      const cases = { ours: withRoles[work], others: without[work] }
      return interleaved(stage, cases, settings)
    }
    return [
      besideOthers('R2', 'code exchange with five roles', await measure('exchange'), 'none'),
      besideOthers('R2', 'refresh with five roles', await measure('refresh'), 'none'),
    ]
  })
}

/** The users of the sandbox in every other organization, and those in the rest. */
function halves({ data }: Stage) {
  const targets = data.targets.filter(({ environment }) => environment === 'sandbox')
  const domains = [...new Set(targets.map(({ domain }) => domain))]
  const isFirst = new Set(domains.filter((_, index) => index % 2 === 0))
  const first = targets.filter(({ domain }) => isFirst.has(domain))
  return [first, targets.filter(({ domain }) => !isFirst.has(domain))] as const
}
