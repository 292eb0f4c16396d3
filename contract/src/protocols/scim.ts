import type { ExtensionSchema } from '../resources/attribute-mapping.js'

/**
 * The attributes of users and groups (RFC 7643) that the service reads, stores and answers. The server parses values, paths
 * and filters by this table, and publishes it at /Schemas.
 */
export interface ScimAttribute {
  readonly name: string
  readonly type: 'string' | 'boolean' | 'integer' | 'decimal' | 'dateTime' | 'reference' | 'complex'
  readonly multiValued: boolean
  readonly description: string
  readonly required: boolean
  readonly caseExact: boolean
  readonly mutability: 'readOnly' | 'readWrite' | 'immutable' | 'writeOnly'
  readonly returned: 'always' | 'default' | 'never'
  readonly uniqueness: 'none' | 'server'
  readonly subAttributes?: readonly ScimAttribute[]
  readonly referenceTypes?: readonly string[]
}

export interface ScimSchema {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly attributes: readonly ScimAttribute[]
}

/** The schema of an extension that a directory declares, which no provider is required to send. */
export function toScimSchema({ id, attributes }: ExtensionSchema): ScimSchema {
  return {
    id,
    name: id.split(':').findLast((part) => /[A-Za-z]/.test(part)) ?? id,
    description: 'Schema of the provider',
    attributes: attributes.map(({ name, type, multiValued }) =>
      attribute(type, name, 'Attribute of the provider', {
        // Elements of a list are kept as objects, as those of other lists; their value is all that they have.
        ...(multiValued && { multiValued, subAttributes: [attribute(type, 'value', 'The value itself')] }),
      }),
    ),
  }
}

type Rule = Partial<Omit<ScimAttribute, 'name' | 'type' | 'description'>>

function attribute(
  type: ScimAttribute['type'],
  name: string,
  description: string,
  rule: Rule = {},
): ScimAttribute {
  return {
    name,
    type,
    multiValued: false,
    description,
    required: false,
    caseExact: false,
    mutability: 'readWrite',
    returned: 'default',
    uniqueness: 'none',
    ...rule,
  }
}

const text = (name: string, description: string, rule?: Rule) => attribute('string', name, description, rule)
const yesOrNo = (name: string, description: string) => attribute('boolean', name, description)
const complex = (
  name: string,
  description: string,
  subAttributes: readonly ScimAttribute[],
  rule: Rule = {},
) => attribute('complex', name, description, { subAttributes, ...rule })

/** The sub-attributes of multi-valued attributes (RFC 7643 section 2.4). */
const valueMembers = [
  text('value', 'The value itself'),
  text('display', 'Display name'),
  text('type', 'Purpose, such as work or home'),
  yesOrNo('primary', 'True for at most one value of the list'),
]

const meta = complex(
  'meta',
  'Set by the service',
  [
    text('resourceType', 'User or Group', { mutability: 'readOnly', caseExact: true }),
    attribute('dateTime', 'created', 'Time of creation', { mutability: 'readOnly' }),
    attribute('dateTime', 'lastModified', 'Time of the last change', { mutability: 'readOnly' }),
    attribute('reference', 'location', 'URL of the resource', {
      mutability: 'readOnly',
      referenceTypes: ['uri'],
    }),
    text('version', 'Its ETag', { mutability: 'readOnly', caseExact: true }),
  ],
  { mutability: 'readOnly' },
)

const ofEveryResource = [
  text('id', 'Assigned by the service', {
    mutability: 'readOnly',
    returned: 'always',
    caseExact: true,
    uniqueness: 'server',
  }),
  text('externalId', 'Identifier at the provider; never used to find a user of another id', {
    caseExact: true,
  }),
]

export const userSchema: ScimSchema = {
  id: 'urn:ietf:params:scim:schemas:core:2.0:User',
  name: 'User',
  description: 'User account',
  attributes: [
    ...ofEveryResource,
    text('userName', 'Unique in the organization, case-insensitive', {
      required: true,
      uniqueness: 'server',
    }),
    complex('name', 'The parts of the name', [
      text('formatted', 'Full value in one text'),
      text('familyName', 'Family name'),
      text('givenName', 'Given name'),
      text('middleName', 'Middle names'),
      text('honorificPrefix', 'Title'),
      text('honorificSuffix', 'Suffix'),
    ]),
    text('displayName', 'Display name of the user'),
    text('nickName', 'Nickname'),
    attribute('reference', 'profileUrl', 'A page about the user', { referenceTypes: ['external'] }),
    text('title', 'Such as Vice President'),
    text('userType', 'Such as Employee'),
    text('preferredLanguage', 'Languages as in Accept-Language'),
    text('locale', 'BCP 47'),
    text('timezone', 'IANA'),
    yesOrNo('active', 'An inactive user cannot sign in, and their open sessions end'),
    text('password', 'Accepted and ignored: passwords are not managed by SCIM', {
      mutability: 'writeOnly',
      returned: 'never',
    }),
    complex('emails', 'The primary or else the first value is the e-mail address of the user', valueMembers, {
      multiValued: true,
    }),
    complex('phoneNumbers', 'Values in E.164 form are stored as phone numbers of the user', valueMembers, {
      multiValued: true,
    }),
    complex(
      'addresses',
      'The primary or else the first value is the address of the user',
      [
        text('formatted', 'Full value in one text'),
        text('streetAddress', 'Street and number'),
        text('locality', 'City'),
        text('region', 'State'),
        text('postalCode', 'Postal code'),
        text('country', 'ISO 3166-1 alpha-2'),
        text('type', 'Purpose, such as work or home'),
        yesOrNo('primary', 'True for at most one value of the list'),
      ],
      { multiValued: true },
    ),
    complex('photos', 'Pictures', valueMembers, { multiValued: true }),
    complex('ims', 'Addresses of instant messengers', valueMembers, { multiValued: true }),
    complex('roles', 'Roles at the provider', valueMembers, { multiValued: true }),
    complex('entitlements', 'Entitlements at the provider', valueMembers, { multiValued: true }),
    complex(
      'groups',
      'Changed only through groups',
      [
        text('value', 'Id of the group', { mutability: 'readOnly', caseExact: true }),
        attribute('reference', '$ref', 'URL of the resource', {
          mutability: 'readOnly',
          referenceTypes: ['Group'],
        }),
        text('display', 'Its name', { mutability: 'readOnly' }),
      ],
      { multiValued: true, mutability: 'readOnly' },
    ),
    meta,
  ],
}

export const enterpriseUserSchema: ScimSchema = {
  id: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User',
  name: 'EnterpriseUser',
  description: 'Enterprise user',
  attributes: [
    text('employeeNumber', 'Number assigned by the company'),
    text('costCenter', 'Cost center'),
    text('organization', 'Organization'),
    text('division', 'Division'),
    text('department', 'Department'),
    complex('manager', 'The manager of the user', [
      text('value', 'Id of the manager', { caseExact: true }),
      attribute('reference', '$ref', 'Address of the manager', { referenceTypes: ['User'] }),
      text('displayName', 'Name of the manager'),
    ]),
  ],
}

export const groupSchema: ScimSchema = {
  id: 'urn:ietf:params:scim:schemas:core:2.0:Group',
  name: 'Group',
  description: 'Group',
  attributes: [
    ...ofEveryResource,
    text('displayName', 'Display name, which also appears in tokens', { required: true }),
    complex(
      'members',
      'Users that the directory created or took over',
      [
        text('value', 'Id of the user', { mutability: 'immutable', caseExact: true }),
        attribute('reference', '$ref', 'Address of the user', {
          mutability: 'immutable',
          referenceTypes: ['User'],
        }),
        text('display', 'Name of the user', { mutability: 'readOnly' }),
        text('type', 'User', { mutability: 'immutable' }),
      ],
      { multiValued: true },
    ),
    meta,
  ],
}

export const scimMessages = {
  list: 'urn:ietf:params:scim:api:messages:2.0:ListResponse',
  patch: 'urn:ietf:params:scim:api:messages:2.0:PatchOp',
  search: 'urn:ietf:params:scim:api:messages:2.0:SearchRequest',
  error: 'urn:ietf:params:scim:api:messages:2.0:Error',
} as const

/** RFC 7644 section 3.12. */
const scimErrorTypes = [
  'invalidFilter',
  'tooMany',
  'uniqueness',
  'mutability',
  'invalidSyntax',
  'invalidPath',
  'noTarget',
  'invalidValue',
  'invalidVers',
  'sensitive',
] as const
export type ScimErrorType = (typeof scimErrorTypes)[number]

/** Limits of requests and directories. */
export const scimLimits = {
  operations: 100,
  valueBytes: 4096,
  filterLength: 1000,
  filterDepth: 30,
  listValues: 100,
  /** Members of a resource or of the values of all operations, known or not; also distinct names in a whole body. */
  names: 1000,
  /** In `attributes` or `excludedAttributes` of one request. */
  attributeNames: 200,
  /** In one request. */
  members: 20_000,
  groupMembers: 100_000,
  /** In one directory. */
  groups: 10_000,
  /** Of one user, whose record lists them. */
  groupsOfUser: 1_000,
  perPage: 200,
  /** The highest total that a list of the request log reports. */
  requestsCounted: 10_000,
  bodyBytes: 2_000_000,
  /** Members and elements at all levels of a body; a member of a group is an object with up to four. */
  bodyValues: 120_000,
} as const
