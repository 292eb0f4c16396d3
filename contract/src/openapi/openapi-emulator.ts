import { z } from 'zod/v4'
import {
  anyRefusal,
  emulator,
  emulatorErrorCodes,
  emulatorTag,
  problemOf,
  type EmulatorErrorCode,
} from '../resources/emulator.js'
import { codesIn } from '../core/errors.js'
import { schemaWriter, type SchemaWriter } from './json-schema.js'
import type { Answer } from './openapi-answers.js'
import { parametersOf, requestBody, type RequestBody } from './openapi-inputs.js'
import { license, type ApiDocument, type OpenApiOptions, type Operation } from './openapi.js'
import { bodyOf, routes, type Route } from '../walk.js'

/** The emulator's control as an OpenAPI 3.1 document, separate from that of the service. */
export function emulatorDocument({
  serverUrl,
  version,
}: Pick<OpenApiOptions, 'serverUrl' | 'version'>): ApiDocument {
  const of = routes(emulator)
  const schemas = schemaWriter('3.1')
  // All answers before the first input, as schemaWriter() demands.
  const answers = new Map(of.map((route) => [route, answersOf(route, schemas)]))
  const paths: ApiDocument['paths'] = {}
  for (const [route, responses] of answers) {
    const path = route.path.replace(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route, responses, schemas) }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Portico emulator', version, description: emulatorTag.description, license },
    servers: [{ url: serverUrl }],
    tags: [emulatorTag],
    paths,
    components: {
      schemas: schemas.components(),
      responses: Object.fromEntries(
        Object.entries(anyRefusals).map(([range, codes]) => [range, refusal(problemOf(codes), schemas)]),
      ),
    },
    'x-error-codes': emulatorErrorCodes,
  }
}

/** Answers that every route can give without declaring them, by status range. */
const anyRefusals = {
  '4XX': anyRefusal.filter((code) => emulatorErrorCodes[code].status < 500),
  '5XX': anyRefusal.filter((code) => emulatorErrorCodes[code].status >= 500),
}
const anyAnswers = Object.fromEntries(
  Object.keys(anyRefusals).map((range) => [range, { $ref: `#/components/responses/${range}` }]),
)

function operation(route: Route, answers: Record<string, Answer>, schemas: SchemaWriter): Operation {
  const body = bodyOf(route)
  const parameters = parametersOf(route, schemas)
  return {
    operationId: route.name,
    tags: [route.access.tag.name],
    summary: route.definition.summary ?? route.name,
    security: [],
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: asJsonAlone(requestBody(route, body, schemas)) }),
    responses: { ...answers, ...anyAnswers },
  }
}

/** Removes the form: the control reads JSON only. */
function asJsonAlone({ required, content }: RequestBody): RequestBody {
  const { 'application/json': json } = content
  return { required, content: json === undefined ? {} : { 'application/json': json } }
}

function answersOf({ definition, successStatus }: Route, schemas: SchemaWriter): Record<string, Answer> {
  const answers = Object.entries(definition.responses).flatMap(([status, body]: [string, unknown]) => {
    if (!(body instanceof z.ZodType)) return []
    return [[status, Number(status) === successStatus ? success(body, schemas) : refusal(body, schemas)]]
  })
  return Object.fromEntries(answers) as Record<string, Answer>
}

function success(body: z.ZodType, schemas: SchemaWriter): Answer {
  return {
    description: 'Success',
    headers: {},
    content: { 'application/json': { schema: schemas.output(body) } },
  }
}

function refusal(body: z.ZodType, schemas: SchemaWriter): Answer {
  const codes = codesIn(body).filter(isEmulatorCode)
  return {
    description: codes.map((code) => `- \`${code}\`: ${emulatorErrorCodes[code].message}`).join('\n'),
    'x-error-codes': codes,
    headers: {},
    content: { 'application/json': { schema: schemas.output(body) } },
  }
}

function isEmulatorCode(code: string): code is EmulatorErrorCode {
  return code in emulatorErrorCodes
}
