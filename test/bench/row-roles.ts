import { dealOrganizations } from './data.js'
import { besideOthers, type Figure } from './figures.js'
import { interleaved, type Settings } from './measure.js'
import { writeRequests } from './requests.js'
import { heldPermission, insertRoles } from './role-sample.js'
import { prepareSignIns, tokenCases } from './row-codes.js'
import { getUserRequests } from './row-users.js'
import { onceOf } from './kept.js'
import type { SignInSample } from './sign-in-sample.js'
import { onStage, type Stage } from './stage.js'

/** R1: whether a user with five roles has a permission, beside reading one user. */
export async function evaluate(settings: Settings): Promise<Figure[]> {
  return onRoleStage(settings, async (stage) => {
    const [targets] = halves(stage)
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
  return onRoleStage(settings, async (stage, sample) => {
    const [having, others] = halves(stage)
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

/** Runs work on a stage whose users in every other organization have roles. */
function onRoleStage(
  settings: Settings,
  work: (stage: Stage, sample: SignInSample) => Promise<Figure[]>,
): Promise<Figure[]> {
  return onStage(settings, async (stage) => work(stage, await withRoles(stage)))
}

const withRoles = onceOf(async (stage: Stage): Promise<SignInSample> => {
  const sample = await prepareSignIns(stage)
  await insertRoles(sample, halves(stage)[0])
  return sample
})

/** The users of the sandbox in every other organization, and those in the rest. */
function halves({ data }: Stage) {
  const targets = data.targets.filter(({ environment }) => environment === 'sandbox')
  const { ofRoles, others } = dealOrganizations(data)
  const having = (domains: ReadonlySet<string>) => targets.filter(({ domain }) => domains.has(domain))
  return [having(new Set(ofRoles)), having(new Set(others))] as const
}
