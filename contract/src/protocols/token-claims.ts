import { z } from 'zod/v4'
import { environment, id, JsonValue, personal, slug } from '../core/fields.js'
import { record } from '../core/record.js'
import { Act } from './act.js'
import { UserInfo } from './oidc.js'

/** Seconds since 1970 (RFC 7519 section 2, NumericDate). */
function numericDate() {
  return z.int().nonnegative()
}

/** Claims of both tokens of a user. Every verifier must compare `aud` and `dbs` besides `iss`. */
const commonClaims = {
  iss: z
    .string()
    .describe(
      'Issuer, the same in sandbox and production: {base_url}/t/<organization>; of an ID token whose sign-in was begun there {base_url}/a/<account>',
    ),
  sub: id().describe('The user'),
  uid: id().describe('The user'),
  aud: z.string().describe('client_id of the application; a verifier compares it with its own'),
  cid: id().describe('client_id of the application'),
  exp: numericDate().describe('Expiry, in seconds since 1970'),
  nbf: numericDate().describe('Not valid before, in seconds since 1970'),
  iat: numericDate().describe('Issued at, in seconds since 1970'),
  jti: id().describe('Unique to the token'),
  ver: z.literal(3).describe('Version of the claims'),
  tnt: slug().describe('Domain of the organization'),
  org: slug().describe('Domain of the organization'),
  dbs: environment().describe('Environment; a production verifier must refuse sandbox'),
  env: environment().describe('Environment'),
  email: personal(z.string()),
  application_metadata: z
    .object({ name: z.string(), application_type: z.string() })
    .describe('Application that the user signed in to'),
  meta_data: personal(z.record(z.string(), JsonValue)).describe(
    'Metadata values of the user by key name, each as JSON of the key’s type. ' +
      'Required keys come first, the others in alphabetical order; a value that would make the token longer than ' +
      '8,192 characters is omitted',
  ),
  meta_data_truncated: z
    .literal(true)
    .optional()
    .describe('true: some metadata values were omitted; the user record has all of them'),
  groups: z
    .array(z.string())
    .optional()
    .describe(
      'Names of the groups in the organization’s directory that the user is a member of. Absent without groups, and if they are ' +
        'more than 100 or longer than 1,500 bytes of JSON: the user record has all of them',
    ),
  roles: z
    .array(z.string())
    .optional()
    .describe(
      'Names of the user’s roles, in alphabetical order, as far as permission_prefixes of the application have it. Absent without ' +
        'roles, and if they are more than 20 or longer than 700 bytes of JSON',
    ),
  roles_omitted: z
    .literal(true)
    .optional()
    .describe('true: the roles are too many for the token; the roles of the user, and UserInfo, have all'),
  amr: z
    .array(z.string())
    .describe(
      'Authentication methods (RFC 8176), for example email or pwd and otp; sso: identity provider of the organization; ' +
        'relay: sign-in at another organization, impersonation: a member of staff as the user, see act',
    ),
  acr: z
    .string()
    .describe(
      'urn:portico:acr:mfa after a second factor, else urn:portico:acr:1fa (RFC 9470 section 6); phr after a passkey where the request has asked for phr',
    ),
  auth_time: numericDate().describe('Time of the user’s authentication, in seconds since 1970'),
  sid: id().optional().describe('The session'),
  act: Act.optional().describe(
    'After a relay: the user in their original organization. In an impersonation: the member of staff who acts as the user, by the id that its creator gave, at the issuer of the account (RFC 8693 section 4.1)',
  ),
  authorization_id: id().optional().describe('Only in samples: the requested authorization_id'),
}

const common = {
  iss: 'https://auth.example/t/awesome-company',
  sub: '0190c8a4-11d2-7a6f-8e3b-7c9d0e1f2a46',
  uid: '0190c8a4-11d2-7a6f-8e3b-7c9d0e1f2a46',
  aud: '0190c8b0-3f4e-7d5c-b6a7-98f0e1d2c3b4',
  cid: '0190c8b0-3f4e-7d5c-b6a7-98f0e1d2c3b4',
  exp: 1_773_484_013,
  nbf: 1_773_480_413,
  iat: 1_773_480_413,
  jti: '6f1d2c3b-4a59-4687-90ab-cdef01234567',
  ver: 3 as const,
  tnt: 'awesome-company',
  org: 'awesome-company',
  dbs: 'sandbox' as const,
  env: 'sandbox' as const,
  email: 'ada@awesome.example',
  application_metadata: { name: 'Storefront', application_type: 'react' },
  meta_data: { employee_number: 1815 },
  groups: ['Engineering'],
  roles: ['billing_admin'],
  amr: ['email'],
  acr: 'urn:portico:acr:1fa',
  auth_time: 1_773_480_399,
  sid: '0190c8c2-8b9c-7dae-9f10-2b3c4d5e6f70',
}

/** Claims of a user's access token (RFC 9068, and the service's own). */
export const AccessTokenClaims = record(
  'AccessTokenClaims',
  {
    ...commonClaims,
    jtt: z.literal('access_token'),
    client_id: id().describe('client_id of the application (RFC 9068 section 2.2)'),
    scp: z.array(z.string()).describe('Granted scopes, for example magic_link'),
    scope: z.string().describe('The same, separated by spaces (RFC 9068 section 2.2.3)'),
    fid: id()
      .optional()
      .describe(
        'The family: all tokens that descend from one authorization code end together; absent in tokens from before the claim',
      ),
    permissions: z
      .array(z.string())
      .optional()
      .describe(
        'What the user’s roles allow, in alphabetical order, as far as permission_prefixes of the application have it. Absent ' +
          'without permissions, and if they are more than 100 or longer than 1,500 bytes of JSON',
      ),
    permissions_omitted: z
      .literal(true)
      .optional()
      .describe('true: the permissions are too many for the token; the evaluation endpoint knows all'),
    userinfo_claims: z
      .array(z.string())
      .optional()
      .describe(
        'Claims that /userinfo tells besides those of the scopes: the parameter claims asked for them',
      ),
  },
  {
    ...common,
    jtt: 'access_token',
    client_id: '0190c8b0-3f4e-7d5c-b6a7-98f0e1d2c3b4',
    scp: ['magic_link'],
    scope: 'magic_link',
    permissions: ['invoices:read', 'invoices:write'],
    fid: '0190c8c1-7a8b-7c9d-8e0f-1a2b3c4d5e6f',
  },
)
export type AccessTokenClaims = z.output<typeof AccessTokenClaims>

/** The values that an identity provider asserts under one name. */
const attribute = z
  .union([z.string(), z.array(z.string())])
  .nullable()
  .optional()
  .describe('Absent or null unless the user signed in with SSO and the identity provider asserted it')

/** The user's attributes asserted by the identity provider, none without SSO. A sample has each, as null. */
export const resourceOwnerAttributes = {
  authnmethodsreferences: attribute,
  displayname: attribute,
  email: attribute,
  emailaddress: attribute,
  first_name: attribute,
  givenname: attribute,
  identityprovider: attribute,
  last_name: attribute,
  name: attribute,
  objectGuid: attribute,
  objectidentifier: attribute,
  phone: attribute,
  saml_nameid: attribute,
  saml_subject: attribute,
  surname: attribute,
  tenantid: attribute,
  uid: attribute,
  unit_path: attribute,
}

const ResourceOwnerMetadata = z.object(resourceOwnerAttributes)
export type ResourceOwnerMetadata = z.output<typeof ResourceOwnerMetadata>

const {
  sub: _sub,
  email: _email,
  email_verified: _verified,
  roles: _roles,
  ...userInfoClaims
} = UserInfo.shape

/** Claims of UserInfo that the ID token has only if the parameter claims asks for them. */
const requestableClaims = Object.fromEntries(
  Object.entries(userInfoClaims).map(([name, claim]) => [
    name,
    claim.describe('Only if the parameter claims asks for it and the user has a value'),
  ]),
  // The same members, described otherwise.
) as typeof userInfoClaims

/** Claims of the ID token (OpenID Connect Core section 2, and the service's own). */
export const IdTokenClaims = record(
  'IdTokenClaims',
  {
    ...commonClaims,
    jtt: z.literal('id_token'),
    email_verified: z.boolean(),
    nonce: z.string().optional().describe('nonce of the authorization request, if any'),
    at_hash: z
      .string()
      .optional()
      .describe(
        'Left half of the SHA-256 of the access token, base64url (OpenID Connect Core section 3.1.3.6)',
      ),
    c_hash: z.string().optional().describe('Left half of the SHA-256 of the authorization code, base64url'),
    s_hash: z
      .string()
      .optional()
      .describe('Left half of the SHA-256 of the state of the authorization request, if any'),
    resource_owner_metadata: personal(ResourceOwnerMetadata),
    ...requestableClaims,
  },
  {
    ...common,
    jtt: 'id_token',
    email_verified: true,
    nonce: 'n-0S6_WzA2Mj',
    at_hash: '77QmUPtjPfzWtF2AnpK9RQ',
    c_hash: 'LDktKdoQak3Pk0cnXxCltA',
    s_hash: 'bOhtX8F73IMjSPeVAqxyTQ',
    resource_owner_metadata: {},
  },
)
export type IdTokenClaims = z.output<typeof IdTokenClaims>
