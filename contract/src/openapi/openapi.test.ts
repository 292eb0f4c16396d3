import { describe, expect, test } from 'vitest'
import { z } from 'zod/v4'
import { eventCodes } from '../events/event-catalog.js'
import {
  environmentEcho,
  filterText,
  flag,
  integer,
  list,
  locale,
  PageQuery,
  reference,
} from '../core/fields.js'
import { mapSchema, schemaWriter, type JsonSchema, type Target } from './json-schema.js'
import { openApiDocument, type OpenApiDocument, type Operation } from './openapi.js'
import { record } from '../core/record.js'
import { records } from '../records.js'
import { bodyOf, routes } from '../walk.js'

const targets: Target[] = ['3.1', '3.0']
const options = { serverUrl: 'https://auth.example', version: '1.2.3' }
const documents = {
  '3.1': openApiDocument({ target: '3.1', ...options }),
  '3.0': openApiDocument({ target: '3.0', ...options }),
}

/** Operations that take nothing but a form. */
const formsAlone = ['oidc.postUserInfo', 'oidc.postAccountUserInfo']

describe.each(targets)('the document of OpenAPI %s', (target) => {
  const document = documents[target]

  test('is the same whenever it is written', () => {
    expect(openApiDocument({ target, ...options })).toEqual(document)
  })

  test('has every route once, under its own name', () => {
    const names = operationsOf(document).map(({ operationId }) => operationId)
    expect(names.toSorted()).toEqual(
      routes()
        .map(({ name }) => name)
        .toSorted(),
    )
  })

  test('has every record as a component', () => {
    expect(Object.keys(document.components.schemas)).toEqual(expect.arrayContaining([...records().keys()]))
  })

  test('refers only to what it has', () => {
    const references = [...valuesOf(document, '$ref')]
    expect(references.length).toBeGreaterThan(100)
    for (const reference of references) expect(at(document, reference), String(reference)).toBeDefined()
  })

  test('says of every id and every time what it is, at least its form', () => {
    const parameters = [...valuesOf(document.paths, 'parameters')].flat()
    const members = [...valuesOf(schemasIn(document), 'properties')].flatMap((of) => Object.entries(of ?? {}))
    const fields = [...parameters.map((each) => ['parameter', each] as const), ...members]
    const formed = fields.filter(([, field]) =>
      [...valuesOf(field, 'format')].some((format) => format === 'uuid' || format === 'date-time'),
    )

    expect(formed.length).toBeGreaterThan(300)
    expect(formed.filter(([, field]) => [...valuesOf(field, 'description')].length === 0)).toEqual([])
  })

  test('keeps nothing of its making', () => {
    for (const key of ['$defs', 'definitions', '$schema', 'x-published', 'id'])
      expect([...valuesOf(schemasIn(document), key)].filter((value) => typeof value !== 'object')).toEqual([])
  })

  test('leaves every answer open to new members', () => {
    const answers = [
      ...operationsOf(document).map(({ responses }) => responses),
      document.components.responses,
      ...[...records().keys()].map((name) => document.components.schemas[name]),
    ]
    expect([...valuesOf(answers, 'additionalProperties')]).not.toContain(false)
  })

  test('has the token of UserInfo as a form alone (RFC 6750 section 2.2)', () => {
    for (const name of formsAlone) {
      const { content = {}, required } = operation(document, name).requestBody ?? {}
      expect([name, Object.keys(content), required]).toEqual([
        name,
        ['application/x-www-form-urlencoded'],
        false,
      ])
    }
  })

  test('has every body in both content types, with an example, closed to members nobody reads', () => {
    for (const operation of operationsOf(document)) {
      const content = operation.requestBody?.content
      if (!content || formsAlone.includes(operation.operationId)) continue
      expect(Object.keys(content)).toEqual(['application/json', 'application/x-www-form-urlencoded'])
      expect(content['application/json']?.example).toBeDefined()
      const isOAuth = operation.tags.includes('OAuth')
      const schema = at(document, content['application/json']?.schema.$ref)
      expect(schema).toMatchObject(isOAuth ? {} : { additionalProperties: false })
    }
  })

  test('shows the secret of a directory in the examples of the answers that have it, and in no other', () => {
    const examples = operationsOf(document).flatMap(({ operationId, responses }) =>
      JSON.stringify(responses).includes('scimsandbox_…') ? [operationId] : [],
    )
    expect(examples).toEqual(['directorySync.create', 'directorySync.reset'])
    expect(JSON.stringify(document.components)).not.toContain('scimsandbox_…')
  })

  test('says what a route requires, emits and repeats', () => {
    const create = operation(document, 'users.create')
    expect(create).toMatchObject({
      tags: ['Users'],
      security: [{ api_key: [] }],
      'x-required-scope': 'write:users',
      'x-emits': ['user.user.create.success'],
      responses: {
        201: {
          headers: {
            ETag: { $ref: '#/components/headers/ETag' },
            'Idempotent-Replayed': { $ref: '#/components/headers/Idempotent-Replayed' },
          },
        },
      },
    })
    expect(create.parameters?.map(({ name }) => name)).toEqual(['org_domain', 'Idempotency-Key'])
    expect(operation(document, 'users.update').parameters?.map(({ name }) => name)).toContain('If-Match')
    expect(operation(document, 'oidc.keySet').security).toEqual([])
  })

  test('names the error codes of every failure', () => {
    const conflict = operation(document, 'users.create').responses['409']
    expect(at(document, conflict && '$ref' in conflict ? conflict.$ref : undefined)).toMatchObject({
      'x-error-codes': ['idempotency_in_flight', 'email_taken'],
      description: expect.stringContaining('- `email_taken`: Another user of this organization') as string,
    })
  })

  test('names the answer to a read whose tag is known, which has no body', () => {
    const known = { $ref: '#/components/responses/not_modified' }
    expect(operation(document, 'users.get').responses['304']).toEqual(known)
    expect(operation(document, 'oidc.keySet').responses['304']).toEqual(known)
    expect(operation(document, 'users.update').responses).not.toHaveProperty('304')
    expect(document.components.responses['not_modified']).not.toHaveProperty('content')
  })

  test('writes the members of a query by their bracket names', () => {
    const names = operation(document, 'organizations.list').parameters?.map(({ name }) => name)
    expect(names).toEqual([
      'page',
      'current_page',
      'per_page',
      'after',
      'environment',
      'filter',
      'member_email',
      'sort',
      'q[environments_status_in][]',
    ])
  })

  test('keeps what is secret and what is personal', () => {
    const { User, MagicLinkChallenge } = document.components.schemas
    expect(User?.properties?.['email']).toMatchObject({ 'x-sensitivity': 'personal' })
    expect(User?.properties?.['profile']).toMatchObject({ 'x-sensitivity': 'personal' })
    expect(MagicLinkChallenge?.properties?.['magic_link']).toMatchObject({ 'x-sensitivity': 'secret' })
  })
})

test('3.0 has the body of a DELETE as a query, which the service reads alike', () => {
  const name = 'tokenCustomization.deleteMetaKey'
  const document = documents['3.0']
  expect(
    routes()
      .filter(bodyOf)
      .map((route) => route.name),
  ).toContain(name)
  expect(operation(document, name).requestBody).toBeUndefined()
  expect(operation(document, name).parameters).toContainEqual({
    name: 'key_name',
    in: 'query',
    required: true,
    schema: { type: 'string' },
  })
})

describe('a field that reads several forms is published as the one to send', () => {
  test.each([
    ['flag', flag(), { type: 'boolean' }],
    ['flag with a default', flag().default(true), { type: 'boolean', default: true }],
    ['integer', integer({ min: 1, max: 9 }), { type: 'integer', minimum: 1, maximum: 9 }],
    ['list', list(z.string(), 3), { type: 'array', items: { type: 'string' }, maxItems: 3 }],
    ['reference', reference(), { type: 'string', format: 'uuid', description: 'UUID' }],
    [
      'locale',
      locale(),
      { type: 'string', maxLength: 35, description: 'BCP 47 language tag, for example fr-FR' },
    ],
    [
      'nullable flag',
      flag().nullish().describe('On or off'),
      { type: ['boolean', 'null'], description: 'On or off' },
    ],
    ['filter', filterText(), { type: ['string', 'null'], maxLength: 200 }],
    ['refused value', environmentEcho().catch('none'), expect.not.objectContaining({ default: 'none' })],
  ])('%s', (_name, schema, published) => {
    expect(schemaWriter('3.1').input(schema)).toEqual(published)
  })

  test('a page number, which is never demanded', () => {
    const { properties, required } = schemaWriter('3.1').input(PageQuery)
    expect(required).toBeUndefined()
    expect(properties?.['per_page']).toEqual({
      description: 'Records on a page: 1 to 100',
      type: 'integer',
      minimum: 1,
      maximum: 100,
      default: 25,
    })
  })
})

describe('a record that is also an input', () => {
  const inner = record('Inner', { size: z.int().default(1) }, { size: 1 })
  const outer = record('Outer', { inner: inner.nullable() }, { inner: null })
  const same = record('Same', { name: z.string() }, { name: 'a' })

  test('has a schema of its own when the input differs, by itself or through a part', () => {
    const writer = schemaWriter('3.1')
    expect(writer.output(outer)).toEqual({ $ref: '#/components/schemas/Outer' })
    expect(writer.input(outer)).toEqual({ $ref: '#/components/schemas/OuterInput' })
    const { Inner, InnerInput, Outer, OuterInput } = writer.components()
    expect([Inner?.required, InnerInput?.required]).toEqual([['size'], undefined])
    expect([...valuesOf([Outer], '$ref')]).toEqual(['#/components/schemas/Inner'])
    expect([...valuesOf([OuterInput], '$ref')]).toEqual(['#/components/schemas/InnerInput'])
  })

  test('has one schema when the input is the answer', () => {
    const writer = schemaWriter('3.1')
    writer.output(same)
    expect(writer.input(z.object({ same }))).toMatchObject({
      properties: { same: { $ref: '#/components/schemas/Same' } },
    })
    expect(Object.keys(writer.components())).toEqual(['Same'])
  })

  test('may be null in 3.0 in a way that a converter to JSON Schema reads', () => {
    const writer = schemaWriter('3.0')
    writer.output(outer)
    expect(writer.components()['Outer']?.properties?.['inner']).toEqual({
      anyOf: [{ $ref: '#/components/schemas/Inner' }, { type: 'object', nullable: true, enum: [null] }],
    })
  })
})

test('two schemas of one name are refused', () => {
  const writer = schemaWriter('3.1')
  writer.output(z.object({ a: z.string() }).meta({ id: 'Twice' }))
  const other = z.object({ b: z.string() })
  // Zod's registry has one schema for each id; the second replaces the first.
  expect(() => writer.output(other.meta({ id: 'Twice' }))).toThrow('two schemas are called Twice')
})

test('a member called like a keyword is a member', () => {
  const schema: JsonSchema = { type: 'object', properties: { anyOf: { type: 'string' }, default: {} } }
  expect(mapSchema(schema, (node) => node)).toEqual(schema)
})

function operationsOf(document: OpenApiDocument): Operation[] {
  return Object.values(document.paths).flatMap((methods) => Object.values(methods))
}

function operation(document: OpenApiDocument, name: string): Operation {
  const found = operationsOf(document).find(({ operationId }) => operationId === name)
  if (!found) throw new Error(`no operation ${name}`)
  return found
}

function schemasIn({ paths, components }: OpenApiDocument): unknown {
  return [paths, components.schemas, components.responses]
}

/** The value that a reference into the document points to. */
function at(document: OpenApiDocument, reference: unknown): unknown {
  const steps = String(reference).replace('#/', '').split('/')
  return steps.reduce<unknown>((value, step) => (isObject(value) ? value[step] : undefined), document)
}

/** Every value under a key, however deep, but not in examples. */
function* valuesOf(value: unknown, key: string): Generator<unknown> {
  if (!isObject(value)) return
  for (const [name, member] of Object.entries(value)) {
    if (name === key) yield member
    if (name !== 'example' && name !== 'examples') yield* valuesOf(member, key)
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

test('every event code is a webhook of OpenAPI 3.1, with the event as its body; 3.0 knows none', () => {
  const { webhooks } = documents['3.1']
  const bodies = eventCodes.map((code) => [
    code,
    webhooks?.[code].post.requestBody.content['application/json'].schema,
  ])
  expect(Object.fromEntries(bodies)).toMatchObject({
    'user.user.create.success': { $ref: '#/components/schemas/UserUserCreateSuccessEvent' },
  })
  expect(Object.keys(webhooks ?? {})).toEqual(eventCodes)
  expect(documents['3.0']).not.toHaveProperty('webhooks')
})
