import { openMagicLink } from '@portico/sdk'
import { expect, test } from 'vitest'
import { goodPassword, isIn } from '../given/flow-given.js'
import { anything } from '../given/given.js'
import { flowLinkGivenOf } from '../given/flow-link-given.js'
import { startService } from '../given/harness.js'
import { socialGivenOf, type SocialScene } from '../given/social-given.js'
import type { Seen, Visitor } from '../given/visitor.js'
import { longTest } from '../sampled.js'

const service = await startService()
const client = await service.client()
const given = socialGivenOf(service, client)
const links = flowLinkGivenOf(service, client, given.flows)

/** The user who has the address before its owner comes from a provider. */
interface Person {
  readonly isUser: boolean
  readonly isVerified: boolean
  readonly hasPassword: boolean
  readonly hasTotp: boolean
  readonly isInvited: boolean
}

const either = [false, true] as const
const nobody = { isUser: false, isVerified: false, hasPassword: false, hasTotp: false } as const
const people: readonly Person[] = either.flatMap((isInvited) => [
  { ...nobody, isInvited },
  ...either.flatMap((isVerified) =>
    either.flatMap((hasPassword) =>
      either.map((hasTotp) => ({ isUser: true, isVerified, hasPassword, hasTotp, isInvited })),
    ),
  ),
])

const claims = ['own_word', 'unverified', 'none', 'of_custom', 'other_case'] as const
type Claim = (typeof claims)[number]

/** Every person with every claim. */
const cells = people.flatMap((person) => claims.map((claim) => ({ person, claim })))
/** Goes through the table askew, so that the sample has each claim, and persons of all kinds. */
const sampleStep = people.length - 2

function nameOf({ isUser, isVerified, hasPassword, hasTotp, isInvited }: Person): string {
  const parts = [
    isUser ? `${isVerified ? 'a verified' : 'an unverified'} user` : 'nobody',
    ...(hasPassword ? ['a password'] : []),
    ...(hasTotp ? ['an authenticator app'] : []),
    ...(isInvited ? ['an invitation'] : []),
  ]
  return parts.join(' with ')
}

/** Makes whoever has the address before. @returns The app of their second factor. */
async function arrange(of: SocialScene, person: Person, email: string): Promise<App | undefined> {
  const { org_domain } = of
  if (person.isInvited) await client.invitations.create({ org_domain, email })
  if (!person.isUser) return undefined
  const first = person.isVerified ? email : `x-${anything()}@awesome.example`
  const made = await service.given.user({ org_domain, email: first }, client)
  if (person.isVerified) await openLinkOf(org_domain, email)
  if (person.hasPassword) await given.flows.passwords.set({ ...of, user: made })
  const user_id = made.id
  // Nobody has proved the address that takes the place of theirs.
  if (!person.isVerified) await client.users.update({ org_domain, user_id, email })
  expect(await client.users.get({ org_domain, user_id })).toMatchObject({
    email,
    email_verified: person.isVerified,
  })
  if (!person.hasTotp) return undefined
  await given.flows.totp.activate(org_domain)
  const { app } = await given.flows.totp.enroll({ org_domain, user_id })
  // A code is good once.
  await service.clock.advance(30)
  return app
}

type App = Awaited<ReturnType<typeof given.flows.totp.enroll>>['app']

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

for (const [index, { person, claim }] of cells.entries()) {
  const run = index % sampleStep === 0 ? test : longTest
  run(
    `the address of ${nameOf(person)} is linked to nobody without a proof, where the claim is ${claim}`,
    async () => {
      const of = await given.scene()
      const email = `p-${anything()}@awesome.example`
      const app = await arrange(of, person, email)
      const { visitor, landed } = await arrive(of, claim, email)

      // The word of the provider is proof enough of a newcomer alone.
      const isWordEnough = claim === 'own_word' || claim === 'other_case'
      if (!person.isUser && isWordEnough) {
        expect(isIn(landed)).toBe(true)
        expect(await identitiesOf(of, email)).toHaveLength(1)
        return
      }
      await expectNobodyIn(of, { landed, visitor, email })

      const proved = await prove(visitor, landed, claim, email)
      if (!person.isUser) {
        expect(isIn(proved)).toBe(true)
        expect(await identitiesOf(of, email)).toHaveLength(1)
        return
      }
      // The mailbox is proved, and the user has not signed in yet.
      await expectNobodyIn(of, { landed: proved, visitor, email })
      const first = person.hasPassword
        ? await visitor.press(proved, 'password', { password: goodPassword })
        : await openNewestLink(visitor, proved, email)
      if (app === undefined) expect(isIn(first)).toBe(true)
      else {
        await expectNobodyIn(of, { landed: first, visitor, email })
        const both = await visitor.press(first, 'totp', { code: given.flows.totp.codeOf(app) })
        expect(isIn(both)).toBe(true)
      }
      expect(await identitiesOf(of, email)).toHaveLength(1)
    },
  )
}

/** Expects that nobody is signed in, and that the user with the address, if there is one, has no identity. */
async function expectNobodyIn(
  of: SocialScene,
  { landed, visitor, email }: { readonly landed: Seen; readonly visitor: Visitor; readonly email: string },
): Promise<void> {
  expect(isIn(landed)).toBe(false)
  expect((await identitiesOf(of, email)) ?? []).toEqual([])
  expect(visitor.sessionSecret()).toBeUndefined()
}

async function openNewestLink(visitor: Visitor, asked: Seen, email: string): Promise<Seen> {
  await visitor.press(asked, 'mail_link')
  const { location, url } = await links.open(await links.newestLinkTo(email), visitor)
  return visitor.visit(location ?? url)
}

/** Proves the address by the mailed code, where it is asked for. */
async function prove(visitor: Visitor, landed: Seen, claim: Claim, email: string): Promise<Seen> {
  if (claim === 'own_word' || claim === 'other_case') return landed
  const asked = claim === 'none' ? await visitor.press(landed, 'name_address', { email }) : landed
  return visitor.press(asked, 'address_code', { code: await given.codeTo(email) })
}
