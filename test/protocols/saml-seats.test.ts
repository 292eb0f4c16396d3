import { describe, expect, test } from 'vitest'
import { longTest } from '../sampled.js'
import { isIn } from '../given/flow-given.js'
import { anyEmail } from '../given/given.js'
import { startService } from '../given/harness.js'
import { leadOf, samlGivenOf, type SamlGiven, type SamlScene } from '../given/saml-given.js'
import type { Seen } from '../given/visitor.js'
import { untilWaiting, whileEventWaits } from '../given/waiting.js'

const service = await startService()
const client = await service.client()
const given = samlGivenOf(service, client)

async function total({ org_domain }: SamlScene): Promise<number> {
  return (await client.users.list({ org_domain })).total
}

/**
 * A connection with an earlier sign-in. The first sign-in updates the connection, so that concurrent ones wait for each
 * other; later ones are only serialized by the check of the seats.
 */
async function testedScene(
  settings: Parameters<SamlGiven['scene']>[0],
  nameId = anyEmail(),
): Promise<SamlScene> {
  const scene = await given.scene(settings)
  await given.signIn(scene, { nameId })
  return scene
}

/** A sign-in that only lacks the final request of the browser. */
async function atTheDoor(scene: SamlScene, nameId = anyEmail()) {
  const { visitor, requestId } = await given.atIdentityProvider(scene)
  const hop = await given.post(scene, scene.idp.respond({ ...scene.connection, requestId }, { nameId }))
  return () => visitor.visit(leadOf(hop))
}

describe('the seats of an organization', () => {
  longTest(
    'of 40 new users at once 5 come in where 5 are free, and the others are told nothing',
    async () => {
      const scene = await testedScene({ seats_limit: 6 })
      const doors = []
      for (let count = 0; count < 40; count++) doors.push(await atTheDoor(scene))
      const landed = await Promise.all(doors.map((enter) => enter()))

      expect(landed.filter(isIn)).toHaveLength(5)
      expect(landed.filter(({ status }) => status === 403)).toHaveLength(35)
      expect(await total(scene)).toBe(6)
      const { data } = await client.ssoConnections.listLoginTraces({
        idp_id: scene.connection.idp_id,
        outcome: 'failed',
        per_page: 100,
      })
      expect(data.map((trace) => trace.failed_check)).toEqual(Array.from({ length: 35 }, () => 'seats'))
    },
    120_000,
  )

  test('are the same for all of its connections', async () => {
    const one = await testedScene({ seats_limit: 3, email_domains: ['one.example'] }, 'u@one.example')
    const two = {
      ...one,
      ...(await given.connect(one, { seats_limit: 3, email_domains: ['two.example'] }, 'idp2')),
    }
    await given.signIn(two, { nameId: 'u@two.example' })
    const enter = await atTheDoor(one, 'new@one.example')
    const enterMeanwhile = await atTheDoor(two, 'new@two.example')
    const others: Promise<Seen>[] = []

    const landed = await whileEventWaits(service, 'user.user.create.success', enter, async () => {
      others.push(enterMeanwhile())
      await untilWaiting(service, 2)
    })

    const all = [landed, ...(await Promise.all(others))]
    expect(all.map(isIn)).toEqual([true, false])
    expect(await total(one)).toBe(3)
  }, 60_000)

  test('are freed by deleting a user, who is somebody new at the next sign-in', async () => {
    const scene = await given.scene({ seats_limit: 1 })
    const first = { nameId: anyEmail() }
    const second = { nameId: anyEmail() }
    await given.signIn(scene, first)
    expect(isIn((await given.signIn(scene, second)).landed)).toBe(false)
    const user = await client.users.getByEmail({ org_domain: scene.org_domain, user_email: first.nameId })
    await client.users.delete({ org_domain: scene.org_domain, user_id: user.id })

    expect(isIn((await given.signIn(scene, second)).landed)).toBe(true)
    expect(isIn((await given.signIn(scene, first)).landed)).toBe(false)
  })

  test('are not asked of users who have one', async () => {
    const scene = await given.scene({ seats_limit: 1 })
    const known = { nameId: anyEmail() }
    await given.signIn(scene, known)
    await service.given.user({ org_domain: scene.org_domain })
    expect(isIn((await given.signIn(scene, known)).landed)).toBe(true)
  })

  test('have no end where the limit is 0', async () => {
    const scene = await given.scene({ seats_limit: 0 })
    for (let count = 0; count < 3; count++)
      expect(isIn((await given.signIn(scene, { nameId: anyEmail() })).landed)).toBe(true)
  })
})
