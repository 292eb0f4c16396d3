import { EventEmitter, once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { cellFinder } from '@portico/server/find-cell'
import { expect, test } from 'vitest'
import { startService } from '../given/harness.js'

const service = await startService()
const client = await service.client()

test('a cell is asked once for a record, however its id is written', async () => {
  const { domain: org_domain } = await service.given.organization()
  const { scim_base_url } = await client.directorySync.create({ org_domain, provider_type: 'okta' })
  const id = scim_base_url.split('/').at(-1) ?? ''
  let asked = 0
  const cell = {
    name: 'one',
    get db() {
      asked += 1
      return service.deps.db
    },
  }
  const find = cellFinder([cell], { isHttps: false })

  for (const written of [id, id.toUpperCase(), `one_${id}`, `another_${id}`]) {
    const request = { url: `/scim/v2/${written}/Users`, headers: {} } as IncomingMessage
    expect(await find(request)).toBe(cell)
  }

  expect(asked).toBe(1)
})

test('a name that two databases have is of the one for which the first keeps it, however fast they are', async () => {
  const { domain } = await service.given.organization()
  const answers = new EventEmitter()
  const others = once(answers, 'second')
  /** The database of the service, which holds every name of the test. */
  const answering = (on: () => Promise<unknown>) =>
    service.deps.db.withPlugin({
      transformQuery: ({ node }) => node,
      transformResult: ({ result }) => on().then(() => result),
    })
  const first = { name: 'one', db: answering(() => others) }
  const second = { name: 'two', db: answering(() => Promise.resolve(answers.emit('second'))) }
  const find = cellFinder([first, second], { isHttps: false })
  const request = { url: `/t/${domain}/account`, headers: {} } as IncomingMessage

  expect(await find(request)).toBe(first)
})

test('a name is asked for again as long as the first database cannot say whose it is', async () => {
  const { domain } = await service.given.organization()
  let isOpen = false
  const first = {
    name: 'one',
    get db() {
      return isOpen ? service.deps.db : undefined
    },
  }
  const second = { name: 'two', db: service.deps.db }
  const find = cellFinder([first, second], { isHttps: false })
  const request = { url: `/t/${domain}/account`, headers: {} } as IncomingMessage
  expect(await find(request)).toBe(second)

  isOpen = true

  expect(await find(request)).toBe(first)
})
