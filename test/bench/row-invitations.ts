import { besideBare, type Figure } from './figures.js'
import { insertInvitations, insertInvitedRoles } from './invitation-sample.js'
import { interleaved, sized, type Settings } from './measure.js'
import { writeRequests } from './requests.js'
import { sandboxTargets, someOf } from './row-codes.js'
import { onStage, rowVariables } from './stage.js'

/** More invitations than any server accepts in a second here. */
const invitationsPerSecond = 300
/** How much longer the rounds are than those of single requests: each invitation takes as long as many of them. */
const longer = 5

/** B8: a mailed invitation with two roles, from the opening of its URL to the code of its new user. */
export async function acceptInvitations(settings: Settings): Promise<Figure[]> {
  const seconds = settings.seconds * sized(settings, longer, 1)
  return onStage(
    settings,
    async (stage) => {
      await insertInvitedRoles(stage)
      const count = Math.ceil(invitationsPerSecond * seconds)
      const requestsFile = async () => {
        const paths = await insertInvitations(stage, someOf(sandboxTargets(stage), count))
        return writeRequests(paths.map((path) => ({ method: 'GET', path })))
      }
      const load = { kind: 'invitation', requestsFile } as const
      const cases = { ours: { ...load, contender: stage.ours }, bare: { ...load, contender: stage.bare } }
      const measured = await interleaved(stage, cases, { ...settings, seconds })
      return besideBare('B8', 'invitation: opening to code', measured)
    },
    rowVariables.proxy,
  )
}
