import { readFileSync } from 'node:fs'
import { openapiSchemaToJsonSchema } from '@openapi-contrib/openapi-schema-to-json-schema'
import { exampleOf } from '@portico/contract/record'
import { records } from '@portico/contract/records'
import { Ajv } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { describe, expect, test } from 'vitest'

// The published files are checked with libraries that are independent of the contract.
const published = {
  '3.1': judgesOf('openapi.json', new Ajv2020(options()), (schema) => schema),
  '3.0': judgesOf('openapi-3.0.json', new Ajv(options()), fromOpenApi30),
}

describe.each(Object.entries(published))('the schemas of OpenAPI %s', (_version, { document, faultsOf }) => {
  test.each([...records()])(
    'accept the example of %s, now and with a member that comes later',
    (name, schema) => {
      const example = members(exampleOf(schema))
      expect(faultsOf(name, example)).toEqual([])
      expect(faultsOf(name, { ...example, a_later_member: 1 })).toEqual([])
    },
  )

  test.each([...records()])('refuse %s without a member that it always has', (name, schema) => {
    // A union has the members of its parts, which are checked as records of their own.
    if (document.components.schemas[name]?.anyOf !== undefined) return
    // Its body is empty (RFC 7009 section 2.2).
    if (name === 'RevokedToken') return
    const required = document.components.schemas[name]?.required ?? []
    expect(required.length).toBeGreaterThan(0)
    for (const member of required) {
      const { [member]: _, ...rest } = members(exampleOf(schema))
      expect(faultsOf(name, rest), member).not.toEqual([])
    }
  })

  test.each(bodiesOf(document))('accept the example of %s', (name, example) => {
    expect(faultsOf(name, example)).toEqual([])
  })

  test.each([
    ['an id that is none', 'User', { ...members(userExample()), id: 'ada' }],
    ['a number where a text is', 'User', { ...members(userExample()), phone_number: 33612345678 }],
    ['null where it is not said', 'User', { ...members(userExample()), email: null }],
    ['an unknown member of a body', 'UsersCreateBody', { email: 'ada@awesome.example', nick: 'Ada' }],
    ['an address that is none', 'UsersCreateBody', { email: 'ada' }],
    ['a value of no list', 'UsersCreateBody', { email: 'ada@awesome.example', gender: 'unknown' }],
    ['a number out of bounds', 'ApplicationsUpdateBody', { access_token_lifetime_in_seconds: 299 }],
  ])('refuse %s', (_fault, name, value) => {
    expect(faultsOf(name, value)).not.toEqual([])
  })

  test.each([
    [
      'null to clear a member',
      'UsersCreateBody',
      { email: 'ada@awesome.example', gender: null, address: null },
    ],
    [
      'a profile that is an address',
      'UsersCreateBody',
      { email: 'ada@awesome.example', profile: 'https://a.example' },
    ],
    ['no member at all of a change', 'UsersUpdateBody', {}],
  ])('accept %s', (_form, name, value) => {
    expect(faultsOf(name, value)).toEqual([])
  })
})

interface Published {
  paths: Record<string, Record<string, { requestBody?: { content: Record<string, Media> } }>>
  components: { schemas: Record<string, { required?: string[]; anyOf?: unknown[] }> }
}

interface Media {
  schema: { $ref: string }
  example: unknown
}

function judgesOf(file: string, ajv: Ajv | Ajv2020, toJsonSchema: (schema: object) => object) {
  formats.default(ajv)
  const document = JSON.parse(
    readFileSync(new URL(`../../docs/${file}`, import.meta.url), 'utf8'),
  ) as Published
  // The id makes references such as #/components/schemas/User resolvable.
  const schemas = Object.entries(document.components.schemas).map(([name, schema]) => [
    name,
    toJsonSchema(schema),
  ])
  ajv.addSchema({ components: { schemas: Object.fromEntries(schemas) } }, file)
  const faultsOf = (name: string, value: unknown) => {
    ajv.validate(`${file}#/components/schemas/${name}`, value)
    return ajv.errors ?? []
  }
  return { document, faultsOf }
}

function options() {
  return {
    strict: true,
    strictRequired: false,
    allErrors: true,
    allowUnionTypes: true,
    // References are kept, because inlining triples the work.
    inlineRefs: false,
    code: { optimize: false },
    keywords: ['components', 'example', 'x-sensitivity', 'x-deprecated'],
  }
}

function fromOpenApi30(schema: object): object {
  // Its $schema is draft 4, which Ajv does not support; the keywords used have the same meaning in all drafts.
  const { $schema: _, ...converted } = openapiSchemaToJsonSchema(schema)
  return converted
}

function bodiesOf({ paths }: Published): [string, unknown][] {
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods))
  return operations.flatMap(({ requestBody }) => {
    const media = requestBody?.content['application/json']
    return media ? [[media.schema.$ref.replace(/.*\//, ''), media.example]] : []
  })
}

function userExample(): unknown {
  const user = records().get('User')
  return user && exampleOf(user)
}

function members(value: unknown): Record<string, unknown> {
  return { ...Object(value) }
}
