import { emulator, emulatorErrorCodes } from '@portico/contract/emulator'
import type { ApiDocument, Operation } from '@portico/contract/openapi'
import { routes } from '@portico/contract/walk'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { expect, test } from 'vitest'
import { longTest } from '../../sampled.js'
import { senderTo } from '../../abuse/target.js'
import { controlTargets } from '../../abuse/targets.js'
import { faultsOf as faultsOfWalk } from '../../abuse/walk.js'
import { runBlock } from '../../docs/testing-guide.js'
import { givenEmulator } from './emulator.js'

const portico = await givenEmulator()
const document = (await (await fetch(`${portico.baseUrl}/_emulator/openapi.json`)).json()) as ApiDocument

interface Placed extends Operation {
  method: string
  path: string
}

function operations(): Placed[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      method: method.toUpperCase(),
      path,
    })),
  )
}

/** The answer that an operation declares for a status, not by range. */
function answerOf({ responses, operationId }: Placed, status: number) {
  const answer = responses[status]
  if (answer === undefined || '$ref' in answer) throw new Error(`${operationId} does not have ${status}`)
  return answer
}

/** Calls an operation with the examples of the document. */
function callByExample({ method, path, parameters = [], requestBody }: Placed) {
  const filled = path.replace(/{(\w+)}/g, (_, name: string) =>
    String(parameters.find((parameter) => parameter.name === name)?.example),
  )
  return send(method, filled, requestBody?.content['application/json']?.example)
}

function send(method: string, path: string, body?: unknown) {
  const [server] = document.servers
  return fetch(`${server?.url ?? ''}${path}`, {
    method,
    ...(body !== undefined && {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  })
}

/** The schema violations of an answer, found by a library that only knows the document. */
function faultsOf(schema: object, answer: unknown): unknown[] {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  // Its types describe CommonJS, where the function is the module.
  ;(formats as unknown as (to: Ajv2020) => void)(ajv)
  const { components } = document
  const check = ajv.compile({ ...schema, components })
  check(answer)
  return check.errors ?? []
}

test('an emulator has the OpenAPI document of its control, which has every operation of it and nothing of the service', () => {
  expect(document.openapi).toBe('3.1.0')
  expect(document.servers).toEqual([{ url: portico.baseUrl }])
  expect(operations().map(({ operationId, method, path }) => [operationId, method, path])).toEqual(
    routes(emulator).map(({ name, method, path }) => [name, method, path.replace(/:(\w+)/g, '{$1}')]),
  )
})

longTest('each operation answers its own example as the document says', async () => {
  for (const operation of operations()) {
    const answer = await callByExample(operation)
    expect([operation.operationId, answer.ok]).toEqual([operation.operationId, true])
    const { schema = {} } = answerOf(operation, answer.status).content?.['application/json'] ?? {}
    expect(faultsOf(schema, await answer.json()), operation.operationId).toEqual([])
    expect(faultsOf(schema, []), operation.operationId).not.toEqual([])
  }
  expect(operations().length).toBeGreaterThan(10)
})

test.each([
  ['POST', '/_emulator/clock', { advance: '16m' }, 422, 'invalid_parameters'],
  ['POST', '/_emulator/clock', {}, 422, 'invalid_parameters'],
  ['POST', '/_emulator/clock', { by_seconds: 1, to: '2036-03-14T09:26:53Z' }, 422, 'invalid_parameters'],
  ['POST', '/_emulator/clock', { to: '2016-03-14T09:26:53Z' }, 409, 'clock_behind'],
  ['POST', '/_emulator/faults', { operation: 'users.list', code: 'email_taken' }, 422, 'fault_not_declared'],
  ['POST', '/_emulator/accounts', {}, 422, 'invalid_parameters'],
  ['POST', '/_emulator/accounts/{account_domain}/api-keys', {}, 404, 'account_not_found'],
])('%s %s with %j is refused with a status and a code that the document has', async (...row) => {
  const [method, path, body, status, code] = row
  const answer = await send(method, path, body)
  const refused: unknown = await answer.json()

  expect([answer.status, refused]).toMatchObject([status, { error: { code } }])
  const operation = operations().find((each) => each.method === method && each.path === path)
  if (operation === undefined) expect.unreachable(`the document has no ${path}`)
  expect(answerOf(operation, status)['x-error-codes']).toContain(code)
  expect(document['x-error-codes']).toHaveProperty(code, emulatorErrorCodes[code as 'clock_behind'])
})

test('the control answers each abuse as it declares, and refuses what it cannot take', async () => {
  const { port } = new URL(portico.baseUrl)

  expect(await faultsOfWalk(controlTargets(), senderTo(Number(port)))).toEqual([])
})

longTest('the guide steers an emulator by curl: reset, clock, faults, outbox, accounts', async () => {
  // The example request moved the clock.
  await portico.reset()
  const before = Date.parse((await portico.control.clock.get()).now)

  const [reset, clock, fault, cleared, outbox, account, ...others] = runBlock('control', portico.baseUrl).map(
    (line) => JSON.parse(line) as Record<string, unknown>,
  )

  expect(reset).toMatchObject({ accounts: [{ domain: 'acme' }] })
  expect(Date.parse(String(clock?.['now'])) - before).toBeGreaterThanOrEqual(960_000)
  expect(fault).toMatchObject({ operation: 'users.list', code: 'unavailable', remaining: 2 })
  expect(cleared).toEqual({ cleared: 1 })
  expect(outbox).toEqual({ data: [] })
  expect(account).toMatchObject({ domain: 'second-account' })
  expect(others).toEqual([])
})
