import { expect, test } from 'vitest'
import { consoleGivenOf } from '../given/console-given.js'
import { startService } from '../given/harness.js'
import { createWorld } from '../given/world.js'

const service = await startService()
const given = consoleGivenOf(service)

/** Every address of the console that a page leads to, from its first pages on, with the status and text of each. */
async function crawl(visitor: Awaited<ReturnType<typeof given.owner>>['visitor'], from: readonly string[]) {
  const seen = new Map<string, { status: number; html: string }>()
  const waiting = [...from]
  for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
    if (seen.has(path)) continue
    if (seen.size % 100 === 99) await service.clock.advance(60)
    const { status, html } = await visitor.request(path)
    seen.set(path, { status, html })
    for (const [, href = ''] of html.matchAll(/href="(\/console\/[^"#]*)"/g)) {
      const next = href.replaceAll('&amp;', '&')
      if (!next.includes('ui_locales=') && !seen.has(next)) waiting.push(next)
    }
  }
  return seen
}

test('every page that an owner is led to is there, and looking changes nothing', async () => {
  await createWorld(service)
  const { visitor, account } = await given.owner(service.account)
  const before = await changes()

  const seen = await crawl(visitor, [
    `/console/${account.domain}/sandbox`,
    `/console/${account.domain}/production`,
  ])

  const wrong = [...seen].filter(([, { status }]) => status !== 200 && status !== 303)
  expect(wrong.map(([path, { status }]) => `${status} ${path}`)).toEqual([])
  expect(seen.size).toBeGreaterThan(120)
  expect(await changes()).toEqual(before)
})

/** What a change would leave behind. */
async function changes() {
  return service.query(
    'select (select count(*) from events) as events, (select count(*) from audit_entries) as audited',
  )
}
