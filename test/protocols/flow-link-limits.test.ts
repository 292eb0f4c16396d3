import { describe, expect, test } from 'vitest'
import { longTest } from '../sampled.js'
import { flowGivenOf, type FlowScene } from '../given/flow-given.js'
import { flowLinkGivenOf } from '../given/flow-link-given.js'
import { anyEmail, givenOf } from '../given/given.js'
import { startService, type Service } from '../given/harness.js'
import type { Seen } from '../given/visitor.js'

describe('limits of the mails of pages', () => {
  test('an address gets three in a quarter of an hour, whoever asks for them', async () => {
    const strict = await limited()
    const scene = await strict.given.scene()
    const { visitor, page } = await strict.links.atLinkSent(scene)
    await visitor.press(page, 'resend')

    const third = await strict.links.atLinkSent(scene)
    const fourth = await third.visitor.send(third.page, 'resend')

    expect(third.page.status).toBe(200)
    expect(fourth.status).toBe(429)
    expect(Number(fourth.headers.get('retry-after'))).toBeGreaterThan(0)
  })

  longTest('an IP address sends twenty in an hour, wherever they go', async () => {
    const strict = await limited()
    const scene = await strict.given.scene()
    const pages: Seen[] = []
    for (let mails = 0; mails < 21; mails++)
      pages.push((await strict.links.atLinkSent(scene, { email: anyEmail() })).page)

    expect(pages.slice(0, 20).every(({ html }) => html.includes('Check your e-mail'))).toBe(true)
    expect(pages[20]?.status).toBe(429)
  })

  longTest(
    'where the sandbox keeps its mail, an IP address asks for ten times as many, apart from those of production',
    async () => {
      const strict = await limited({ MAILS_PER_IP: '1', SANDBOX_MAIL: 'keep' })
      const scene = await strict.given.scene()
      const inProduction = await productionScene(strict.service, scene.org_domain)
      const statuses = async (of: FlowScene, count: number) => {
        const all: number[] = []
        for (let mails = 0; mails < count; mails++)
          all.push((await strict.links.atLinkSent(of, { email: anyEmail() })).page.status)
        return all
      }

      expect(await statuses(scene, 11)).toEqual([...Array.from({ length: 10 }, () => 200), 429])
      expect(await statuses(inProduction, 2)).toEqual([200, 429])
    },
  )

  longTest('where it sends its mail, all of an IP address are counted together', async () => {
    const strict = await limited({ MAILS_PER_IP: '1' })
    const scene = await strict.given.scene()
    const inProduction = await productionScene(strict.service, scene.org_domain)

    const sandbox = await strict.links.atLinkSent(scene)
    const production = await strict.links.atLinkSent(inProduction)

    expect([sandbox.page.status, production.page.status]).toEqual([200, 429])
  })

  async function limited(variables: Record<string, string> = {}) {
    const strictService = await startService({
      variables: { MAILS_PER_ADDRESS: '', MAILS_PER_IP: '', SANDBOX_MAIL: 'send', ...variables },
    })
    const strictClient = await strictService.client()
    const strictGiven = flowGivenOf(strictService, strictClient)
    const links = flowLinkGivenOf(strictService, strictClient, strictGiven)
    return { service: strictService, given: strictGiven, links }
  }

  /** A user and an application of the same organization, whose sign-ins are in production. */
  async function productionScene(service: Service, org_domain: string): Promise<FlowScene> {
    const client = await service.client({ environment: 'production' })
    await client.password.createConnection({ org_domain })
    const given = givenOf(client)
    const application = await given.application({ org_domain, organization_domain_scope: org_domain })
    return { org_domain, application, user: await given.user({ org_domain }) }
  }
})
