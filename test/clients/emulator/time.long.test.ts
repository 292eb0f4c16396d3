import { expect, test } from 'vitest'
import { startReceiver } from '../../given/receiver.js'
import { ada, givenEmulator, smallSeed } from './emulator.js'

// Starts an emulator of its own. `npm run test:emulator` runs tests against one without a worker.
test('without a worker nothing runs by itself, and a move runs nothing unless it is to', async () => {
  const manual = await givenEmulator({ seed: smallSeed, runsJobs: false })
  const receiver = await startReceiver()
  const client = manual.client()
  await client.webhooks.create({ name: 'Events', target_url: receiver.url, event_codes: ['user.all'] })
  await client.users.create({ org_domain: ada.org_domain, email: 'grace@awesome.example' })

  await manual.control.clock.move({ by_seconds: 3_600, run_jobs: false })
  expect(receiver.received).toHaveLength(0)
  const ended = await manual.runJobs()

  expect(receiver.received).toHaveLength(1)
  expect(ended).toBeGreaterThan(0)
})
