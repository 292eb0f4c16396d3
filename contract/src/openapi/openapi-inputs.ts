import { z } from 'zod/v4'
import { schemaWriter, type JsonSchema, type SchemaWriter } from './json-schema.js'
import { sampleBody, sampleOf } from './samples.js'
import { queryOf, takesFormAlone, type Route } from '../walk.js'

export interface Parameter {
  name: string
  in: 'path' | 'header' | 'query'
  required?: true
  description?: string
  example?: unknown
  schema: JsonSchema
}

export interface RequestBody {
  required: boolean
  content: Record<string, MediaType>
}

interface MediaType {
  schema: JsonSchema
  example?: unknown
  encoding?: Record<string, { style: 'deepObject'; explode: true }>
}

/** The parameters of a route in its path, its headers and its query. */
export function parametersOf(route: Route, schemas: SchemaWriter): Parameter[] {
  const query = queryOf(route)
  return [
    ...pathParameters(route),
    ...headerParameters(route, schemas),
    ...(query ? queryParameters(schemas.input(query)) : []),
  ]
}

function pathParameters(route: Route): Parameter[] {
  const { pathParams } = route.definition
  const fields: Readonly<Record<string, unknown>> = pathParams instanceof z.ZodObject ? pathParams.shape : {}
  return route.pathParameters.map((name) => {
    const field = fields[name]
    // A malformed value in a path is a 404 and not a 422, so its pattern is published as a hint only.
    const {
      description,
      examples: _,
      ...schema
    } = field instanceof z.ZodType ? schemaWriter('3.1').input(field) : {}
    return {
      name,
      in: 'path',
      required: true,
      ...(description !== undefined && { description }),
      example: sampleOf(name, field),
      schema: { type: 'string', ...schema },
    }
  })
}

function headerParameters(route: Route, schemas: SchemaWriter): Parameter[] {
  return Object.entries(route.definition.headers ?? {}).flatMap(([name, header]: [string, unknown]) => {
    if (!(header instanceof z.ZodType)) return []
    const isRequired = !header.safeParse(undefined).success
    return [parameter(titleCase(name), 'header', isRequired, schemas.input(header))]
  })
}

function titleCase(header: string): string {
  return header.replace(/(?:^|-)[a-z]/g, (start) => start.toUpperCase())
}

/** The members of a query under their bracket names: `q[status_in][]` for an array in an object. */
export function queryParameters({ properties = {}, required = [] }: JsonSchema, prefix = ''): Parameter[] {
  return Object.entries(properties).flatMap(([member, described]) => {
    const schema = withoutNull(described)
    const name = prefix === '' ? member : `${prefix}[${member}]`
    if (schema.type === 'object') return queryParameters(schema, name)
    return [
      parameter(schema.type === 'array' ? `${name}[]` : name, 'query', required.includes(member), schema),
    ]
  })
}

/** A query string has no null; in these schemas it only stands for a value that matches nothing. */
function withoutNull({ nullable, ...given }: JsonSchema): JsonSchema {
  const schema =
    given.enum === undefined ? given : { ...given, enum: given.enum.filter((value) => value !== null) }
  const types = Array.isArray(schema.type) ? schema.type.filter((type) => type !== 'null') : undefined
  return types?.length === 1 ? { ...schema, type: types.join() } : schema
}

function parameter(
  name: string,
  place: Parameter['in'],
  isRequired: boolean,
  { description, ...schema }: JsonSchema,
): Parameter {
  return {
    name,
    in: place,
    ...(isRequired && { required: true }),
    ...(description !== undefined && { description }),
    schema,
  }
}

/** The body of a route, as JSON and as a form, or as a form alone. */
export function requestBody(route: Route, body: z.ZodType, schemas: SchemaWriter): RequestBody {
  const { examples, example: _, ...schema } = schemas.input(body)
  const json = { schema: schemas.component(bodyName(route), schema), example: sampleBody(route) }
  const nested = Object.entries(schema.properties ?? {}).filter(([, member]) => hasMembers(member))
  const encoding = Object.fromEntries(
    nested.map(([name]) => [name, { style: 'deepObject', explode: true } as const]),
  )
  return {
    required: !body.safeParse({}).success,
    content: {
      ...(!takesFormAlone(route) && { 'application/json': json }),
      'application/x-www-form-urlencoded': { ...json, ...(nested.length > 0 && { encoding }) },
    },
  }
}

/** organizations.create is OrganizationsCreateBody. */
function bodyName({ name }: Route): string {
  return `${name.replace(/(?:^|\.)([a-z])/g, (_, initial: string) => initial.toUpperCase())}Body`
}

function hasMembers(schema: JsonSchema): boolean {
  return schema.properties !== undefined || (schema.anyOf ?? []).some(hasMembers)
}
