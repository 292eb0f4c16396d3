import { id } from '@portico/contract/fields'
import { findLiveUser } from '../../directory/users/users.js'
import { allowApplication, beginAnew, refuseApplication } from '../../sign-in/flows/consent.js'
import { scopesOf } from '../../tokens/scopes.js'
import { scopesOfClaims } from '../../tokens/user-claims.js'
import type { StepOutcome, StepPage, StepRequest } from '../frame/step-page.js'
import { consentPage } from '../views/consent.js'

const userId = id()

/** Asks the user to allow the application what it asks for. */
export const consentStep: StepPage = {
  show,
  actions: { allow, refuse, change_address: changeUser },
}

async function show({ deps, flow, caller, frame, form }: StepRequest): Promise<string | undefined> {
  const { userId, applicationName, redirectUri, claims } = flow
  const user = userId === null ? undefined : await findLiveUser(deps.db, caller, userId)
  if (user === undefined) return undefined
  const asked = [...(claims?.id_token ?? []), ...(claims?.userinfo ?? [])]
  const scopes = [...scopesOf(flow.scope), ...scopesOfClaims(asked)]
  return consentPage({ frame, form, user, applicationName, redirectUri, scopes })
}

/** Without the user whom the page has shown, or with another one, nothing is allowed, and the page is shown anew. */
async function allow({ deps, flow, field }: StepRequest): Promise<StepOutcome> {
  const shown = userId.safeParse(field('user'))
  if (shown.success) await allowApplication(deps, flow, shown.data)
  return 'moved'
}

async function refuse({ deps, flow, caller }: StepRequest): Promise<StepOutcome> {
  const answer = await refuseApplication(deps, caller, flow, 'consent')
  return answer === undefined ? 'over' : { answer }
}

async function changeUser({ deps, flow }: StepRequest): Promise<StepOutcome> {
  await beginAnew(deps, flow, 'consent')
  return 'moved'
}
