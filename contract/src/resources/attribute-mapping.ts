import { z } from 'zod/v4'
import { flag, list, text } from '../core/fields.js'
import { record } from '../core/record.js'

/** The most rules of a directory or connection. */
const maxRules = 30

/** A rule that copies what a directory or an identity provider says of a user into metadata or the profile. */
export const AttributeMapping = record(
  'AttributeMapping',
  {
    from: z.string().describe('SCIM path; of an SSO connection the name of a SAML attribute or claim'),
    to: z
      .string()
      .describe('metadata.<key> with a declared key, or profile.<claim>; each is in one rule at most'),
  },
  { from: 'title', to: 'metadata.job_title' },
)
export type AttributeMapping = z.output<typeof AttributeMapping>

/** The input of `attribute_mapping`. */
export function attributeMapping() {
  const rule = z.strictObject({
    from: text(400, 1).describe(
      'SCIM path; of an SSO connection the name of a SAML attribute or claim, in any case',
    ),
    to: text(120)
      .regex(/^(?:metadata|profile)\../s, 'must be metadata.<key> or profile.<claim>')
      .describe('metadata.<key> with a declared key, or profile.<claim>'),
  })
  return list(rule, maxRules).optional()
}

export const extensionTypes = ['string', 'boolean', 'integer', 'decimal', 'dateTime'] as const

/** A schema of a provider's own, beside the core and enterprise ones of SCIM. */
export const ExtensionSchema = record(
  'ExtensionSchema',
  {
    id: z.string().describe('URN of the schema'),
    attributes: z.array(
      z.object({ name: z.string(), type: z.enum(extensionTypes), multiValued: z.boolean() }),
    ),
  },
  {
    id: 'urn:ietf:params:scim:schemas:extension:awesome:2.0:User',
    attributes: [{ name: 'badge', type: 'string', multiValued: false }],
  },
)
export type ExtensionSchema = z.output<typeof ExtensionSchema>

/** The input of `extension_schemas`. */
export function extensionSchemas() {
  const attribute = z.strictObject({
    name: text(60)
      .regex(/^[A-Za-z][\w-]*$/, 'must be letters, digits, - and _, beginning with a letter')
      .refine(
        (name) => !['constructor', 'prototype'].includes(name.toLowerCase()),
        'must not be a name of JavaScript',
      ),
    type: z.enum(extensionTypes),
    multiValued: flag().optional(),
  })
  const schema = z.strictObject({
    id: text(200).regex(/^urn:[\w.:-]*\w$/i, 'must be a URN'),
    attributes: list(attribute, 30, 1),
  })
  return list(schema, 3).optional()
}
