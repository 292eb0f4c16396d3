import { createPasskeyAuthenticator } from '../given/passkey-authenticator.js'
import { besideBare, type Figure } from './figures.js'
import { fromKey } from './load-passkey.js'
import { interleaved, type Settings } from './measure.js'
import { writeRequests } from './requests.js'
import { onSignInStage, onePerOrganization } from './row-codes.js'
import { passkeyOrigin, redirectUri } from './sample.js'
import type { Stage } from './stage.js'

/** B7: a sign-in by passkey on a page of an application: challenge, assertion, code. */
export async function signInByPasskey(settings: Settings): Promise<Figure[]> {
  return onSignInStage(settings, async (stage) => {
    await setActive(stage, true)
    const place = `/api/v2/org/${onePerOrganization(stage)[0]?.domain}/applications`
    const application = await call(stage, 'POST', place, {
      ...{ name: 'Passkeys', application_type: 'react', allowed_redirect_urls: [redirectUri] },
      ...{ allowed_origins_cors: [], allowed_logout_urls: [] },
      ...{ allowed_web_origins: [passkeyOrigin], passkey_rp_id: new URL(passkeyOrigin).hostname },
    })
    try {
      const requestsFile = await makePasskeys(stage, application.id)
      const load = { kind: 'passkey', requestsFile } as const
      const cases = {
        ours: { ...load, contender: stage.ours },
        bare: { ...load, contender: stage.bare },
      }
      return besideBare('B7', 'passkey: challenge to code', await interleaved(stage, cases, settings))
    } finally {
      // The sample has one application in each environment.
      await call(stage, 'DELETE', `${place}/${application.id}`)
      await setActive(stage, false)
    }
  })
}

/** The organizations of the sample do not have passkeys. */
async function setActive(stage: Stage, active: boolean): Promise<void> {
  for (const { domain } of onePerOrganization(stage))
    await call(stage, 'PUT', `/api/v2/org/${domain}/passkey-connection`, { active })
}

/** Adds a passkey to a user of each organization, by the API. */
async function makePasskeys(stage: Stage, application_id: string): Promise<string> {
  const token = stage.tokens.sandbox
  const targets = onePerOrganization(stage)
  const authenticator = createPasskeyAuthenticator(passkeyOrigin, { isSynced: true })
  for (const { domain, id: user_id } of targets) {
    const path = `/api/v2/org/${domain}/passkey-registrations`
    const { id, options } = await call(stage, 'POST', path, { user_id, application_id })
    const credential = JSON.parse(authenticator.create(options)) as object
    await call(stage, 'PUT', `${path}/${id}`, { credential })
  }
  return writeRequests(
    targets.flatMap(({ domain: org_domain }, index) => {
      const key = authenticator.keys[index]
      if (key === undefined) return []
      const body = { org_domain, application_id, redirect_uri: redirectUri, state: 'state', nonce: 'nonce' }
      const cookie = fromKey(key)
      return [{ method: 'POST' as const, path: '/api/v2/passkey-challenge', token, body, cookie }]
    }),
  )
}

/** What the API answers, as far as it is read here. */
interface Answered {
  readonly id: string
  readonly options: Parameters<ReturnType<typeof createPasskeyAuthenticator>['create']>[0]
}

async function call({ ours, tokens }: Stage, method: string, path: string, body?: object): Promise<Answered> {
  const answer = await fetch(`http://127.0.0.1:${ours.port}${path}`, {
    method,
    headers: { authorization: `Bearer ${tokens.sandbox}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
  return (await answer.json()) as Answered
}
