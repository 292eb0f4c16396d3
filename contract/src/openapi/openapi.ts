import type { Scope, StaffScope } from '../core/access.js'
import { conventions } from './conventions.js'
import { deprecationSentence } from '../core/deprecation.js'
import { errorCodes } from '../core/errors.js'
import { eventCatalog, eventCodes, type EventCode, type EventKind } from '../events/event-catalog.js'
import { schemaWriter, type JsonSchema, type SchemaWriter, type Target } from './json-schema.js'
import {
  answersOf,
  headersFor,
  type Answer,
  type Header,
  type Reference,
  type SharedAnswers,
} from './openapi-answers.js'
import {
  parametersOf,
  queryParameters,
  requestBody,
  type Parameter,
  type RequestBody,
} from './openapi-inputs.js'
import { webhooksOf, type WebhookOperation } from './openapi-webhooks.js'
import { bodyOf, routes, type Route } from '../walk.js'

export interface OpenApiOptions {
  target: Target
  /** The address of the service, without a slash at its end. */
  serverUrl: string
  version: string
}

/** The common part of both documents: of the service, and of an emulator's control. */
export interface ApiDocument {
  openapi: string
  info: { title: string; version: string; description: string; license: { name: string; url: string } }
  servers: { url: string }[]
  tags: { name: string; description?: string }[]
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, JsonSchema>; responses: Record<string, Answer> }
  'x-error-codes': Readonly<Record<string, { status: number; message: string }>>
}

export interface OpenApiDocument extends ApiDocument {
  /** Absent in OpenAPI 3.0, which has no webhooks. */
  webhooks?: Record<EventCode, { post: WebhookOperation }>
  components: ApiDocument['components'] & {
    headers: Record<string, Header>
    securitySchemes: Record<
      string,
      { type: string; scheme: string; bearerFormat: string; description: string }
    >
  }
  'x-error-codes': typeof errorCodes
  'x-event-codes': Record<EventCode, EventMeaning>
}

/** The meaning of an event code, and its sources beside the operations that emit it. */
export interface EventMeaning {
  tells: string
  elsewhere?: readonly { source: string; actor: string }[]
}

export interface Operation {
  operationId: string
  tags: string[]
  summary: string
  description?: string
  deprecated?: true
  security: Record<string, string[]>[]
  'x-required-scope'?: Scope | StaffScope
  'x-emits'?: readonly EventCode[]
  parameters?: Parameter[]
  requestBody?: RequestBody
  responses: Record<string, Answer | Reference>
}

/** The contract as an OpenAPI document; given some routes, a document of these without webhooks. */
export function openApiDocument(
  { target, serverUrl, version }: OpenApiOptions,
  some?: readonly Route[],
): OpenApiDocument {
  const of = some ?? routes()
  const schemas = schemaWriter(target)
  // All answers before the first input: the plain name of a record is its form in answers.
  const shared: SharedAnswers = {}
  const answers = new Map(of.map((route) => [route, answersOf(route, schemas, shared)]))

  const webhooks = target === '3.1' && some === undefined ? webhooksOf(schemas) : undefined
  const paths: OpenApiDocument['paths'] = {}
  for (const [route, responses] of answers) {
    const path = route.path.replace(/:(\w+)/g, '{$1}')
    paths[path] = {
      ...paths[path],
      [route.method.toLowerCase()]: operation(route, { responses, schemas, target }),
    }
  }
  return {
    openapi: target === '3.1' ? '3.1.0' : '3.0.3',
    info: {
      title: 'Portico',
      version,
      description: conventions.map(({ title, text }) => `## ${title}\n\n${text}`).join('\n\n'),
      license,
    },
    servers: [{ url: serverUrl }],
    tags: tagsOf(of),
    paths,
    ...(webhooks && { webhooks }),
    components: {
      schemas: schemas.components(),
      responses: shared,
      headers: headersFor(of),
      securitySchemes,
    },
    'x-error-codes': errorCodes,
    'x-event-codes': Object.fromEntries(eventCodes.map((code) => [code, meaningOf(code)])) as Record<
      EventCode,
      EventMeaning
    >,
  }
}

/** The license of the documents and of the interface they describe. */
export const license = { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' }

function meaningOf(code: EventCode): EventMeaning {
  const { tells, elsewhere }: EventKind = eventCatalog[code]
  return elsewhere === undefined ? { tells } : { tells, elsewhere }
}

/** The headings of routes, in their order. */
export function tagsOf(of: readonly Route[]): { name: string; description: string }[] {
  const tags = new Set(of.map(({ access }) => access.tag))
  return [...tags].map(({ name, description }) => ({ name, description }))
}

function operation(
  route: Route,
  {
    responses,
    schemas,
    target,
  }: { responses: Operation['responses']; schemas: SchemaWriter; target: Target },
): Operation {
  const { tag, auth, scope, emits, deprecated } = route.access
  const body = bodyOf(route)
  // OpenAPI 3.0 has no body for DELETE; the service also reads its members from the query string.
  const inQuery = target === '3.0' && route.method === 'DELETE' ? body : undefined
  const parameters = [
    ...parametersOf(route, schemas),
    ...(inQuery ? queryParameters(schemas.input(inQuery)) : []),
  ]
  const description = descriptionOf(route)
  return {
    operationId: route.name,
    tags: [tag.name],
    summary: route.definition.summary ?? route.name,
    ...(description !== '' && { description }),
    ...(deprecated && { deprecated: true }),
    security: auth === 'none' ? [] : [{ api_key: [] }],
    ...(scope && { 'x-required-scope': scope }),
    ...(emits.length > 0 && { 'x-emits': emits }),
    ...(parameters.length > 0 && { parameters }),
    ...(body && !inQuery && { requestBody: requestBody(route, body, schemas) }),
    responses,
  }
}

/** The description of a route in sentences, with the scope and events that its page shows elsewhere. */
function descriptionOf(route: Route): string {
  const { scope, emits } = route.access
  return [
    remarksOf(route),
    scope && `Requires the scope \`${scope}\`.`,
    emits.length > 0 && `Emits ${emits.map((code) => `\`${code}\``).join(', ')}.`,
  ]
    .filter(Boolean)
    .join(' ')
}

/** Remarks on a route beside its parameters, answers, scope and events, in sentences; empty without any. */
export function remarksOf({ access, definition }: Route): string {
  return [
    definition.description,
    access.reach === 'account' && 'Acts on the whole account, so keys limited to organizations are refused.',
    access.sandboxOnly && 'Available only with sandbox keys.',
    access.limited && `Counts against the limit \`${access.limited}\` in addition to that of the API key.`,
    access.deprecated && deprecationSentence(access.deprecated),
  ]
    .filter(Boolean)
    .join(' ')
}

const securitySchemes: OpenApiDocument['components']['securitySchemes'] = {
  api_key: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'Token of an API key, from `POST /api/v2/oauth/token`',
  },
}
