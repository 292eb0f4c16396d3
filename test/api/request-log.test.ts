import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { startService } from '../given/harness.js'
import { until } from '../resilience/until.js'

const service = await startService()

test.each([
  ['/healthz', 'healthz', 'debug'],
  ['/readyz?verbose', 'readyz', 'debug'],
  ['/docs/', 'docs', 'debug'],
  ['/docs/errors.html', 'docs', 'debug'],
  ['/openapi.json', 'docs', 'debug'],
  ['/assets/x/style.css', 'assets', 'debug'],
  ['/docsx', 'none', 'info'],
  ['/t/nobody-here/authorize?client_id=x', 'page /authorize', 'info'],
  ['/a/nobody-here/authorize', 'page /authorize', 'info'],
  [`/t/nobody-here/sign-in/${randomUUID()}`, 'page /sign-in/:flow_id', 'info'],
  ['/api/v2/organizations', 'organizations.list', 'info'],
])('a request for %s is logged as %s, at %s', async (path, route, level) => {
  const requestId = `log-${path.replace(/\W/g, '-')}`
  await fetch(service.baseUrl + path, { headers: { 'x-request-id': requestId } })
  const lineOf = () =>
    service.logLines.find((line) => line.includes(`"${requestId}"`) && line.includes('"msg":"request"'))
  await until(() => lineOf() !== undefined)
  expect(JSON.parse(lineOf() ?? '{}')).toMatchObject({ msg: 'request', route, level })
})
