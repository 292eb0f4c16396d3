import { expect, test } from 'vitest'
import { ada, givenEmulator, smallSeed } from './emulator.js'

const portico = await givenEmulator({ seed: smallSeed })
const { org_domain } = ada

test('a record that a test has set proves a domain, and no name server is asked for another', async () => {
  const client = portico.client()
  const { id: domain_id, domain, record } = await client.domains.create({ org_domain, domain: 'corp.dev' })
  const at = { org_domain, domain_id }
  const check = async () => {
    await portico.clock.advance('7m')
    return client.domains.check(at)
  }
  expect(await check()).toMatchObject({ state: 'pending', last_result: 'no_record' })
  await portico.control.dns.set({ name: record.name, answer: 'no_answer' })
  expect(await check()).toMatchObject({ state: 'pending', last_result: 'no_answer' })
  await portico.control.dns.set({ name: record.name, texts: ['token=other'] })
  expect(await check()).toMatchObject({ state: 'pending', last_result: 'not_matched' })
  await portico.control.dns.set({ name: record.name, texts: [record.value] })
  expect(await check()).toMatchObject({ domain, state: 'verified' })
})
