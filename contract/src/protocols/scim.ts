/**
 * The attributes of users and groups (RFC 7643) that the service reads, stores and answers. The server parses values, paths
 * and filters by this table, and publishes it at /Schemas.
 */
export interface ScimAttribute {
  readonly name: string
  readonly type: 'string' | 'boolean' | 'dateTime' | 'reference' | 'complex'
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
  text('display', 'Its name for people'),
  text('type', 'What it is for, such as work or home'),
  yesOrNo('primary', 'True for one of the list at most'),
]

const meta = complex(
  'meta',
  'Written by the service',
  [
    text('resourceType', 'User or Group', { mutability: 'readOnly', caseExact: true }),
    attribute('dateTime', 'created', 'When it was made', { mutability: 'readOnly' }),
    attribute('dateTime', 'lastModified', 'When it was changed last', { mutability: 'readOnly' }),
    attribute('reference', 'location', 'Its address', { mutability: 'readOnly', referenceTypes: ['uri'] }),
    text('version', 'Its ETag', { mutability: 'readOnly', caseExact: true }),
  ],
  { mutability: 'readOnly' },
)

const ofEveryResource = [
  text('id', 'Drawn by the service', {
    mutability: 'readOnly',
    returned: 'always',
    caseExact: true,
    uniqueness: 'server',
  }),
  text('externalId', 'As the provider calls it; never a way to a user of another id', { caseExact: true }),
]

export const userSchema: ScimSchema = {
  id: 'urn:ietf:params:scim:schemas:core:2.0:User',
  name: 'User',
  description: 'User account',
  attributes: [
    ...ofEveryResource,
    text('userName', 'Unique in the organization, in any case', { required: true, uniqueness: 'server' }),
    complex('name', 'The parts of the name', [
      text('formatted', 'All of it'),
      text('familyName', 'Family name'),
      text('givenName', 'Given name'),
      text('middleName', 'Middle names'),
      text('honorificPrefix', 'Title'),
      text('honorificSuffix', 'Suffix'),
    ]),
    text('displayName', 'The name for people'),
    text('nickName', 'What the user is called'),
    attribute('reference', 'profileUrl', 'A page about the user', { referenceTypes: ['external'] }),
    text('title', 'Such as Vice President'),
    text('userType', 'Such as Employee'),
    text('preferredLanguage', 'Languages as in Accept-Language'),
    text('locale', 'BCP 47'),
    text('timezone', 'IANA'),
    yesOrNo('active', 'An inactive user opens no session, and those that are open end'),
    text('password', 'Read by nothing: users sign in elsewhere', {
      mutability: 'writeOnly',
      returned: 'never',
    }),
    complex('emails', 'The primary one, or the first, is the address of the user', valueMembers, {
      multiValued: true,
    }),
    complex('phoneNumbers', 'Those that are of the form E.164 are in the profile', valueMembers, {
      multiValued: true,
    }),
    complex(
      'addresses',
      'The primary one, or the first, is in the profile',
      [
        text('formatted', 'All of it'),
        text('streetAddress', 'Street and number'),
        text('locality', 'City'),
        text('region', 'State'),
        text('postalCode', 'Postal code'),
        text('country', 'ISO 3166-1 alpha-2'),
        text('type', 'What it is for, such as work or home'),
        yesOrNo('primary', 'True for one of the list at most'),
      ],
      { multiValued: true },
    ),
    complex('photos', 'Pictures', valueMembers, { multiValued: true }),
    complex('roles', 'Roles at the provider', valueMembers, { multiValued: true }),
    complex(
      'groups',
      'Changed by the groups alone',
      [
        text('value', 'Id of the group', { mutability: 'readOnly', caseExact: true }),
        attribute('reference', '$ref', 'Its address', { mutability: 'readOnly', referenceTypes: ['Group'] }),
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
    text('employeeNumber', 'Given by the company'),
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
    text('displayName', 'The name for people, and in tokens', { required: true }),
    complex(
      'members',
      'Users that the directory has made or taken over',
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
