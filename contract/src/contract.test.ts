import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { z } from 'zod/v4'
import { exportsOfSources } from '../exports.js'
import { scopes } from './core/access.js'
import { allErrorCodes, errorCodes } from './core/errors.js'
import { eventCatalog, eventCodes, type EventKind } from './events/event-catalog.js'
import { Event, eventSchemas } from './events/events.js'
import { exampleOf } from './core/record.js'
import { namedSchemas, records } from './records.js'
import { sampleBody, sampleOf } from './openapi/samples.js'
import { withoutSecrets } from './core/sensitivity.js'
import { bodyOf, queryOf, routes } from './walk.js'

const all = routes().map((route) => [route.name, route] as const)

test('package.json exports every source, as `npm run generate` writes it', () => {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8')
  expect(JSON.parse(text)).toMatchObject({ exports: exportsOfSources() })
  expect(Object.keys((JSON.parse(text) as { exports: object }).exports)).toEqual(
    Object.keys(exportsOfSources()),
  )
})

describe.each([...records()])('the example of %s', (_name, schema) => {
  test('fits the record, which keeps all of it and adds nothing', () => {
    const example: unknown = exampleOf(schema)
    expect(schema.parse(example)).toStrictEqual(example)
    expect(schema.parse(JSON.parse(JSON.stringify(example)))).toStrictEqual(example)
  })
})

test('every named schema has an example, but for parts of others', () => {
  const known = records()
  const without = [...namedSchemas().keys()].filter((name) => !known.has(name))
  expect(without).toEqual(['ClaimTree', 'FieldError', 'JsonValue', 'JsonWebKey'])
})

describe.each(all)('%s', (_name, route) => {
  const { access, definition, errorCodes: codes, method } = route
  const headers = Object.keys(definition.headers ?? {})

  test('has a summary, and stands under a heading that is explained', () => {
    expect(definition.summary).toMatch(/^[A-Z].*[^.]$/)
    expect(access.tag.description).toMatch(/^[A-Z].*[^.]\.$/)
  })

  test('has an example of its own that fits its success, or none', () => {
    const { example } = access
    if (example !== undefined) expect(route.success.parse(example)).toStrictEqual(example)
  })

  test('demands a scope exactly when it is called with an API key: read to read, write to write', () => {
    if (access.auth === 'none') return expect(access.scope).toBeNull()
    expect(scopes).toContain(access.scope)
    expect(access.scope).toMatch(scopeExceptions[route.name] ?? (method === 'GET' ? /^read:/ : /^write:/))
    expect(codes).toEqual(expect.arrayContaining(['invalid_token', 'insufficient_scope', 'rate_limited']))
  })

  test('emits events when it writes, and only then', () => {
    const writes = method !== 'GET' && access.auth === 'api_key' && !ofNoRecord.test(route.name)
    expect(access.emits.length > 0).toBe(writes)
    for (const code of access.emits) expect(eventCodes).toContain(code)
  })

  test('takes an Idempotency-Key when its metadata say so, and only as a POST', () => {
    expect(headers.includes('idempotency-key')).toBe(access.idempotent)
    expect(codes.includes('idempotency_key_reused')).toBe(access.idempotent)
    expect(codes.includes('idempotency_in_flight')).toBe(access.idempotent)
    if (access.idempotent) expect(method).toBe('POST')
  })

  test('takes If-Match when its metadata say so, and only as a change', () => {
    const checks = access.versioned === 'checks'
    expect(headers.includes('if-match')).toBe(checks)
    expect(codes.includes('precondition_failed')).toBe(checks)
    if (checks) expect(['PUT', 'PATCH', 'DELETE']).toContain(method)
  })

  test('declares the parameters of its path, and no other', () => {
    expect(membersOf(definition.pathParams)).toEqual([...route.pathParameters])
    expect(access.reach === 'organization').toBe(
      route.pathParameters.includes('org_domain') && access.auth === 'api_key',
    )
  })

  test('declares that it refuses keys limited to organizations when it acts on the whole account', () => {
    if (access.reach === 'account') expect(codes).toContain('key_limited_to_organizations')
  })

  // A write merges path, query and body, so a name may occur in one of them only.
  test('has no parameter of one name in two places', () => {
    const names = [...membersOf(queryOf(route)), ...membersOf(bodyOf(route)), ...route.pathParameters]
    expect(names).toHaveLength(new Set(names).size)
  })

  test('answers 422 for a body that is wrong, and reads the sample of one', () => {
    const body = bodyOf(route)
    if (!body) return
    if (access.auth === 'api_key') expect(codes).toContain('invalid_parameters')
    expect(body.safeParse(sampleBody(route)).error).toBeUndefined()
  })

  test('has samples for its path that are read as they are', () => {
    const path = Object.fromEntries(route.pathParameters.map((name) => [name, sampleOf(name)]))
    const { pathParams } = definition
    if (pathParams instanceof z.ZodObject) expect(pathParams.parse(path)).toEqual(path)
  })
})

/**
 * A discovery changes no record until a user has signed in: log events tell of it. An evaluation and a check change nothing, and asking a
 * browser for a passkey changes no record.
 */
const ofNoRecord =
  /^(discovery|accessEvaluation)\.|^socialProviders\.check$|^passkeys\.create(Registration|Challenge)$/

/** The messages of the outbox contain sign-in links, so reading it requires the scope that creates them. */
const scopeExceptions: Record<string, RegExp> = {
  'outbox.list': /^write:magic_links$/,
  'accessEvaluation.evaluate': /^read:roles$/,
  'accessEvaluation.evaluateAll': /^read:roles$/,
}

/** Codes of answers before a route is matched, or when its handler fails. */
const codesOutsideRoutes = ['route_not_found', 'method_not_allowed', 'internal_error']

describe('the error codes', () => {
  test('are all answered by some route, but for those answered outside routes', () => {
    const answered = new Set<string>(routes().flatMap((route) => route.errorCodes))
    expect(Object.keys(errorCodes).filter((code) => !answered.has(code))).toEqual(codesOutsideRoutes)
  })

  test.each(Object.entries(allErrorCodes))('%s has a name, a status and sentences', (code, error) => {
    expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/)
    expect(error.status).toBeGreaterThanOrEqual(400)
    expect(error.message).toMatch(/^[A-Z].*\.$/)
    expect(error.remedy).toMatch(/^[A-Z].*\.$/)
  })

  test('of one status have messages of their own', () => {
    const messages = Object.values(allErrorCodes).map(({ message }) => message)
    expect(messages).toHaveLength(new Set(messages).size)
  })
})

describe('the event codes', () => {
  const kinds: readonly (readonly [string, EventKind])[] = Object.entries(eventCatalog)

  test('are each emitted by some route, or said to come from elsewhere', () => {
    const emitted = new Set<string>(routes().flatMap((route) => route.access.emits))
    const sourceless = kinds.filter(([code, { elsewhere }]) => !emitted.has(code) && elsewhere === undefined)
    expect(sourceless.map(([code]) => code)).toEqual([])
  })

  test.each(kinds)('%s is family, resource, action and outcome', (code, { tells }) => {
    expect(code).toMatch(/^[a-z_]+\.[a-z_]+\.[a-z_]+\.(success|fail)$/)
    expect(tells).toMatch(/^[A-Z].*\.$/)
  })

  test.each(eventCodes)('%s has an event whose example fits it, and has no secret', (code) => {
    const schema = eventSchemas[code]
    const example = exampleOf(schema)
    expect(schema.parse(example)).toEqual(example)
    expect(Event.parse(example)).toEqual(example)
    expect(withoutSecrets(schema, example)).toEqual(example)
  })
})

test('no two routes have one method and path', () => {
  const places = routes().map(({ method, path }) => `${method} ${path.replace(/:\w+/g, ':')}`)
  expect(places).toHaveLength(new Set(places).size)
})

/** The members of an object schema, also behind a transformation. */
function membersOf(schema: unknown): string[] {
  if (schema instanceof z.ZodObject) return Object.keys(schema.shape)
  if (schema instanceof z.ZodPipe) return [...membersOf(schema.in), ...membersOf(schema.out)]
  return []
}
