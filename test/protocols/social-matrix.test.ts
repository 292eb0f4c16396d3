import { openMagicLink } from '@portico/sdk'
import { describe, expect, test } from 'vitest'
import { goodPassword, isIn } from '../given/flow-given.js'
import { anything } from '../given/given.js'
import { startService } from '../given/harness.js'
import { socialGivenOf, type SocialScene } from '../given/social-given.js'
import type { Seen, Visitor } from '../given/visitor.js'
import { longTest } from '../sampled.js'

const service = await startService()
const client = await service.client()
const given = socialGivenOf(service, client)

const people = ['nobody', 'unverified', 'verified', 'password', 'totp', 'invited'] as const
type Person = (typeof people)[number]
const claims = ['own_word', 'unverified', 'none', 'of_custom', 'other_case'] as const
type Claim = (typeof claims)[number]

/** Makes whoever has the address before. */
async function arrange(of: SocialScene, person: Person, email: string): Promise<void> {
  const { org_domain } = of
  if (person === 'nobody') return
  if (person === 'invited') {
    await client.invitations.create({ org_domain, email })
    return
  }
  const isUnverified = person === 'unverified'
  const first = isUnverified ? `x-${anything()}@awesome.example` : email
  const made = await service.given.user({ org_domain, email: first }, client)
  if (person === 'verified') await openLinkOf(org_domain, email)
  else await given.flows.passwords.set({ ...of, user: made })
  // Nobody has proved the address that takes the place of theirs.
  const user = isUnverified ? await client.users.update({ org_domain, user_id: made.id, email }) : made
  if (person !== 'totp') return
  await given.flows.totp.activate(org_domain)
  await given.flows.totp.enroll({ org_domain, user_id: user.id })
}

async function openLinkOf(org_domain: string, user_email: string): Promise<void> {
  const { magic_link } = await client.magicLink.createChallenge({ org_domain, user_email, send_email: false })
  await openMagicLink(magic_link ?? '')
}

/** Comes back from a provider that makes a claim about the address. */
async function arrive(
  of: SocialScene,
  claim: Claim,
  email: string,
): Promise<{ readonly visitor: Visitor; readonly landed: Seen }> {
  if (claim === 'of_custom') {
    const { name, idp } = await given.custom(of)
    const { visitor, address } = await given.atProvider(of, name)
    const said = { sub: email, email, email_verified: true }
    return { visitor, landed: await visitor.visit(idp.approve(address, said)) }
  }
  return given.signIn(of, {
    subject: email,
    email: claim === 'other_case' ? email.toUpperCase() : email,
    verified: claim !== 'unverified',
    ...(claim === 'none' && { fault: 'no_email' }),
  })
}

async function identitiesOf({ org_domain }: SocialScene, user_email: string) {
  const user = await client.users.getByEmail({ org_domain, user_email }).catch(() => undefined)
  return user?.identities
}

/** Whether the word of the provider is proof enough, which it is of a newcomer alone. */
function isAdmitted(person: Person, claim: Claim): boolean {
  return (person === 'nobody' || person === 'invited') && (claim === 'own_word' || claim === 'other_case')
}

describe.each(people)('the address of %s', (person) => {
  for (const [index, claim] of claims.entries()) {
    const run = index === 0 ? test : longTest
    run(`is linked to nobody without a proof, where the claim is ${claim}`, async () => {
      const of = await given.scene()
      const email = `p-${anything()}@awesome.example`
      await arrange(of, person, email)
      const { visitor, landed } = await arrive(of, claim, email)

      if (isAdmitted(person, claim)) {
        expect(isIn(landed)).toBe(true)
        expect(await identitiesOf(of, email)).toHaveLength(1)
        return
      }
      expect(isIn(landed)).toBe(false)
      expect((await identitiesOf(of, email)) ?? []).toEqual([])
      expect(visitor.sessionSecret()).toBeUndefined()

      const proved = await prove(visitor, landed, claim, email)
      if (person === 'nobody' || person === 'invited') {
        expect(isIn(proved)).toBe(true)
        expect(await identitiesOf(of, email)).toHaveLength(1)
        return
      }
      // The mailbox is proved, and the user has not signed in yet.
      expect(isIn(proved)).toBe(false)
      expect(await identitiesOf(of, email)).toEqual([])
      const signedIn = await visitor.press(proved, 'password', { password: goodPassword })
      const isSufficient = person === 'password' || person === 'unverified'
      expect(isIn(signedIn)).toBe(isSufficient)
      expect(await identitiesOf(of, email)).toHaveLength(isSufficient ? 1 : 0)
    })
  }
})

/** Proves the address by the mailed code, where it is asked for. */
async function prove(visitor: Visitor, landed: Seen, claim: Claim, email: string): Promise<Seen> {
  if (claim === 'own_word' || claim === 'other_case') return landed
  const asked = claim === 'none' ? await visitor.press(landed, 'name_address', { email }) : landed
  return visitor.press(asked, 'address_code', { code: await given.codeTo(email) })
}
