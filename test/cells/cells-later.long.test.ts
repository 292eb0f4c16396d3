import { expect, test, vi } from 'vitest'
import { portico } from '../cli/portico.js'
import { givenOf } from '../given/given.js'
import { startDatabaseProxy } from '../given/database-proxy.js'
import { cloneTemplate, emptyDatabase } from '../given/own-service.js'
import { longDescribe } from '../sampled.js'
import { makeAccount, startCells, type Account } from './cells-given.js'

/** Longer than the five seconds after which a database is tried again. */
const untilTriedAgain = { timeout: 30_000, interval: 200 }

async function readinessAt(settings: Record<string, string>): Promise<unknown> {
  const answer = await fetch(`${settings['BASE_URL']}/readyz`)
  return [answer.status, await answer.json()]
}

/** Has the worker mail a link to a new user, and gives how many mails they have got. */
async function mailTo({ client }: Account): Promise<() => Promise<number>> {
  const given = givenOf(client)
  const { domain: org_domain } = await given.organization()
  await given.application({ org_domain, organization_domain_scope: org_domain })
  const { email: user_email } = await given.user({ org_domain })
  await client.magicLink.createChallenge({ org_domain, user_email })
  return async () => (await client.outbox.list({ to: user_email })).data.length
}

longDescribe('a process with a worker on two databases', () => {
  test('does the jobs of each', async () => {
    const settings = await startCells(
      [
        { name: 'one', url: await cloneTemplate() },
        { name: 'two', url: await cloneTemplate() },
      ],
      { worker: true },
    )

    for (const cell of ['one', 'two']) {
      const sent = await mailTo(await makeAccount(cell, settings))
      await vi.waitFor(async () => expect(await sent()).toBe(1), untilTriedAgain)
    }
  })

  test('takes the accounts of a database, and its jobs, once it has the migrations', async () => {
    const cells = [
      { name: 'one', url: await cloneTemplate() },
      { name: 'two', url: await emptyDatabase() },
    ]
    const settings = await startCells(cells, { worker: true })
    const one = await makeAccount('one', settings)
    await expect(one.client.organizations.list()).resolves.toMatchObject({ total: 0 })
    expect(await readinessAt(settings)).toEqual([
      200,
      {
        status: 'up',
        cells: {
          one: { status: 'up' },
          two: { status: 'down', reason: expect.stringMatching(/^\d+ pending migrations/) as unknown },
        },
      },
    ])

    expect(await portico(['migrate', '--cell', 'two'], settings)).toMatchObject({ code: 0 })

    const two = await makeAccount('two', settings)
    await vi.waitFor(
      () => expect(two.client.organizations.list()).resolves.toMatchObject({ total: 0 }),
      untilTriedAgain,
    )
    const sent = await mailTo(two)
    await vi.waitFor(async () => expect(await sent()).toBe(1), untilTriedAgain)
  })

  test('takes those of a database that could not be opened at its start, as soon as it can', async () => {
    const [one, two] = [await cloneTemplate(), await startDatabaseProxy(await cloneTemplate())]
    const cells = [
      { name: 'one', url: one },
      { name: 'two', url: two.url },
    ]
    const settings = await two.during('reset', async () => {
      const started = await startCells(cells, { worker: true })
      expect(await readinessAt(started)).toEqual([
        200,
        {
          status: 'up',
          cells: {
            one: { status: 'up' },
            two: { status: 'down', reason: 'its database could not be opened yet' },
          },
        },
      ])
      return started
    })

    const late = await makeAccount('two', settings)
    await vi.waitFor(
      () => expect(late.client.organizations.list()).resolves.toMatchObject({ total: 0 }),
      untilTriedAgain,
    )
    const sent = await mailTo(late)
    await vi.waitFor(async () => expect(await sent()).toBe(1), untilTriedAgain)
  })
})
