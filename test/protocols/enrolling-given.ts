import type { Client } from '@portico/sdk'
import { readKeyUri } from '../given/authenticator.js'
import { goodPassword, type FlowGiven, type FlowScene } from '../given/flow-given.js'
import type { Seen } from '../given/visitor.js'

/** What an application asks for that demands a second factor. */
export const mfa = { acr_values: 'urn:portico:acr:mfa' }

/** Sign-ins whose users have no second factor yet, and need one. */
export function enrollingGivenOf(client: Client, given: FlowGiven) {
  /** An organization that asks for codes, with a user who has no second factor yet. */
  async function sceneToEnroll(
    members: { method?: 'sms' | 'totp_mobile_app'; phone_number?: string } = {},
  ): Promise<FlowScene> {
    const scene = await given.scene()
    const { phone_number, ...connection } = members
    await given.totp.activate(scene.org_domain, connection)
    if (phone_number !== undefined)
      await client.users.update({ org_domain: scene.org_domain, user_id: scene.user.id, phone_number })
    return scene
  }

  /** A sign-in whose user has to enrol. */
  async function atEnroll(of?: FlowScene, parameters: Record<string, string> = mfa) {
    const { scene, visitor, page } = await given.atPassword(of ?? (await sceneToEnroll()), parameters)
    return { scene, visitor, page: await visitor.press(page, 'password', { password: goodPassword }) }
  }

  /** The same with the key of the app on the page. */
  async function begun(of?: FlowScene, parameters: Record<string, string> = mfa) {
    const at = await atEnroll(of, parameters)
    const shown = await at.visitor.send(at.page, 'enroll')
    return { ...at, shown, app: readKeyUri(keyUriOf(shown)) }
  }

  /** A sign-in whose user has just enrolled. */
  async function validated(of?: FlowScene, parameters: Record<string, string> = mfa) {
    const at = await begun(of, parameters)
    const codes = await at.visitor.send(at.shown, 'validate', { code: given.totp.codeOf(at.app) })
    return { ...at, codes }
  }

  return { sceneToEnroll, atEnroll, begun, validated }
}

export function keyUriOf({ html }: Seen): string {
  return /href="(otpauth:[^"]*)"/.exec(html)?.[1]?.replaceAll('&amp;', '&') ?? ''
}

export function recoveryCodesOf({ html }: Seen): string[] {
  return [...html.matchAll(/<code>([a-z2-7]{5}-[a-z2-7]{5})<\/code>/g)].map(([, code = '']) => code)
}
