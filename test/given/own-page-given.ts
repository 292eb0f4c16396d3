import type { Client } from '@portico/sdk'
import { passwordGivenOf, type PasswordScene } from '../api/password-given.js'
import type { Service } from './harness.js'
import { createPasskeyAuthenticator, type Lie, type PasskeyAuthenticator } from './passkey-authenticator.js'

/** A page of the applications in these fixtures, and the domain that its passkeys are bound to. */
export const ownPage = 'https://app.store.example'
export const ownRpId = 'store.example'

type Made = Parameters<Client['passkeys']['completeRegistration']>[0]['credential']
type Used = Parameters<Client['passkeys']['validateChallenge']>[0]['credential']
type Registration = Awaited<ReturnType<Client['passkeys']['createRegistration']>>
type Challenge = Awaited<ReturnType<Client['passkeys']['createChallenge']>>
type Asked = Parameters<Client['passkeys']['createChallenge']>[0]

/** A user of an application with pages of its own, and the authenticator that holds their passkey. */
export interface PasskeyOwner {
  readonly scene: PasswordScene
  readonly held: PasskeyAuthenticator
}

/** What a browser sends of a new passkey. */
export function madeBy(held: PasskeyAuthenticator, { options }: Registration, lie?: Lie): Made {
  return JSON.parse(held.create(options, lie))
}

/** What a browser sends of a passkey that it has used. */
export function usedBy(held: PasskeyAuthenticator, { options }: Challenge, lie?: Lie): Used {
  return JSON.parse(held.use(options, lie))
}

/** Passkeys by the calls of the API, as the pages of an application add and use them. */
export function ownPageGivenOf(service: Service, client: Client) {
  const passwords = passwordGivenOf(service, client)

  function authenticator(options?: Parameters<typeof createPasskeyAuthenticator>[1]): PasskeyAuthenticator {
    return createPasskeyAuthenticator(ownPage, options)
  }

  /** Gives an application pages of its own. */
  function givePages({ org_domain, application }: PasswordScene, as = client) {
    return as.applications.update({
      ...{ org_domain, client_id: application.id },
      ...{ allowed_web_origins: [ownPage], passkey_rp_id: ownRpId },
    })
  }

  /** A user of an organization with passwords, and an application with pages of its own. */
  async function scene(): Promise<PasswordScene> {
    const of = await passwords.scene()
    return { ...of, application: await givePages(of) }
  }

  function begin({ org_domain, user, application }: PasswordScene): Promise<Registration> {
    return client.passkeys.createRegistration({
      ...{ org_domain, user_id: user.id, application_id: application.id },
    })
  }

  function complete(
    { org_domain }: Pick<PasswordScene, 'org_domain'>,
    { id: registration_id }: Registration,
    answer: { readonly credential: Made; readonly name?: string },
    as = client,
  ) {
    return as.passkeys.completeRegistration({ org_domain, registration_id, ...answer })
  }

  /** A user with a passkey of the pages of their application. */
  async function owner(of?: PasswordScene, held = authenticator()): Promise<PasskeyOwner> {
    const at = of ?? (await scene())
    const registration = await begin(at)
    await complete(at, registration, { credential: madeBy(held, registration) })
    return { scene: at, held }
  }

  function ask({ org_domain, application }: PasswordScene, members: Partial<Asked> = {}): Promise<Challenge> {
    return client.passkeys.createChallenge({ org_domain, application_id: application.id, ...members })
  }

  function answer(
    { request_id }: Pick<Challenge, 'request_id'>,
    credential: Used,
    as = client,
  ): ReturnType<Client['passkeys']['validateChallenge']> {
    return as.passkeys.validateChallenge({ request_id, credential })
  }

  /** Signs in with a passkey by a challenge of its own. */
  async function signIn({ scene: at, held }: PasskeyOwner, lie?: Lie) {
    const challenge = await ask(at)
    return answer(challenge, usedBy(held, challenge, lie))
  }

  async function passkeysOf({ org_domain, user }: PasswordScene) {
    return (await client.passkeys.list({ org_domain, user_id: user.id })).data
  }

  /** Why passkeys were refused, newest first. */
  async function reasonsOf({ org_domain }: Pick<PasswordScene, 'org_domain'>) {
    const { data } = await client.logEvents.list({ org_domain })
    return data.flatMap(({ event_code, reason }) =>
      event_code === 'END_USER_PASSKEY_FAILED' ? [reason] : [],
    )
  }

  return {
    ...{ passwords, authenticator, givePages, scene, begin, complete, owner, ask, answer, signIn },
    ...{ passkeysOf, reasonsOf },
  }
}
