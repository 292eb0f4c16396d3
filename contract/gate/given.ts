import { initContract } from '@ts-rest/core'
import { z } from 'zod/v4'
import { access } from '../src/core/access.js'
import { reading } from '../src/core/answers.js'
import { record } from '../src/core/record.js'
import type { ScimAttribute } from '../src/protocols/scim.js'
import { routes } from '../src/walk.js'
import { lineOf, type Change, type Level } from './change.js'
import { contractChanges } from './contract-changes.js'
import { describeContract, type ContractParts } from './description.js'

// A contract of one operation, made by the functions that make the real one, and what an edit of it is called.

const c = initContract()

type Fields = z.ZodRawShape

/** Fields and an example of them. */
export interface Answer {
  readonly fields: Fields
  readonly example: Readonly<Record<string, unknown>>
}

/** What of the one operation a test says; the rest is the same in both contracts. */
export interface Edit {
  readonly answer?: Answer
  readonly body?: z.ZodType
  readonly query?: z.ZodType
  /** Instead of what is above: the operations of the contract. */
  readonly operations?: Readonly<Record<string, object>>
  readonly parts?: Partial<ContractParts>
}

export const tag = { name: 'Users', description: 'People.' }

/** A person as the synthetic contract answers one. */
export function person({ fields, example }: Answer) {
  // The compiler cannot see that an example of a test fits fields of a test.
  return record('Person', fields, example as never)
}

const simple: Answer = { fields: { id: z.string() }, example: { id: '7' } }

/** A route of the synthetic contract. */
export function route(edit: Omit<Edit, 'operations' | 'parts'> = {}, rest: object = {}) {
  const { answer = simple, body, query } = edit
  return {
    method: body === undefined ? 'GET' : 'POST',
    path: '/people/:person_id',
    pathParams: z.object({ person_id: z.string() }),
    summary: 'Read a person',
    responses: reading({ 200: person(answer) }, 'user_not_found'),
    metadata: access({ tag, scope: 'read:users' }),
    ...(body && { body: body.meta()?.['examples'] ? body : body.meta({ examples: [{}] }) }),
    ...(query && { query }),
    ...rest,
  }
}

export const scimTitle: ScimAttribute = {
  name: 'title',
  type: 'string',
  multiValued: false,
  description: 'Such as Vice President',
  required: false,
  caseExact: false,
  mutability: 'readWrite',
  returned: 'default',
  uniqueness: 'none',
}

export const scimUser = { id: 'urn:user', name: 'User', description: 'User account', attributes: [scimTitle] }

/** The synthetic contract after an edit. */
export async function contractOf({ operations, parts, ...edit }: Edit = {}) {
  // What a test makes of zod and of these functions is a route, which the compiler loses on the way.
  const router = c.router((operations ?? { get: route(edit) }) as never)
  return describeContract('1.0.0', {
    routes: routes({ people: router }),
    errorCodes: { user_not_found: { status: 404, message: 'No such user.', remedy: 'Look.' } },
    events: {},
    claims: { Claims: z.object({ sub: z.string() }) },
    scim: [scimUser],
    ...parts,
  })
}

/** What callers notice when one contract becomes another, as the gate says it: level and line. */
export async function noticed(before: Edit, after: Edit): Promise<string[]> {
  return said(contractChanges(await contractOf(before), await contractOf(after)))
}

function said(changes: readonly Change[]): string[] {
  const marks: Readonly<Record<Level, string>> = { breaking: '!', additive: '+', documentation: '?' }
  return changes.map((change) => `${marks[change.level]} ${lineOf(change)}`)
}
