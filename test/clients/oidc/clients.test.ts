import { expect, test } from 'vitest'
import { startService } from '../../given/harness.js'
import { sampled } from '../../sampled.js'
import { debianClients, libraries } from './clients.js'
import { blockOfGuide, codeOf, tableOf, tableOfGuide } from './guide.js'
import { journeyOf } from './journey.js'

const clients = [...libraries, ...Object.values(debianClients)]
const service = await startService()
const client = await service.client()
const journey = journeyOf(service, client)

test.each(sampled(libraries, 3))(
  '$name: login, userinfo, a rotation of keys, refresh, another login and logout',
  (of) => journey.run(of),
)

test.each(sampled(libraries.slice(0, 3), 1))(
  '$name: users of three organizations, with the one configuration of their account',
  (of) => journey.runAcross(of),
)

test('the table of docs/guides/client-libraries.md is that of the clients under test', () => {
  expect(tableOfGuide()).toEqual(tableOf(clients))
})

test.each(clients)(
  '$name: its block in docs/guides/client-libraries.md is the code that the tests run',
  (of) => {
    expect(codeOf(of)).not.toBe('')
    expect(blockOfGuide(of)).toBe(codeOf(of))
  },
)
