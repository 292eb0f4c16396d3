import { expect, test } from 'vitest'
import { startService } from '../given/harness.js'
import { samplesIn, startMetrics } from '../given/scrape.js'

const service = await startService()

test('what is due in one database is told while another one cannot be opened, and that it is not all', async () => {
  await service.query(
    `insert into jobs (name, payload, run_at, inserted_at)
     select name, payload, now() - interval '1 day', inserted_at from jobs limit 1`,
  )
  const all = await startMetrics(service)
  const some = await startMetrics(service, () => [undefined, service.deps.db])
  const figuresAt = async (url: string) => samplesIn(await (await fetch(url)).text())

  const whole = await figuresAt(all)
  expect(whole.get('portico_db_up')).toBe(1)
  expect(whole.get('portico_jobs_due')).toBeGreaterThan(0)
  const partial = await figuresAt(some)

  expect(partial.get('portico_db_up')).toBe(0)
  expect(partial.get('portico_jobs_due')).toBe(whole.get('portico_jobs_due'))
})
