import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { contract } from '@portico/contract/contract'
import type { ErrorCode } from '@portico/contract/errors'
import express from 'express'
import { afterAll, describe, expect, test } from 'vitest'
import { readConfig } from '../../platform/config/config.js'
import { ApiError } from '../../platform/errors.js'
import { createLog } from '../../platform/observability/log.js'
import { errorHandler } from './error-handler.js'
import { mountContract } from './mount.js'
import { openContext } from '../../delivery/request-context.js'

const servers: Server[] = []

afterAll(() => {
  for (const server of servers) server.close()
})

/** The answer and the log lines of users.get when its operation throws a code. */
async function answerTo(thrown: ErrorCode, variables: Record<string, string> = {}) {
  const config = readConfig({ LOG_LEVEL: 'error', ...variables })
  const lines: string[] = []
  const log = createLog(config, { write: (line: string) => void lines.push(line) })
  const app = express()
  app.use((req, _res, next) => {
    openContext(req, 'the-request')
    next()
  })
  const failing = { get: () => Promise.reject(new ApiError(thrown)) }
  mountContract(app, { get: contract.users.get }, failing, { logInitialization: false })
  app.use(errorHandler({ config, log }))
  const server = app.listen(0, '127.0.0.1')
  servers.push(server)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const answer = await fetch(`http://127.0.0.1:${port}/api/v2/org/acme/users/ada`)
  const { error } = (await answer.json()) as { error: { code: string } }
  return { status: answer.status, code: error.code, log: lines.join('') }
}

describe('a code that an operation throws', () => {
  test('is answered where its route declares it', async () => {
    expect(await answerTo('user_not_found')).toEqual({ status: 404, code: 'user_not_found', log: '' })
  })

  test.each([
    ['a code', 'meta_key_not_found'],
    ['a status', 'precondition_failed'],
  ] as const)('is a fault of the service where its route does not declare such %s', async (_what, code) => {
    const { log, ...answer } = await answerTo(code)

    expect(answer).toEqual({ status: 500, code: 'internal_error' })
    expect(log).toContain(code)
  })

  test('is answered in production all the same, and logged', async () => {
    const { log, ...answer } = await answerTo('meta_key_not_found', { NODE_ENV: 'production' })

    expect(answer).toEqual({ status: 404, code: 'meta_key_not_found' })
    expect(log).toContain('the contract does not declare this answer')
  })
})
