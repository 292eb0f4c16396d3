import { initContract } from '@ts-rest/core'
import { z } from 'zod/v4'
import { access, open } from '../core/access.js'
import { changing } from '../core/answers.js'
import { failures } from '../core/errors.js'
import { JsonValue, OrganizationPath, pathId, text } from '../core/fields.js'
import { record } from '../core/record.js'
import { roleSources } from './user-roles.js'

/** The most questions of one request. */
const maxEvaluations = 50

const evaluationReasons = [
  'granted',
  'not_granted',
  'permission_not_found',
  'user_inactive',
  'user_not_found',
  'resource_type_unknown',
] as const

export const AccessDecision = record(
  'AccessDecision',
  {
    decision: z.boolean(),
    context: z.object({
      reason: z
        .enum(evaluationReasons)
        .describe('user_not_found only to keys that may read users, not_granted to others'),
      granted_by: z
        .array(z.object({ role: z.string(), source: z.enum(roleSources) }))
        .describe('The roles of the user that allow it'),
    }),
  },
  {
    decision: true,
    context: { reason: 'granted', granted_by: [{ role: 'billing_admin', source: 'api' }] },
  },
)
export type AccessDecision = z.output<typeof AccessDecision>

export const AccessDecisions = record(
  'AccessDecisions',
  { evaluations: z.array(AccessDecision).describe('In the order of the questions') },
  {
    evaluations: [
      {
        decision: true,
        context: { reason: 'granted', granted_by: [{ role: 'billing_admin', source: 'api' }] },
      },
    ],
  },
)
export type AccessDecisions = z.output<typeof AccessDecisions>

/** Where the questions are asked (OpenID AuthZEN Authorization API 1.0 section 9.1). */
export const AccessConfiguration = record(
  'AccessConfiguration',
  {
    policy_decision_point: z.string(),
    access_evaluation_endpoint: z.string(),
    access_evaluations_endpoint: z.string(),
  },
  {
    policy_decision_point: 'https://auth.example/api/v2/org/awesome-company',
    access_evaluation_endpoint: 'https://auth.example/api/v2/org/awesome-company/access/evaluation',
    access_evaluations_endpoint: 'https://auth.example/api/v2/org/awesome-company/access/evaluations',
  },
)
export type AccessConfiguration = z.output<typeof AccessConfiguration>

const properties = z.record(z.string(), JsonValue).optional().describe('Accepted, and not looked at')

const question = {
  subject: z.strictObject({
    type: z.literal('user'),
    id: pathId().describe('Id of the user'),
    properties,
  }),
  action: z.strictObject({ name: text(200).describe('Name of a permission'), properties }),
  resource: z
    .strictObject({
      type: text(200).describe('organization'),
      id: text(200).describe('Domain of the organization'),
      properties,
    })
    .optional()
    .describe('The organization of the path when left out'),
  context: properties,
}

const subject = { type: 'user', id: '0190c8a4-11d2-7a6f-8e3b-7c9d0e1f2a46' }

export const AccessQuestion = z
  .strictObject(question)
  .meta({ examples: [{ subject, action: { name: 'invoices:read' } }] })
export type AccessQuestion = z.output<typeof AccessQuestion>

const Defaults = z.strictObject(question).partial()

export const AccessQuestions = Defaults.extend({
  evaluations: z
    .array(Defaults)
    .min(1)
    .max(maxEvaluations)
    .describe('Members that one lacks are those beside it'),
  options: z
    .strictObject({ evaluations_semantic: z.literal('execute_all').optional() })
    .optional()
    .describe('Every question is answered'),
}).meta({ examples: [{ subject, evaluations: [{ action: { name: 'invoices:read' } }] }] })
export type AccessQuestions = z.output<typeof AccessQuestions>

const tag = {
  name: 'Access evaluation',
  description:
    'Whether a user may do something now, in the form of OpenID AuthZEN: where a token is too old, or too small.',
  notPromoted: 'a question changes nothing',
}
const path = '/api/v2/org/:org_domain/access'
const read = { tag, scope: 'read:roles' } as const
const c = initContract()

export const accessEvaluation = c.router(
  {
    evaluate: {
      method: 'POST',
      path: `${path}/evaluation`,
      summary: 'Ask whether a user has a permission',
      pathParams: OrganizationPath,
      body: AccessQuestion,
      responses: changing({ 200: AccessDecision }, 'organization_not_found'),
      metadata: access({ ...read, role: 'access_evaluation' }),
    },
    evaluateAll: {
      method: 'POST',
      path: `${path}/evaluations`,
      summary: 'Ask several such questions at once',
      pathParams: OrganizationPath,
      body: AccessQuestions,
      responses: changing({ 200: AccessDecisions }, 'organization_not_found'),
      metadata: access(read),
    },
    configuration: {
      method: 'GET',
      path: '/.well-known/authzen-configuration/api/v2/org/:org_domain',
      summary: 'Where these questions are asked, for clients that discover it',
      pathParams: OrganizationPath,
      responses: { 200: AccessConfiguration, ...failures(['https_required', 'malformed_request']) },
      metadata: open({ tag }),
    },
  },
  { strictStatusCodes: true },
)
