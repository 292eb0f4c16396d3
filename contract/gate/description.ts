import { z } from 'zod/v4'
import type { Access } from '../src/core/access.js'
import { errorCodes, errorCodesOf, failures } from '../src/core/errors.js'
import { eventCatalog, eventCodes, type EventKind } from '../src/events/event-catalog.js'
import { eventSchemas } from '../src/events/events.js'
import { schemaWriter, type JsonSchema, type SchemaWriter } from '../src/openapi/json-schema.js'
import { headersOf } from '../src/openapi/openapi-answers.js'
import { sampleBody } from '../src/openapi/samples.js'
import { enterpriseUserSchema, groupSchema, userSchema, type ScimSchema } from '../src/protocols/scim.js'
import { AccessTokenClaims, IdTokenClaims } from '../src/protocols/token-claims.js'
import { bodyOf, queryOf, routes, type Route } from '../src/walk.js'
import { signatureHeaders } from '../src/events/webhook-signature.js'

/** All that callers can know of a contract, as data: what is released is compared with, and checked, as it was. */
export interface ContractDescription {
  readonly version: string
  /** By their names, which are the methods of the SDK. */
  readonly operations: Readonly<Record<string, OperationDescription>>
  readonly errorCodes: Readonly<Record<string, ErrorDescription>>
  /** What every refusal with a code looks like. */
  readonly errorBody: JsonSchema
  readonly events: Readonly<Record<string, EventDescription>>
  /** The claims of each kind of token. */
  readonly claims: Readonly<Record<string, JsonSchema>>
  readonly scim: readonly ScimSchema[]
  /** The headers of one delivery, signed with keys that are known. */
  readonly webhookSignature: Readonly<Record<string, string>>
  /** The named schemas that the others refer to. */
  readonly schemas: Readonly<Record<string, JsonSchema>>
}

export interface OperationDescription {
  readonly method: string
  readonly path: string
  readonly summary: string
  readonly description?: string
  readonly access: Access
  readonly inputs: Readonly<Partial<Record<'path' | 'query' | 'headers' | 'body', JsonSchema>>>
  /** A body that is right but for the objects which it names. */
  readonly sampleBody?: unknown
  readonly success: {
    readonly status: number
    readonly schema: JsonSchema
    readonly headers: readonly string[]
  }
  readonly errorCodes: readonly string[]
  /** Refusals without codes of ours, by status: those of the OAuth endpoints. */
  readonly otherRefusals: Readonly<Record<string, JsonSchema>>
}

export interface ErrorDescription {
  readonly status: number
  readonly message: string
  readonly remedy: string
}

export interface EventDescription {
  readonly tells: string
  readonly elsewhere?: EventKind['elsewhere']
  readonly schema: JsonSchema
}

/** What a contract is made of beside its version. */
export interface ContractParts {
  readonly routes: readonly Route[]
  readonly errorCodes: ContractDescription['errorCodes']
  readonly events: Readonly<Record<string, Omit<EventDescription, 'schema'> & { readonly schema: z.ZodType }>>
  readonly claims: Readonly<Record<string, z.ZodType>>
  readonly scim: readonly ScimSchema[]
}

/** The parts of this contract. */
export function partsOfContract(): ContractParts {
  const events = eventCodes.map((code) => {
    const { tells, elsewhere }: EventKind = eventCatalog[code]
    return [code, { tells, ...(elsewhere && { elsewhere }), schema: eventSchemas[code] }] as const
  })
  return {
    routes: routes(),
    errorCodes,
    events: Object.fromEntries(events),
    claims: { AccessTokenClaims, IdTokenClaims },
    scim: [userSchema, enterpriseUserSchema, groupSchema],
  }
}

/** Describes a contract; the same one is described in the same way. */
export async function describeContract(version: string, parts: ContractParts): Promise<ContractDescription> {
  const schemas = schemaWriter('3.1')
  const output = (schema: z.ZodType) => schemas.output(schema)
  // All answers before the first input: the plain name of a record is its form in answers.
  const answers = new Map(parts.routes.map((route) => [route, answersOf(route, schemas)]))
  const events = mapped(parts.events, ({ schema, ...event }) => ({ ...event, schema: output(schema) }))
  const claims = mapped(parts.claims, output)
  const errorBody = output(failures(['invalid_parameters'])[422])
  const operations = [...answers].map(([route, answer]) => [route.name, operationOf(route, answer, schemas)])
  return {
    version,
    // Each name has its operation.
    operations: Object.fromEntries(operations) as ContractDescription['operations'],
    errorCodes: parts.errorCodes,
    errorBody,
    events,
    claims,
    scim: parts.scim,
    webhookSignature: await signedDelivery(),
    schemas: schemas.components(),
  }
}

type Answers = Pick<OperationDescription, 'success' | 'otherRefusals'>

function answersOf(route: Route, schemas: SchemaWriter): Answers {
  const refusals = Object.entries(route.definition.responses).flatMap(([status, body]: [string, unknown]) =>
    Number(status) >= 300 && body instanceof z.ZodType && errorCodesOf(body).length === 0
      ? [[status, schemas.output(body)] as const]
      : [],
  )
  return {
    success: {
      status: route.successStatus,
      schema: schemas.output(route.success),
      headers: headersOf(route, route.successStatus),
    },
    otherRefusals: Object.fromEntries(refusals),
  }
}

function operationOf(route: Route, answers: Answers, schemas: SchemaWriter): OperationDescription {
  const { summary = route.name, description, pathParams, headers } = route.definition
  const inputs = {
    path: pathParams instanceof z.ZodType ? pathParams : undefined,
    query: queryOf(route),
    // ts-rest takes them one by one.
    headers: headers === undefined ? undefined : z.object(headers as z.ZodRawShape),
    body: bodyOf(route),
  }
  const written = Object.entries(inputs).flatMap(([place, schema]) =>
    schema === undefined ? [] : [[place, schemas.input(schema)] as const],
  )
  const sample = sampleBody(route)
  return {
    method: route.method,
    path: route.path,
    summary,
    ...(description !== undefined && { description }),
    access: route.access,
    inputs: Object.fromEntries(written),
    ...(sample !== undefined && { sampleBody: sample }),
    ...answers,
    errorCodes: route.errorCodes,
  }
}

/** What receivers compute from a delivery: with other keys or another body the same rule gives other values. */
function signedDelivery() {
  return signatureHeaders(
    {
      id: '0190c8f1-1a2b-7c3d-8e4f-5061728394a5',
      timestamp: 1_773_480_413,
      body: '{"code":"user.user.create.success"}',
    },
    { current: keyOf('current'), previous: keyOf('previous') },
  )
}

function keyOf(name: string): string {
  return `whsec_${btoa(name.padEnd(32, '.'))}`
}

function mapped<Value, Result>(
  record: Readonly<Record<string, Value>>,
  convert: (value: Value) => Result,
): Record<string, Result> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, convert(value)]))
}
