import { expect, test } from 'vitest'
import { startService } from '../given/harness.js'

const service = await startService()

function front(accept: string): Promise<Response> {
  return fetch(`${service.baseUrl}/`, { redirect: 'manual', headers: { accept } })
}

test('302: a browser at the bare address is led to the documentation', async () => {
  const answer = await front('text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8')

  expect([answer.status, answer.headers.get('location'), answer.headers.get('vary')]).toEqual([
    302,
    '/docs/',
    expect.stringContaining('Accept'),
  ])
})

test.each(['*/*', 'application/json'])('404: what accepts %s gets the error body', async (accept) => {
  const answer = await front(accept)

  expect([answer.status, await answer.json()]).toMatchObject([404, { error: { code: 'route_not_found' } }])
})
