import { describe, expect, test } from 'vitest'
import { flowGivenOf } from '../given/flow-given.js'
import { flowLinkGivenOf } from '../given/flow-link-given.js'
import { anyEmail } from '../given/given.js'
import { startService } from '../given/harness.js'
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

  test('an IP address sends twenty in an hour, wherever they go', async () => {
    const strict = await limited()
    const scene = await strict.given.scene()
    const pages: Seen[] = []
    for (let mails = 0; mails < 21; mails++)
      pages.push((await strict.links.atLinkSent(scene, { email: anyEmail() })).page)

    expect(pages.slice(0, 20).every(({ html }) => html.includes('Check your e-mail'))).toBe(true)
    expect(pages[20]?.status).toBe(429)
  })

  async function limited() {
    const strictService = await startService({ variables: { MAILS_PER_ADDRESS: '', MAILS_PER_IP: '' } })
    const strictClient = await strictService.client()
    const strictGiven = flowGivenOf(strictService, strictClient)
    return { given: strictGiven, links: flowLinkGivenOf(strictService, strictClient, strictGiven) }
  }
})
