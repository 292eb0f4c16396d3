import type { PreparedData } from './data.js'
import { besideBare, type Figure } from './figures.js'
import { interleaved, type Settings } from './measure.js'
import { writeRequests, type LoadRequest } from './requests.js'
import { grantOf, onStage } from './stage.js'

/** A4: the client-credentials grant: secret hashed, token signed with ES256, use logged. */
export async function grantToken(settings: Settings): Promise<Figure[]> {
  return onStage(settings, async (stage) => {
    const requestsFile = writeRequests(grantRequests(stage.data))
    const cases = {
      ours: { contender: stage.ours, requestsFile },
      bare: { contender: stage.bare, requestsFile },
    }
    const measured = await interleaved(stage, cases, settings)
    return besideBare('A4', 'client-credentials grant', measured)
  })
}

export function grantRequests(data: PreparedData): LoadRequest[] {
  return (['sandbox', 'production'] as const).map((environment) => ({
    method: 'POST',
    path: '/api/v2/oauth/token',
    body: grantOf(data, environment),
  }))
}
