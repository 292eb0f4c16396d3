// Written by sdk/generate.ts from the contract; do not edit.

import type { Listen } from './listen.js'
import type { ListMethod } from './pages.js'
import type { RequestOptions } from './request-options.js'
import { readRoutes } from './route-lines.js'

/** Part of the error of a 422. */
export interface FieldError {
  /** Path of the member, with dots between levels, for example profile.address.locality. */
  path: string
  /** Kind of the fault, for example too_long. */
  code: string
  /** The fault, and what would be valid. */
  message: string
}

/** Answered by `organizations.list`. */
export interface OrganizationList {
  __type__: 'List'
  data: Organization[]
  pagination: Pagination
  total: number
  /** Value of after for the next page; null at the end. */
  next_cursor: string | null
}

/** Answered by `organizations.list`, `organizations.create`, `organizations.get`, `organizations.update`. */
export interface Organization {
  __type__: 'Organization'
  /** Domain of the account that manages the organization. */
  __domain__: string
  /** Derived from the name at creation; immutable. */
  domain: string
  /** UUID in lower case. */
  id: string
  name: string
  /** E-mail domains whose users may sign in; null or empty: any. */
  allowed_email_domains: string[] | null
  /** Hexadecimal color of the logo. */
  color: string
  environments: OrganizationEnvironment[]
  status: OrganizationStatus
  icon_logo_url: string | null
  inline_logo_url: string | null
  locale: string | null
  timezone: string | null
  locality: string | null
  state: string | null
  /** ISO 3166-1 alpha-2. */
  country_name: string | null
  privacy_policy_url: string | null
  terms_of_service_url: string | null
  /** refused: nobody signs in as its users, and impersonations that run end. */
  impersonation: 'allowed' | 'refused'
  /** RFC 3339 in UTC with milliseconds. */
  inserted_at: string
  /** RFC 3339 in UTC with milliseconds. */
  updated_at: string
}

/** Part of `Organization`. */
export interface OrganizationEnvironment {
  name: 'production' | 'sandbox'
  status: 'up' | 'down'
}

/** Part of `Organization`. */
export interface OrganizationStatus {
  errors: string[]
  estimated_time_to_complete_in_seconds: number | null
  progress_in_percentage: number | null
  /** terminated: the setup is complete. */
  state: 'pending' | 'terminated'
}

/** Part of `OrganizationList`, `InvitationList`, `JoinRequestList`, `DomainList`, `UserList`, `PermissionList`, `RoleList`, `ApplicationList` and 14 more. */
export interface Pagination {
  current_page: number
  /** Up to five page numbers around the current one. */
  current_pages: number[]
  next_page: number | null
  per_page: number
  prev_page: number | null
  total_pages: number
}

/** Answered by `organizations.get`. */
export interface DeletedOrganization {
  __type__: 'Organization'
  /** UUID in lower case. */
  id: string
  deleted: true
  domain: string
}

/** Answered by `organizations.delete`. */
export interface OrganizationDeletion {
  deleted: true
  resource: Organization
  type: '__Deleted__'
}

/** Answered by `organizationPolicy.get`, `organizationPolicy.update`. */
export interface OrganizationPolicy {
  __type__: 'OrganizationPolicy'
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** Users that the organization may have, however they come in; 0: any number. Users who are there stay. */
  seats_limit: number
  /** Whether people who prove an address of a verified domain become users: not by that, by a request that is approved, or at once. */
  join_by_domain: 'off' | 'request' | 'automatic'
  /** Names of the roles of users who join so, in alphabetical order; deleted ones are gone. */
  join_roles: string[]
  /** Whether users who sign in by password or link have to enrol a second factor; who comes by SSO is not asked. */
  second_factor: 'optional' | 'required'
  /** For how many days users may put it off, from the switch or from their creation if that is later. */
  second_factor_grace_days: number
  /** How long a session lasts from the last sign-in. A shorter one holds at once for those that are open. */
  session_lifetime_in_seconds: number
  /** How long a session of a browser lasts without a sign-in or a code; at most the lifetime. */
  session_idle_in_seconds: number
  /** Whether users change their own profile, and download their data, on the account page. Where a directory or an identity provider writes it, they do not. */
  self_service: boolean
  /** Whether users may delete their own account, on the account page: not at all, by a request that the administrators are mailed, or at once. Who is kept by a directory may not, and may ask. */
  self_deletion: 'none' | 'request' | 'allowed'
  /** RFC 3339 in UTC with milliseconds. */
  inserted_at: string
  /** RFC 3339 in UTC with milliseconds. */
  updated_at: string
}

/** Answered by `invitations.create`, `invitations.list`, `invitations.get`, `invitations.update`, `invitations.resend`, `invitations.revoke`. */
export interface Invitation {
  __type__: 'Invitation'
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** UUID in lower case. */
  id: string
  /** Personal data. */
  email: string
  state: 'pending' | 'accepted' | 'revoked' | 'expired'
  /** Names of the roles that the user is given, in alphabetical order; deleted ones are gone. */
  roles: string[]
  /** null: the oldest application that the organization can use. */
  application_id: string | null
  redirect_uri: string | null
  /** Language of the mail; null: that of the organization. */
  locale: string | null
  /**
   * Names of the new user.
   * Personal data.
   */
  profile: InvitationProfile
  /**
   * Metadata of the new user.
   * Personal data.
   */
  metadata: InvitationMetadata[]
  /** Personal data. */
  message: string | null
  invited_by: Inviter
  /** The end of a pending invitation. */
  expires_at: string
  /** null where no mail was asked for. */
  last_sent_at: string | null
  /** How often a mail was asked for. */
  sends: number
  /** RFC 3339 in UTC with milliseconds. */
  accepted_at: string | null
  /** The user who has accepted it. */
  user_id: string | null
  /**
   * URL of the invitation if it was created with send_email false, in that answer alone; otherwise null.
   * Secret: do not log it.
   */
  invitation_url: string | null
  /** RFC 3339 in UTC with milliseconds. */
  inserted_at: string
  /** RFC 3339 in UTC with milliseconds. */
  updated_at: string
}

/** Part of `Invitation`, `InvitationData`. */
export interface InvitationProfile {
  given_name: string | null
  family_name: string | null
}

/** Part of `Invitation`, `InvitationData`. */
export interface InvitationMetadata {
  key: string
  value: string
}

/** Part of `Invitation`, `InvitationData`. */
export interface Inviter {
  /** Of an actor, such as api_key. */
  type: string
  id: string
}

/** Answered by `invitations.list`. */
export interface InvitationList {
  __type__: 'List'
  data: Invitation[]
  pagination: Pagination
  total: number
  /** Value of after for the next page; null at the end. */
  next_cursor: string | null
}

/** Answered by `joinRequests.list`. */
export interface JoinRequestList {
  __type__: 'List'
  data: JoinRequest[]
  pagination: Pagination
  total: number
  /** Value of after for the next page; null at the end. */
  next_cursor: string | null
}

/** Answered by `joinRequests.list`, `joinRequests.get`, `joinRequests.approve`, `joinRequests.deny`. */
export interface JoinRequest {
  __type__: 'JoinRequest'
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** UUID in lower case. */
  id: string
  /**
   * Its owner has proved it.
   * Personal data.
   */
  email: string
  state: 'pending' | 'approved' | 'denied' | 'expired'
  /** null until it is approved or denied. */
  decided_by: JoinDecider | null
  /** RFC 3339 in UTC with milliseconds. */
  decided_at: string | null
  /** The user whom the approval has made. */
  user_id: string | null
  /** The end of a pending request. */
  expires_at: string
  /** RFC 3339 in UTC with milliseconds. */
  inserted_at: string
  /** RFC 3339 in UTC with milliseconds. */
  updated_at: string
}

/** Part of `JoinRequest`. */
export interface JoinDecider {
  /** Of an actor, such as api_key. */
  type: string
  id: string
}

/** Answered by `domains.create`, `domains.list`, `domains.get`, `domains.update`, `domains.check`. */
export interface Domain {
  __type__: 'Domain'
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** UUID in lower case. */
  id: string
  /** In lower case; international ones as xn--…. */
  domain: string
  /** verified, lapsing and declared count: connections, directories and relays are authoritative for addresses of the domain. */
  state: 'pending' | 'verified' | 'lapsing' | 'lapsed' | 'expired' | 'declared'
  /** The account answers for the domain, without a proof. */
  declared: boolean
  /** Addresses of all subdomains belong to the domain. */
  include_subdomains: boolean
  /** Users with addresses of the domain sign in only with the SSO connection that is authoritative for them. */
  sso_required: boolean
  /**
   * Addresses that are exempt from sso_required, for the day the identity provider fails.
   * Personal data.
   */
  sso_exempt_emails: string[]
  /** DNS record that proves the domain. */
  record: DomainRecord
  /** Time of the latest proof after which it has counted. */
  verified_at: string | null
  /** RFC 3339 in UTC with milliseconds. */
  checked_at: string | null
  /** Result of the latest look-up; no_answer proves nothing and lapses nothing. */
  last_result: 'matched' | 'not_matched' | 'no_record' | 'no_answer' | null
  /** pending: end of the token; lapsing: time from which the domain does not count. */
  expires_at: string | null
  /** RFC 3339 in UTC with milliseconds. */
  inserted_at: string
  /** RFC 3339 in UTC with milliseconds. */
  updated_at: string
}

/** Part of `Domain`, `DomainData`. */
export interface DomainRecord {
  type: 'TXT'
  name: string
  /** Token of this organization and domain, which is no secret. */
  value: string
}

/** Answered by `domains.list`. */
export interface DomainList {
  __type__: 'List'
  data: Domain[]
  pagination: Pagination
  total: number
  /** Value of after for the next page; null at the end. */
  next_cursor: string | null
}

/** Answered by `domains.delete`. */
export interface DomainDeletion {
  deleted: true
  resource: Domain
  type: '__Deleted__'
}

/** Answered by `users.create`, `users.list`, `users.get`, `users.getByEmail`, `users.update`, `users.addMetadata`, `users.removeMetadata`, `tokenCustomization.setUserMetadata`. */
export interface User {
  __type__: 'User'
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** UUID in lower case. */
  id: string
  /** An inactive user opens no session. */
  active: boolean
  /** Personal data. */
  email: string
  email_verified: boolean
  /**
   * E.164: the primary one of phone_numbers.
   * Personal data.
   */
  phone_number: string | null
  phone_number_verified: boolean
  /** Personal data. */
  phone_numbers: PhoneNumber[]
  /** Personal data. */
  address: Address
  identities: Identity[]
  /** Groups of the organization’s directory that the user is a member of, by name, at most about 1,000. They change without a change of the user’s version and updated_at, and are reported by dir_sync.group events. */
  groups: Array<{
    /** UUID in lower case. */
    id: string
    display_name: string
  }>
  /** Personal data. */
  metadata: MetaData[]
  /** Personal data. */
  profile: Profile
  /**
   * Only where preload_associations contains it; null for a user whom no directory keeps.
   * Personal data.
   */
  directory_attributes?: DirectoryAttributes | null
  /** Only where preload_associations contains it: names of the roles, the default one included. */
  roles?: string[]
  /** # and six hexadecimal digits, drawn at creation. */
  avatar_hexa_color: string
  /** RFC 3339 in UTC with milliseconds. */
  inserted_at: string
  /** RFC 3339 in UTC with milliseconds. */
  updated_at: string
}

/** Part of `User`. */
export interface PhoneNumber {
  default: boolean
  phone_country_code: number
  phone_national_number: string
  /** true for exactly one number, the value of phone_number. */
  primary: boolean
  type: string
  /** E.164. */
  value: string
}

/** Part of `User`, `Profile`, `Impersonation`. */
export interface Address {
  /** May contain newlines. */
  formatted: string | null
  /** May contain newlines. */
  street_address: string | null
  locality: string | null
  region: string | null
  postal_code: string | null
  country: string | null
}

/** Part of `User`. */
export interface Identity {
  __type__: 'Identity'
  /** What it is unlinked by; null of the identity by which a directory keeps the user. */
  id: string | null
  /** idp_id of the connection that asserted the user. */
  idp_id: string | null
  /** For example saml.okta, oidc.entra_id, social.google, scim.entra_id or relay. */
  provider: string
  /** RFC 3339 in UTC with milliseconds. */
  authenticated_at: string | null
  /** Personal data. */
  data: { [name: string]: JsonValue }
}

/** Part of `Identity`, `DirectoryAttributes`, `UserIdentity`, `OrganizationOrganizationCreateSuccessEvent`, `OrganizationOrganizationUpdateSuccessEvent`, `OrganizationOrganizationDeleteSuccessEvent`, `OrganizationPolicyUpdateSuccessEvent`, `DomainDomainCreateSuccessEvent` and 120 more. */
export type JsonValue = string | number | boolean | null | JsonValue[] | { [name: string]: JsonValue }

/** Part of `User`. */
export interface MetaData {
  __type__: 'MetaData'
  /** UUID in lower case. */
  id: string
  key: MetaKey
  value: string
}

/** Answered by `tokenCustomization.createMetaKey`, `tokenCustomization.listMetaKeys`. */
export interface MetaKey {
  __type__: 'MetaKey'
  __domain__: string
  /** UUID in lower case. */
  id: string
  name: string
  type: 'string' | 'integer' | 'float' | 'boolean' | 'date' | 'datetime' | 'url' | 'email' | 'json'
  /** Users are created only with a value for this key. */
  required: boolean
}

/** Part of `User`. */
export interface Profile {
  given_name: string | null
  family_name: string | null
  /** Given name and family name; read-only. */
  name: string | null
  nickname: string | null
  preferred_username: string | null
  /** YYYY-MM-DD. */
  birthdate: string | null
  gender: 'female' | 'male' | 'other' | null
  /** BCP 47. */
  locale: string | null
  /** IANA time zone. */
  zoneinfo: string | null
  picture: string | null
  /** Address of the profile page. */
  profile: string | null
  website: string | null
  /** Copy of the same member of the user; read-only. */
  email: string
  /** Copy of the same member of the user; read-only. */
  phone_number: string | null
  /** Copy of the same member of the user; read-only. */
  address: Address
}

/** Part of `User`. */
export interface DirectoryAttributes {
  display_name: string | null
  /** Job title. */
  title: string | null
  /** For example Employee or Contractor. */
  user_type: string | null
  employee_number: string | null
  cost_center: string | null
  /** Text of the directory; not the organization of the user. */
  organization: string | null
  division: string | null
  department: string | null
  manager: {
    /** As the directory sends it. */
    id: string | null
    display_name: string | null
    /** Id of the manager, where the directory keeps that user; null in events. */
    user_id: string | null
  } | null
  /** At most 100. They grant nothing here. */
  roles: Array<{
    value: string | null
    display: string | null
    type: string | null
    primary: boolean
  }>
  /** At most 100. They grant nothing here. */
  entitlements: Array<{
    value: string | null
    display: string | null
    type: string | null
    primary: boolean
  }>
  /** As in Accept-Language. */
  preferred_language: string | null
  honorific_prefix: string | null
  honorific_suffix: string | null
  /** Values by the URN and the names of extension_schemas of the directory. */
  custom: { [name: string]: { [name: string]: JsonValue } }
}

/** Answered by `users.list`. */
export interface UserList {
  __type__: 'List'
  data: User[]
  pagination: Pagination
  total: number
  /** Value of after for the next page; null at the end. */
  next_cursor: string | null
}

/** Answered by `users.get`. */
export interface DeletedUser {
  __type__: 'User'
  /** UUID in lower case. */
  id: string
  deleted: true
  email: string
}

/** Answered by `users.delete`. */
export interface UserDeletion {
  deleted: true
  resource: User
  type: '__Deleted__'
}

/** Answered by `permissions.create`, `permissions.list`, `permissions.get`, `permissions.update`. */
export interface Permission {
  __type__: 'Permission'
  /** Domain of the account. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** UUID in lower case. */
  id: string
  /** What tokens and programs know it by; never changes. */
  name: string
  description: string | null
  /** Roles that have it. */
  roles_count: number
  /** RFC 3339 in UTC with milliseconds. */
  inserted_at: string
  /** RFC 3339 in UTC with milliseconds. */
  updated_at: string
}

/** Answered by `permissions.list`. */
export interface PermissionList {
  __type__: 'List'
  data: Permission[]
  pagination: Pagination
  total: number
  /** Value of after for the next page; null at the end. */
  next_cursor: string | null
}

/** Answered by `permissions.delete`. */
export interface PermissionDeletion {
  deleted: true
  resource: Permission
  type: '__Deleted__'
}

/** Answered by `roles.create`, `roles.list`, `roles.get`, `roles.update`. */
export interface Role {
  __type__: 'Role'
  /** Domain of the organization it is restricted to, otherwise of the account. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** UUID in lower case. */
  id: string
  /** What tokens and programs know it by; never changes. */
  name: string
  display_name: string
  description: string | null
  /** Names, in alphabetical order. */
  permissions: string[]
  /** null: for users of every organization of the account; never changes. */
  organization_domain_scope: string | null
  /** Users without any other role have this one. */
  is_default: boolean
  /** Whether administrators of an organization may give it, by the groups of their directory, on the onboarding pages. */
  assignable_by_admins: boolean
  /** Users to whom it is given, in the organizations that the key may see, without those who have it by default. */
  users_count: number
  /** RFC 3339 in UTC with milliseconds. */
  inserted_at: string
  /** RFC 3339 in UTC with milliseconds. */
  updated_at: string
}

/** Answered by `roles.list`. */
export interface RoleList {
  __type__: 'List'
  data: Role[]
  pagination: Pagination
  total: number
  /** Value of after for the next page; null at the end. */
  next_cursor: string | null
}

/** Answered by `roles.delete`. */
export interface RoleDeletion {
  deleted: true
  resource: Role
  type: '__Deleted__'
}

/** Answered by `roles.getUserRoles`, `roles.setUserRoles`. */
export interface UserRoles {
  __type__: 'UserRoles'
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** UUID in lower case. */
  user_id: string
  /** Names of the effective ones, in alphabetical order. */
  roles: string[]
  /** What the roles allow together, in alphabetical order. */
  permissions: string[]
  assignments: RoleAssignment[]
}

/** Part of `UserRoles`. */
export interface RoleAssignment {
  role: string
  /** invitation, join: the user came with it; default: the default role, which a user without any other has. */
  source: 'api' | 'invitation' | 'join' | 'directory' | 'sso' | 'default'
  /** Id of the directory, or idp_id of the SSO connection, as in identities; otherwise null. */
  source_id: string | null
  /** The group, or the attribute and its value, of the first rule that gives it; of SSO the provider of the identity. */
  source_label: string | null
  /** false: an authoritative mapping overrides it. */
  effective: boolean
  overridden_by: 'directory' | 'sso' | null
  /** null for the default role and those of a directory, which are not stored. */
  inserted_at: string | null
}

/** Answered by `accessEvaluation.evaluate`. */
export interface AccessDecision {
  decision: boolean
  context: {
    /** user_not_found only to keys that may read users, not_granted to others. */
    reason:
      | 'granted'
      | 'not_granted'
      | 'permission_not_found'
      | 'user_inactive'
      | 'user_not_found'
      | 'resource_type_unknown'
    /** The roles of the user that allow it. */
    granted_by: Array<{
      role: string
      source: 'api' | 'invitation' | 'join' | 'directory' | 'sso' | 'default'
    }>
  }
}

/** Answered by `accessEvaluation.evaluateAll`. */
export interface AccessDecisions {
  /** In the order of the questions. */
  evaluations: AccessDecision[]
}

/** Answered by `accessEvaluation.configuration`. */
export interface AccessConfiguration {
  policy_decision_point: string
  access_evaluation_endpoint: string
  access_evaluations_endpoint: string
}

/** Answered by `applications.create`, `applications.list`, `applications.listOfAccount`, `applications.get`, `applications.update`. */
export interface Application {
  __type__: 'Application'
  /** Domain of the organization it is restricted to, otherwise of the account. */
  __domain__: string
  __database__: 'sandbox' | 'production'
  __environment__: 'sandbox' | 'production'
  __managed_by__: string
  /** limited_to:<organization> or all_organizations_of:<account>. */
  __access__: string
  /** UUID in lower case. */
  id: string
  /** The same as id. */
  client_id: string
  name: string
  description: string | null
  application_type:
    | 'android'
    | 'angular'
    | 'ios'
    | 'java_app'
    | 'java_spring'
    | 'mobile'
    | 'node'
    | 'node_express'
    | 'php'
    | 'php_laravel'
    | 'php_symfony'
    | 'python_flask'
    | 'react'
    | 'regular_web'
    | 'ruby'
    | 'ruby_on_rails'
    | 'spa'
    | 'vue'
    | 'web'
    | 'webflow'
  /** Permitted redirect URIs of authorization codes; compared exactly. */
  allowed_redirect_urls: string[]
  allowed_origins_cors: string[]
  allowed_logout_urls: string[]
  allowed_web_origins: string[]
  default_redirect_uri_after_login: string | null
  default_redirect_uri_after_logout: string | null
  default_web_origin: string | null
  default_origin_cors: string | null
  default_logout_url: string | null
  /** null: usable by every organization of the account. */
  organization_domain_scope: string | null
  access_token_lifetime_in_seconds: number
  token_signing_alg: 'ES256' | 'RS256'
  /** Proof required for the exchange of a code besides the code. */
  code_exchange: 'open' | 'pkce' | 'api_key'
  /** How the application authenticates at the token and revocation endpoints. */
  client_authentication: 'none' | 'secret' | 'private_key_jwt'
  /** What sign-ins of the application must send: required: a code_challenge; or_nonce: that, or a nonce of 16 characters or more, which the application compares; optional: neither. */
  pkce: 'required' | 'or_nonce' | 'optional'
  /** Its public keys, for private_key_jwt. */
  jwks: {
    keys: Array<{
      kty: 'EC' | 'RSA'
      /** Required of keys that are not the only one. */
      kid?: string
      alg?: 'ES256' | 'RS256'
      use?: 'sig'
      crv?: 'P-256'
      x?: string
      y?: string
      n?: string
      e?: string
    }>
  } | null
  /** Where its public keys are, in place of jwks. */
  jwks_uri: string | null
  /** Beginnings of the permissions that its tokens carry; null: of all. */
  permission_prefixes: string[] | null
  /** Where the application begins a sign-in that others have asked for. */
  initiate_login_uri: string | null
  /** Domain of the passkeys on its own pages, whose origins are allowed_web_origins; null: no passkeys there. */
  passkey_rp_id: string | null
  /** Where logout tokens are posted when a session with the application ends. */
  backchannel_logout_uri: string | null
  /** Whether the application needs `sid` in logout tokens; they always have it. */
  backchannel_logout_session_required: boolean
  /** RFC 3339 in UTC with milliseconds. */
  inserted_at: string
  /** RFC 3339 in UTC with milliseconds. */
  updated_at: string
}

/** Answered by `applications.list`, `applications.listOfAccount`. */
export interface ApplicationList {
  __type__: 'List'
  data: Application[]
  pagination: Pagination
  total: number
  /** Value of after for the next page; null at the end. */
  next_cursor: string | null
}

/** Answered by `applications.get`. */
export interface DeletedApplication {
  __type__: 'Application'
  /** UUID in lower case. */
  id: string
  deleted: true
  name: string
}

/** Answered by `applications.delete`. */
export interface ApplicationDeletion {
  deleted: true
  resource: Application
  type: '__Deleted__'
}

/** Answered by `applicationSecrets.create`. */
export interface ApplicationSecret {
  __type__: 'ApplicationSecret'
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** UUID in lower case. */
  id: string
  /** UUID in lower case. */
  application_id: string
  /** The last four characters. */
  hint: string
  /**
   * The client_secret: only in the answer to its creation, otherwise null.
   * Secret: do not log it.
   */
  value: string | null
  /** From then on it is refused; null: never. */
  expires_at: string | null
  /** Written within ten seconds of a use. */
  last_used_at: string | null
  /** RFC 3339 in UTC with milliseconds. */
  inserted_at: string
}

/** Answered by `applicationSecrets.list`. */
export interface ApplicationSecrets {
  __type__: 'List'
  data: ApplicationSecret[]
}

/** Answered by `applicationSecrets.delete`. */
export interface ApplicationSecretDeletion {
  deleted: true
  resource: ApplicationSecret
  type: '__Deleted__'
}

/** Answered by `tokenCustomization.sample`. */
export interface JwtSample {
  __type__: '__JwtSamples__'
  __domain__: string
  access_token_jwt: string
  access_token_keys: ClaimTree
  id_token_jwt: string
  id_token_keys: ClaimTree
}

/** Part of `JwtSample`. */
export interface ClaimTree {
  [name: string]: null | ClaimTree
}

/** Answered by `tokenCustomization.listMetaKeys`. */
export interface MetaKeyList {
  __type__: 'List'
  data: MetaKey[]
  pagination: Pagination
  total: number
  /** Value of after for the next page; null at the end. */
  next_cursor: string | null
}

/** Answered by `tokenCustomization.deleteMetaKey`. */
export interface MetaKeyDeletion {
  deleted: true
  resource: MetaKey
  type: '__Deleted__'
}

/** Answered by `magicLink.createChallenge`. */
export interface MagicLinkChallenge {
  __type__: 'MagicLinkChallenge'
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /**
   * null: the code is sent to redirect_uri when the link is used.
   * Secret: do not log it.
   */
  code: string | null
  /** Personal data. */
  email_address: string
  find_or_create_user: boolean
  /**
   * The link if send_email is false, otherwise null.
   * Secret: do not log it.
   */
  magic_link: string | null
  /** UUID in lower case. */
  request_id: string
  /** Expiry of the link. */
  expired_at: string
}

/** Answered by `magicLink.getConnection`, `magicLink.updateConnection`. */
export interface MagicLinkConnection {
  __type__: 'MagicLinkConnection'
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** UUID in lower case. */
  id: string
  active: boolean
  /** A user is created for an unknown address when its link is used. */
  find_or_create_user: boolean
  /** UUID in lower case. */
  sign_in_template_id: string
  /** RFC 3339 in UTC with milliseconds. */
  inserted_at: string
  /** RFC 3339 in UTC with milliseconds. */
  updated_at: string
}

/** Answered by `discovery.createChallenge`. */
export interface DiscoveryChallenge {
  __type__: 'DiscoveryChallenge'
  /** Domain of the account. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** UUID in lower case. */
  request_id: string
  /**
   * The link if send_email is false, otherwise null.
   * Secret: do not log it.
   */
  magic_link: string | null
  /** Expiry of the link. */
  expired_at: string
}

/** Answered by `discovery.exchange`. */
export interface Discovery {
  __type__: 'Discovery'
  /** Domain of the account. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** That of the challenge. */
  request_id: string
  /** Secret: do not log it. */
  discovery_token: string
  /** Personal data. */
  email: string
  /** The last used first, then by name; 100 at most. */
  organizations: DiscoveredOrganization[]
  /** Expiry of discovery_token. */
  expired_at: string
}

/** Part of `Discovery`. */
export interface DiscoveredOrganization {
  __type__: 'DiscoveredOrganization'
  /** Domain of the account. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  domain: string
  name: string
  icon_logo_url: string | null
  /** member: a user has the address; invited: an invitation waits for it, and entering creates the user; sso: an SSO connection owns its domain and creates users; may_join: entering creates the user; may_ask: entering leads to a page on which they ask to join. */
  kind: 'member' | 'invited' | 'sso' | 'may_join' | 'may_ask'
  /** null: entering creates the user. */
  user_id: string | null
  /** To the hour; null: the owner of the address has not signed in yet, so do not enter unasked. */
  last_signed_in_at: string | null
  /** email: the link was enough; null: the organization has no method for the address. */
  first_factor: 'email' | 'password' | 'sso' | null
  /** The user is asked for a second factor, or has to enrol one. */
  second_factor: boolean
}

/** Answered by `discovery.enter`. */
export interface DiscoveryEntrance {
  __type__: 'DiscoveryEntrance'
  /** Domain of the organization. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /**
   * The authorization code; null: something is missing.
   * Secret: do not log it.
   */
  code: string | null
  /**
   * Where the user passes what is missing, on our pages, which send the browser to redirect_uri; null with a code.
   * Secret: do not log it.
   */
  continue_url: string | null
  /** Expiry of the code or address. */
  expired_at: string
}

/** Answered by `password.createConnection`, `password.getConnection`, `password.updateConnection`. */
export interface PasswordConnection {
  __type__: 'PasswordConnection'
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** UUID in lower case. */
  id: string
  active: boolean
  /** Minimum length of a new password, in characters. */
  plain_text_min_length: number
  /** Maximum length of a new password, in characters. */
  plain_text_max_length: number
  /** Seconds after which the pepper, the key that encrypts the hashes, is replaced. */
  pepper_rotation_period: number
  /** RFC 3339 in UTC with milliseconds. */
  inserted_at: string
  /** RFC 3339 in UTC with milliseconds. */
  updated_at: string
}

/** Answered by `password.createRequest`. */
export interface PasswordRequest {
  __type__: 'PasswordRequest'
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** Send it with a magic-link challenge, whose link then leads to a new password. */
  request_id: string
  /** null for keys without the scope read:users. */
  user_id: string | null
  /** End of the time in which the password can be set. */
  expired_at: string
}

/** Answered by `password.createChallenge`. */
export interface PassedPasswordChallenge {
  __type__: 'PasswordChallenge'
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** UUID in lower case. */
  request_id: string
  'valid?': true
  error: null
  /**
   * Authorization code, exchanged once for the tokens until expired_at.
   * Secret: do not log it.
   */
  code: string
  /** RFC 3339 in UTC with milliseconds. */
  expired_at: string
  /** UUID in lower case. */
  user_id: string
  password_id: number
  /** Set if the password no longer meets the rules or appears in a known breach: have the user set another. */
  renew_password: PasswordRenewal | null
}

/** Part of `PassedPasswordChallenge`, `PassedTotpChallenge`, `PassedPasskeyChallenge`. */
export interface PasswordRenewal {
  /**
   * Authorizes setting a new password; valid for one hour.
   * Secret: do not log it.
   */
  password_code: string
}

/** Answered by `password.createChallenge`. */
export interface RefusedPasswordChallenge {
  __type__: 'PasswordChallenge'
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** UUID in lower case. */
  request_id: string
  'valid?': false
  /** totp_required: the password is correct; create a TOTP challenge with request_id as its password_request_id. passkey_required: the password is correct, and the organization demands a second factor, which is a passkey of the user; create a passkey challenge with request_id as its password_request_id, or have them sign in on the sign-in pages. invalid_credentials: any other failure, and while an address is locked. */
  error: 'invalid_credentials' | 'totp_required' | 'passkey_required'
  /** With totp_required and passkey_required, end of the time in which the second factor must come. */
  expired_at: string | null
  /** Set only with totp_required and passkey_required. */
  user_id: string | null
  password_id: null
  renew_password: null
}

/** Answered by `password.set`. */
export interface Password {
  __type__: 'Password'
  __domain__: string
  __environment__: 'sandbox' | 'production'
  id: number
  /** UUID in lower case. */
  user_id: string
  /**
   * Authorization code, exchanged once for the tokens within 300 seconds; null if the user has a second factor, or must enrol one, and signs in with both.
   * Secret: do not log it.
   */
  code: string | null
}

/** Answered by `totp.getConnection`, `totp.postConnection`, `totp.updateConnection`. */
export interface TotpConnection {
  __type__: 'TotpConnection'
  __domain__: string
  __environment__: 'sandbox' | 'production'
  active: boolean
  /** Method of new enrolments; enrolled users keep theirs. */
  method: 'totp_mobile_app' | 'sms'
  /** Validity of a code. With the app, codes of earlier 30-second periods are accepted within it. */
  expiry_in_seconds: number
  /** RFC 3339 in UTC with milliseconds. */
  inserted_at: string
  /** RFC 3339 in UTC with milliseconds. */
  updated_at: string
}

/** Answered by `totp.enroll`. */
export interface TotpEnrollment {
  __type__: 'TotpEnrollment'
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** UUID in lower case. */
  user_id: string
  /** Personal data. */
  email: string
  method: 'totp_mobile_app' | 'sms'
  /** Start of this enrolment. */
  enrolled_totp_at: string
  /** Time of its validation, from which on the user must enter codes; null before. */
  validated_enrollment_at: string | null
  /** Number of validated enrolments of the user so far, since the last removal if there was one. */
  enrollment_totp_nb: number
  /**
   * With the method sms, the code that was sent to the user; only at creation.
   * Secret: do not log it.
   */
  first_verification_code: string | null
  /**
   * Five codes, one per line, each of which replaces one code of the user; only at creation.
   * Secret: do not log it.
   */
  recovery_codes: string | null
  /**
   * With the mobile app, the key URI to show as a QR code; only at creation.
   * Secret: do not log it.
   */
  uri: string | null
  /** Time at which the user confirmed having stored the recovery codes. */
  last_recovery_acknowledgement_at: string | null
  /** Last use of a recovery code. */
  last_recovery_code_at: string | null
}

/** Answered by `totp.validateEnrollment`. */
export interface ValidatedTotpEnrollment {
  __type__: 'TotpEnrollment'
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** UUID in lower case. */
  user_id: string
  /** Personal data. */
  email: string
  method: 'totp_mobile_app' | 'sms'
  /** Start of this enrolment. */
  enrolled_totp_at: string
  /** RFC 3339 in UTC with milliseconds. */
  validated_enrollment_at: string
  /** Number of validated enrolments of the user so far, since the last removal if there was one. */
  enrollment_totp_nb: number
  first_verification_code: null
  recovery_codes: null
  uri: null
  /** Time at which the user confirmed having stored the recovery codes. */
  last_recovery_acknowledgement_at: string | null
  /** Last use of a recovery code. */
  last_recovery_code_at: string | null
}

/** Answered by `totp.removeEnrollment`. */
export interface ValidatedTotpEnrollmentDeletion {
  deleted: true
  resource: ValidatedTotpEnrollment
  type: '__Deleted__'
}

/** Answered by `totp.createChallenge`. */
export interface TotpChallenge {
  __type__: 'TotpChallenge'
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /**
   * Set after validation of a challenge that belongs to a sign-in: exchange it once for the tokens within 300 seconds; otherwise null.
   * Secret: do not log it.
   */
  code: string | null
  /** Different at creation and at validation. */
  request_id: string
  /** UUID in lower case. */
  user_id: string
  /** RFC 3339 in UTC with milliseconds. */
  sent_at: string
  /** Time of its validation. */
  challenged_at: string | null
  /** End of the time in which it can be validated. */
  expired_at: string
  success: boolean
  recovery_code_used: boolean
}

/** Answered by `totp.validateChallenge`. */
export interface PassedTotpChallenge {
  __type__: 'TotpChallenge'
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /**
   * Set after validation of a challenge that belongs to a sign-in: exchange it once for the tokens within 300 seconds; otherwise null.
   * Secret: do not log it.
   */
  code: string | null
  /** Different at creation and at validation. */
  request_id: string
  /** UUID in lower case. */
  user_id: string
  /** RFC 3339 in UTC with milliseconds. */
  sent_at: string
  /** RFC 3339 in UTC with milliseconds. */
  challenged_at: string
  /** End of the time in which it can be validated. */
  expired_at: string
  success: true
  recovery_code_used: boolean
  /** Set as in a password challenge without a second factor: have the user set another password. */
  renew_password: PasswordRenewal | null
}

/** Answered by `passkeys.getConnection`, `passkeys.updateConnection`. */
export interface PasskeyConnection {
  __type__: 'PasskeyConnection'
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** Whether users may add passkeys and sign in with them. */
  active: boolean
  /** Whether a passkey signs in by itself, as two factors: it is asked of new passkeys that they verify their user. */
  first_factor: boolean
  /** false: passkeys that a provider copies to other devices are refused when they are added; those that are there stay. */
  synced: boolean
  /** required: whoever signs in by another method is asked for their passkey, and who has none adds one. A code of TOTP is as good where it is asked of the user, and who comes by SSO is not asked. */
  requirement: 'optional' | 'required'
  /** For how many days users may put it off, from the switch or from their creation if that is later. */
  grace_days: number
  /** Where users who have none are offered a passkey that signs them in by itself (first_factor), in browsers that can make one: on the account page alone, also at the end of a sign-in that has made the user or set their password, or at the end of every sign-in. */
  prompt: 'account_page' | 'after_account_change' | 'after_sign_in'
  /** RFC 3339 in UTC with milliseconds. */
  inserted_at: string
  /** RFC 3339 in UTC with milliseconds. */
  updated_at: string
}

/** Answered by `passkeys.list`. */
export interface PasskeyList {
  __type__: 'List'
  data: Passkey[]
  pagination: Pagination
  total: number
  /** Value of after for the next page; null at the end. */
  next_cursor: string | null
}

/** Answered by `passkeys.list`, `passkeys.get`, `passkeys.update`, `passkeys.completeRegistration`. */
export interface Passkey {
  __type__: 'Passkey'
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** UUID in lower case. */
  id: string
  /** UUID in lower case. */
  user_id: string
  /**
   * As its user calls it; at first the name of its provider.
   * Personal data.
   */
  name: string
  /**
   * As the authenticator calls it, in base64url.
   * Personal data.
   */
  credential_id: string
  /** The model of the authenticator, or the provider; null where it does not say. */
  aaguid: string | null
  /** The name of the provider, where it is known. */
  provider_name: string | null
  /** Whether its provider may copy it to other devices; the same from its creation on. */
  synced: boolean
  /** Whether it was copied at its last use. */
  backed_up: boolean
  /** How browsers reach the authenticator, such as internal, hybrid and usb. */
  transports: string[]
  /** The domain for which it was made. */
  rp_id: string
  /** Its uses, as the authenticator counts them; 0 where it does not. */
  sign_count: number
  /** RFC 3339 in UTC with milliseconds. */
  last_used_at: string | null
  /** When a copy of it was noticed: it is refused from then on. */
  disabled_at: string | null
  /** RFC 3339 in UTC with milliseconds. */
  inserted_at: string
  /** RFC 3339 in UTC with milliseconds. */
  updated_at: string
}

/** Answered by `passkeys.openRecovery`. */
export interface PasskeyRecovery {
  __type__: 'PasskeyRecovery'
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** UUID in lower case. */
  user_id: string
  /**
   * Why it was opened; the mail to the user does not say it.
   * Personal data.
   */
  reason: string
  /** 24 hours later, unless a passkey is added before. */
  expired_at: string
  /** RFC 3339 in UTC with milliseconds. */
  inserted_at: string
}

/** Answered by `passkeys.delete`. */
export interface PasskeyDeletion {
  deleted: true
  resource: Passkey
  type: '__Deleted__'
}

/** Answered by `passkeys.createRegistration`. */
export interface PasskeyRegistration {
  __type__: 'PasskeyRegistration'
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** UUID in lower case. */
  id: string
  /** UUID in lower case. */
  user_id: string
  /** For PublicKeyCredential.parseCreationOptionsFromJSON() and navigator.credentials.create(). */
  options: {
    /** Of one answer, until expired_at. */
    challenge: string
    rp: {
      id: string
      name: string
    }
    user: {
      id: string
      /** Personal data. */
      name: string
      /** Personal data. */
      displayName: string
    }
    pubKeyCredParams: Array<{
      type: 'public-key'
      alg: number
    }>
    /** Milliseconds. */
    timeout: number
    excludeCredentials: Array<{
      type: 'public-key'
      /** Personal data. */
      id: string
      transports: string[]
    }>
    authenticatorSelection: {
      residentKey: 'required' | 'preferred'
      requireResidentKey: boolean
      userVerification: 'required' | 'preferred'
    }
    attestation: 'none'
  }
  /** RFC 3339 in UTC with milliseconds. */
  expired_at: string
}

/** Answered by `passkeys.createChallenge`. */
export interface OpenPasskeyChallenge {
  __type__: 'PasskeyChallenge'
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** UUID in lower case. */
  request_id: string
  /** For PublicKeyCredential.parseRequestOptionsFromJSON() and navigator.credentials.get(). */
  options: {
    /** Of one answer, until expired_at. */
    challenge: string
    rpId: string
    /** Milliseconds. */
    timeout: number
    allowCredentials: Array<{
      type: 'public-key'
      /** Personal data. */
      id: string
      transports: string[]
    }>
    userVerification: 'required' | 'preferred'
  }
  /** RFC 3339 in UTC with milliseconds. */
  expired_at: string
}

/** Answered by `passkeys.validateChallenge`. */
export interface PassedPasskeyChallenge {
  __type__: 'PasskeyChallenge'
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** UUID in lower case. */
  request_id: string
  success: true
  /** UUID in lower case. */
  user_id: string
  /**
   * Authorization code, exchanged once for the tokens within 300 seconds.
   * Secret: do not log it.
   */
  code: string
  /** Set as in a password challenge without a second factor: have the user set another password. */
  renew_password: PasswordRenewal | null
}

/** Answered by `socialProviders.create`, `socialProviders.list`, `socialProviders.get`, `socialProviders.update`. */
export interface SocialProvider {
  __type__: 'SocialProvider'
  /** Domain of the account. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** UUID in lower case. */
  id: string
  provider: 'google' | 'microsoft' | 'github' | 'apple' | 'custom_oidc' | 'test'
  /** What social connections know it by; never changes. */
  name: string
  /** On its button. */
  display_name: string
  /** Of the application that was registered at the provider. */
  client_id: string | null
  /** Of microsoft: whose accounts can sign in; else null. */
  tenant: string | null
  /** Of apple: the team of its developers; else null. */
  team_id: string | null
  /** Of apple: the id of its private_key; else null. */
  key_id: string | null
  /** Issuer of the provider; that of microsoft has {tenantid} in it where there is more than one tenant. */
  issuer: string | null
  /** When client_secret or private_key ends, as it was entered; null: never, or not said. */
  secret_expires_at: string | null
  /** Nobody can sign in by an inactive one. */
  active: boolean
  /** incomplete: it has no issuer, client_id or client_secret, or one of the members of apple is missing; no button is shown. */
  state: 'incomplete' | 'ready'
  /** What has to be registered at the provider. */
  redirect_uri: string
  /** RFC 3339 in UTC with milliseconds. */
  inserted_at: string
  /** RFC 3339 in UTC with milliseconds. */
  updated_at: string
}

/** Answered by `socialProviders.list`. */
export interface SocialProviderList {
  __type__: 'List'
  data: SocialProvider[]
  pagination: Pagination
  total: number
  /** Value of after for the next page; null at the end. */
  next_cursor: string | null
}

/** Answered by `socialProviders.check`. */
export interface SocialProviderCheck {
  __type__: 'SocialProviderCheck'
  /** Domain of the account. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** UUID in lower case. */
  provider_id: string
  /** false: something has failed. */
  passed: boolean
  checks: Array<{
    name: 'settings' | 'redirect_uri' | 'discovery' | 'credentials' | 'secret_expiry'
    outcome: 'passed' | 'failed' | 'unknown' | 'skipped'
    /** What was found, and what to do, in English. */
    message: string
  }>
}

/** Answered by `socialProviders.delete`. */
export interface SocialProviderDeletion {
  deleted: true
  resource: SocialProvider
  type: '__Deleted__'
}

/** Answered by `socialConnection.get`, `socialConnection.update`. */
export interface SocialConnection {
  __type__: 'SocialConnection'
  __domain__: string
  __environment__: 'sandbox' | 'production'
  active: boolean
  /** Names of the social providers, in the order of their buttons; null: all of the account. */
  providers: string[] | null
  /** Whether people without an account become users; the invited ones do in any case. */
  allow_sign_up: boolean
  /** RFC 3339 in UTC with milliseconds. */
  inserted_at: string
  /** RFC 3339 in UTC with milliseconds. */
  updated_at: string
}

/** Answered by `identities.unlink`. */
export interface UserIdentityDeletion {
  deleted: true
  resource: UserIdentity
  type: '__Deleted__'
}

/** Part of `UserIdentityDeletion`, `UserIdentityLinkSuccessEvent`, `UserIdentityUnlinkSuccessEvent`. */
export interface UserIdentity {
  __type__: 'UserIdentity'
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** UUID in lower case. */
  id: string
  /** UUID in lower case. */
  user_id: string
  /** idp_id of the connection that asserted the user. */
  idp_id: string | null
  /** For example saml.okta, oidc.entra_id, social.google, scim.entra_id or relay. */
  provider: string
  /** The last sign-in by it. */
  authenticated_at: string
  /** Personal data. */
  data: { [name: string]: JsonValue }
}

/** Answered by `sessions.list`. */
export interface SessionList {
  __type__: 'List'
  data: Session[]
  pagination: Pagination
  total: number
  /** Value of after for the next page; null at the end. */
  next_cursor: string | null
}

/** Answered by `sessions.list`. */
export interface Session {
  __type__: 'Session'
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** UUID in lower case. */
  id: string
  /** UUID in lower case. */
  user_id: string
  /** Application of the original sign-in; 00000000-0000-4000-8000-000000000001 or 00000000-0000-4000-8000-000000000002, which no application has, if it was for the account page. */
  client_id: string
  /** How the user was authenticated: email, relay, impersonation, or a name of RFC 8176. */
  amr: string[]
  /** The impersonation, if a member of staff is signed in as the user. */
  impersonation_id: string | null
  /**
   * User-Agent header of the browser; null if the user signed in through the API.
   * Personal data.
   */
  user_agent: string | null
  /** RFC 3339 in UTC with milliseconds. */
  authenticated_at: string
  /** Last time it was used to obtain tokens. */
  last_used_at: string
  /** End of the time in which it signs the user in to applications. */
  expires_at: string
  /** Expiry of its refresh tokens unless revoked earlier; null if none were issued. */
  offline_until: string | null
}

/** Answered by `sessions.endAll`. */
export interface EndedSessionsDeletion {
  deleted: true
  resource: EndedSessions
  type: '__Deleted__'
}

/** Part of `EndedSessionsDeletion`, `UserSessionEndAllSuccessEvent`. */
export interface EndedSessions {
  __type__: 'EndedSessions'
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** UUID in lower case. */
  user_id: string
  total: number
}

/** Answered by `sessions.end`. */
export interface SessionDeletion {
  deleted: true
  resource: Session
  type: '__Deleted__'
}

/** Answered by `impersonations.create`, `impersonations.list`. */
export interface Impersonation {
  __type__: 'Impersonation'
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** UUID in lower case. */
  id: string
  /** UUID in lower case. */
  user_id: string
  /** The only application that it signs in to. */
  application_id: string
  actor: {
    /**
     * As the caller names them; `sub` of the claim `act`.
     * Personal data.
     */
    id: string
    /** Personal data. */
    email: string | null
  }
  /** Personal data. */
  reason: string
  /** From its start to its end. */
  duration_in_seconds: number
  /** Whether the user is told of it by mail when it starts. */
  notify_user: boolean
  /**
   * Address that the member of staff opens, once and within five minutes: only in the answer to its creation, otherwise null.
   * Secret: do not log it.
   */
  url: string | null
  /** Its end; before it has started, until when that is possible. */
  expires_at: string
  /** RFC 3339 in UTC with milliseconds. */
  started_at: string | null
  /** Null as well where it expired before it had started. */
  ended_at: string | null
  /** RFC 3339 in UTC with milliseconds. */
  inserted_at: string
}

/** Answered by `impersonations.list`. */
export interface ImpersonationList {
  __type__: 'List'
  data: Impersonation[]
  pagination: Pagination
  total: number
  /** Value of after for the next page; null at the end. */
  next_cursor: string | null
}

/** Answered by `impersonations.end`. */
export interface ImpersonationDeletion {
  deleted: true
  resource: Impersonation
  type: '__Deleted__'
}

/** Answered by `ssoConnections.create`, `ssoConnections.list`, `ssoConnections.get`, `ssoConnections.update`, `ssoConnections.setUserPolicy`, `ssoConnections.activate`, `ssoConnections.disable`, `ssoConnections.useMetadata`, `ssoConnections.useOidcClient`. */
export interface SsoConnection {
  __type__: 'SsoConnection'
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same as idp_id. */
  id: string
  /** Immutable. */
  idp_id: string
  /** Entity ID of the service for this connection, which is also the URL of its SAML metadata. */
  sp_id: string
  /** Assertion consumer service URL, to which the identity provider posts its responses. */
  acs_url: string
  /** Redirect URI to which an OpenID provider returns users. */
  oidc_redirect_uri: string
  protocol: 'saml' | 'oidc'
  provider_type:
    | 'unset'
    | 'okta'
    | 'entra_id'
    | 'google_workspace'
    | 'onelogin'
    | 'ping_one'
    | 'ping_federate'
    | 'adfs'
    | 'auth0'
    | 'jumpcloud'
    | 'keycloak'
    | 'custom_saml'
    | 'custom_oidc'
    | 'test'
  /** An inactive connection refuses sign-ins. A new connection is active, so the first metadata take effect immediately, even if an invited administrator uploads them: disable it first to review them before anybody can sign in. */
  active: boolean
  /** configured: metadata or an OpenID Connect client is stored; tested: a user has signed in, or a test sign-in has succeeded. */
  state: 'it_admin_invitation_pending' | 'it_admin_onboarding' | 'configured' | 'tested'
  /** Maximum number of users of the organization up to which sign-ins create new ones; 0: no limit. */
  seats_limit: number
  /** The same as user_security_type. */
  user_policy: 'none' | 'user_registered' | 'user_provisionned'
  /** none: unknown users are created; user_registered: the user must already exist; user_provisionned: the user must also come from directory sync. */
  user_security_type: 'none' | 'user_registered' | 'user_provisionned'
  /** The profile is updated at each sign-in. */
  update_user_new_connection: boolean
  /** Domains whose addresses sign in with this connection, which is authoritative for those that are verified or declared; empty: allowed_email_domains of the organization that no connection names. */
  email_domains: string[]
  /** Handling of users with addresses of other domains, which another connection does not name: refuse: they are neither created nor linked; create: unknown ones are created, with an unverified address, and nobody is linked; any_address: whoever controls the identity provider can sign in as any user of the organization; null: refuse where the connection or the organization names a domain, otherwise create. Users who have signed in with the connection before still do. */
  other_domains: 'refuse' | 'create' | 'any_address' | null
  /** Handling of unsolicited responses: bounce: the service starts a sign-in of its own; accept: the user is signed in; reject: the response is refused. */
  idp_initiated: 'bounce' | 'accept' | 'reject'
  /** Accepts RSA-SHA1 signatures, which can be forged. */
  allow_sha1: boolean
  /** Accepts assertions encrypted with AES-CBC in responses that are not signed themselves. */
  allow_cbc_unsigned_response: boolean
  /** Values of the identity provider that are written into metadata and profile of users who are created, and with update_user_new_connection at each sign-in. Metadata that a directory maps are its own. */
  attribute_mapping: AttributeMapping[]
  /** Roles of users by what their identity provider says of them; written at each sign-in. */
  role_mapping: RoleMapping
  /** Stored versions, newest first. */
  metadata: SsoMetadata[]
  /** Issuer of the OpenID provider; null without one. */
  issuer: string | null
  oidc_client_id: string | null
  /** Stored versions, newest first. */
  oidc_clients: SsoOidcClient[]
  /** Id; the record if preload_associations contains enterprise_connection_onboarding. */
  onboarding: SsoAdminOnboarding | string | null
  /** Id; the record if preload_associations contains default_redirection. */
  default_redirection: DefaultRedirection | string | null
  /** RFC 3339 in UTC with milliseconds. */
  inserted_at: string
  /** RFC 3339 in UTC with milliseconds. */
  updated_at: string
}

/** Part of `SsoConnection`, `DirectorySync`, `DirectorySyncData`. */
export interface AttributeMapping {
  /** SCIM path; of an SSO connection the name of a SAML attribute or claim. */
  from: string
  /** metadata.<key> with a declared key, or profile.<claim>; each is in one rule at most. */
  to: string
}

/** Part of `SsoConnection`, `DirectorySync`, `DirectorySyncData`. */
export interface RoleMapping {
  /** add: beside other roles of a user; authoritative: the only roles of the users that the mapping reaches. */
  mode: 'add' | 'authoritative'
  rules: RoleRule[]
}

/** Part of `RoleMapping`. */
export interface RoleRule {
  /** Display name of a group of the directory. */
  group?: string
  /** roles, entitlements, or a path in attribute_mapping of a directory; name of a SAML attribute or claim. */
  attribute?: string
  /** The value of the attribute, or one of its values. */
  value?: string
  /** Names of roles. */
  roles: string[]
  /** Whether the directory has a group of this name; of rules with a group. */
  matched?: boolean
}

/** Part of `SsoConnection`. */
export interface SsoMetadata {
  __type__: 'SsoMetadata'
  /** From 1. */
  version: number
  /** Sign-ins are validated against this version. */
  current: boolean
  entity_id: string
  /** URL of the identity provider that users are redirected to. */
  sso_url: string
  /** Up to ten; a signature by any of them is accepted. */
  certificates: SsoCertificate[]
  /** RFC 3339 in UTC with milliseconds. */
  valid_until: string | null
  warnings: Array<{
    code: 'metadata_expired' | 'certificate_expired' | 'certificate_expires_soon' | 'entity_id_shared'
    message: string
  }>
  uploaded_by: 'api_key' | 'sso_admin' | 'service'
  /** RFC 3339 in UTC with milliseconds. */
  inserted_at: string
}

/** Part of `SsoMetadata`. */
export interface SsoCertificate {
  /** 64 hexadecimal digits. */
  fingerprint_sha256: string
  subject: string
  /** RFC 3339 in UTC with milliseconds. */
  not_before: string
  /** RFC 3339 in UTC with milliseconds. */
  not_after: string
}

/** Part of `SsoConnection`. */
export interface SsoOidcClient {
  __type__: 'SsoOidcClient'
  /** From 1. */
  version: number
  /** Sign-ins use this version. */
  current: boolean
  /** Exactly as in the discovery document and the ID tokens of the provider. */
  issuer: string
  client_id: string
  uploaded_by: 'api_key' | 'sso_admin'
  /** RFC 3339 in UTC with milliseconds. */
  inserted_at: string
}

/** Answered by `ssoConnections.createOnboarding`, `ssoConnections.updateOnboarding`, `ssoConnections.inviteAdmin`, `ssoConnections.resetOnboarding`. */
export interface SsoAdminOnboarding {
  __type__: 'EnterpriseConnectionOnboarding'
  /** UUID in lower case. */
  id: string
  /**
   * Recipient of the invitations of invite-admin.
   * Personal data.
   */
  sso_admin_email: string | null
  provider_type:
    | 'okta'
    | 'entra_id'
    | 'google_workspace'
    | 'onelogin'
    | 'ping_one'
    | 'ping_federate'
    | 'adfs'
    | 'auth0'
    | 'jumpcloud'
    | 'keycloak'
    | 'custom_saml'
    | 'custom_oidc'
    | 'test'
    | null
  /** provider_type_chosen: the tutorial is in progress; xml_provided: the metadata or an OpenID Connect client is stored. */
  state: 'not_initialized' | 'provider_type_chosen' | 'xml_provided'
  /** From 0. */
  tutorial_step: number
  /** RFC 3339 in UTC with milliseconds. */
  inserted_at: string
  /** RFC 3339 in UTC with milliseconds. */
  updated_at: string
}

/** Answered by `ssoConnections.createDefaultRedirection`, `ssoConnections.getDefaultRedirection`. */
export interface DefaultRedirection {
  __type__: 'DefaultRedirection'
  /** UUID in lower case. */
  id: string
  /** UUID in lower case. */
  app_id: string
  /** Redirect URL of IdP-initiated sign-ins. */
  uri: string
  /** RFC 3339 in UTC with milliseconds. */
  inserted_at: string
}

/** Answered by `ssoConnections.list`. */
export interface SsoConnectionList {
  __type__: 'List'
  data: SsoConnection[]
  pagination: Pagination
  total: number
  /** Value of after for the next page; null at the end. */
  next_cursor: string | null
}

/** Answered by `ssoConnections.listLoginTraces`. */
export interface SsoLoginTraceList {
  __type__: 'List'
  data: SsoLoginTrace[]
  pagination: Pagination
  total: number
  /** Value of after for the next page; null at the end. */
  next_cursor: string | null
}

/** Answered by `ssoConnections.listLoginTraces`. */
export interface SsoLoginTrace {
  __type__: 'SsoLoginTrace'
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** UUID in lower case. */
  id: string
  idp_id: string
  /** idp_initiated: the response was unsolicited; test: by the administrator, creates no session. */
  kind: 'sign_in' | 'idp_initiated' | 'test'
  /** arrived: the response is valid, but the browser has not returned with it yet. */
  outcome: 'arrived' | 'success' | 'failed'
  failed_check:
    | 'encoding'
    | 'document'
    | 'response'
    | 'status'
    | 'signature_form'
    | 'encryption_form'
    | 'response_issuer'
    | 'destination'
    | 'signature'
    | 'assertion'
    | 'issuer'
    | 'issued_at'
    | 'conditions'
    | 'audience'
    | 'recipient'
    | 'subject'
    | 'in_response_to'
    | 'unsolicited'
    | 'replay'
    | 'request'
    | 'browser'
    | 'authenticated_at'
    | 'oidc_state'
    | 'oidc_browser'
    | 'oidc_answer'
    | 'oidc_discovery'
    | 'oidc_issuer_parameter'
    | 'oidc_token'
    | 'oidc_id_token'
    | 'oidc_token_type'
    | 'oidc_authorized_party'
    | 'oidc_issued_at'
    | 'oidc_subject'
    | 'oidc_hosted_domain'
    | 'connection_active'
    | 'email'
    | 'email_domain'
    | 'invitation'
    | 'linking'
    | 'user_policy'
    | 'seats'
    | 'user_active'
    | 'destination_application'
    | null
  /** Party that can fix the cause; null if no check failed. */
  mender: 'identity_provider' | 'operator' | 'user' | 'nobody' | null
  remedy: string | null
  /** In order of execution, up to the first failed check. */
  checks: Array<{
    name:
      | 'encoding'
      | 'document'
      | 'response'
      | 'status'
      | 'signature_form'
      | 'encryption_form'
      | 'response_issuer'
      | 'destination'
      | 'signature'
      | 'assertion'
      | 'issuer'
      | 'issued_at'
      | 'conditions'
      | 'audience'
      | 'recipient'
      | 'subject'
      | 'in_response_to'
      | 'unsolicited'
      | 'replay'
      | 'request'
      | 'browser'
      | 'authenticated_at'
      | 'oidc_state'
      | 'oidc_browser'
      | 'oidc_answer'
      | 'oidc_discovery'
      | 'oidc_issuer_parameter'
      | 'oidc_token'
      | 'oidc_id_token'
      | 'oidc_token_type'
      | 'oidc_authorized_party'
      | 'oidc_issued_at'
      | 'oidc_subject'
      | 'oidc_hosted_domain'
      | 'connection_active'
      | 'email'
      | 'email_domain'
      | 'invitation'
      | 'linking'
      | 'user_policy'
      | 'seats'
      | 'user_active'
      | 'destination_application'
    passed: boolean
    expected: string | null
    /** Personal data. */
    received: string | null
  }>
  /**
   * NameID of a response with a valid signature.
   * Personal data.
   */
  name_id: string | null
  /** Personal data. */
  email: string | null
  /**
   * Signed attributes by name.
   * Personal data.
   */
  attributes: { [name: string]: string[] } | null
  /** UUID in lower case. */
  user_id: string | null
  /** Reference shown to the user on the page. */
  request_id: string
  /** RFC 3339 in UTC with milliseconds. */
  inserted_at: string
}

/** Answered by `ssoConnections.createSamlChallenge`. */
export interface SsoSamlChallenge {
  __type__: 'SsoSamlChallenge'
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** Connection that the user signs in with. */
  idp_id: string
  /**
   * Redirect the browser of the user to this URL; valid once, for ten minutes.
   * Secret: do not log it.
   */
  authorization_url: string
  /** UUID in lower case. */
  request_id: string
  /** RFC 3339 in UTC with milliseconds. */
  expired_at: string
}

/** Answered by `ssoConnections.createOauthChallenge`. */
export interface SsoOauthChallenge {
  __type__: 'SsoOauthChallenge'
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** Connection that the user signs in with. */
  idp_id: string
  /**
   * Redirect the browser of the user to this URL; valid once, for ten minutes.
   * Secret: do not log it.
   */
  authorization_url: string
  /** UUID in lower case. */
  request_id: string
  /** RFC 3339 in UTC with milliseconds. */
  expired_at: string
}

/** Answered by `admins.invite`, `admins.list`. */
export interface Admin {
  __type__: 'Admin'
  __domain__: string
  /** UUID in lower case. */
  id: string
  /** Personal data. */
  email: string
  /** # and six hexadecimal digits, drawn at creation. */
  color: string
  organization: Organization
  /** RFC 3339 in UTC with milliseconds. */
  invited_at: string
  /** RFC 3339 in UTC with milliseconds. */
  accepted_invitation_at: string | null
  /** RFC 3339 in UTC with milliseconds. */
  declined_to_be_in_charge_at: string | null
  /** RFC 3339 in UTC with milliseconds. */
  last_login_at: string | null
  /** RFC 3339 in UTC with milliseconds. */
  inserted_at: string
  /** RFC 3339 in UTC with milliseconds. */
  updated_at: string
}

/** Answered by `admins.list`. */
export interface AdminList {
  __type__: 'List'
  data: Admin[]
  pagination: Pagination
  total: number
  /** Value of after for the next page; null at the end. */
  next_cursor: string | null
}

/** Answered by `admins.delete`. */
export interface AdminDeletion {
  deleted: true
  resource: Admin
  type: '__Deleted__'
}

/** Answered by `directorySync.create`, `directorySync.get`, `directorySync.update`, `directorySync.reset`. */
export interface DirectorySync {
  __type__: 'DirectorySync'
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** UUID in lower case. */
  id: string
  provider_type: 'okta' | 'entra_id' | 'onelogin' | 'jumpcloud' | 'ping_one' | 'custom_scim'
  /** An inactive directory answers 403 to every request of its provider. */
  active: boolean
  /** An existing user with the same verified e-mail address is taken over by the directory instead of being refused as taken. */
  takes_over_users: boolean
  /** Schemas of the provider that the directory takes beside the core and enterprise ones. */
  extension_schemas: ExtensionSchema[]
  /** Values that the directory writes into metadata and profile of its users. Metadata that it maps cannot be changed by the API. */
  attribute_mapping: AttributeMapping[]
  /** Roles of the users whom the directory keeps, by its groups and attributes. */
  role_mapping: RoleMapping
  /** Users to whom the latest change of extension_schemas, attribute_mapping or the attributes of role_mapping was applied, which begins after a minute; null before any change. */
  mapping_progress: {
    done: number
    total: number
  } | null
  /** Base URL to enter at the provider, also called tenant URL there. */
  scim_base_url: string
  /** Token with which the provider authenticates. */
  auth_secret_token: {
    /** The last four characters. */
    hint: string
    /**
     * Bearer token for the provider: only in the answers to creation and reset, otherwise null.
     * Secret: do not log it.
     */
    value: string | null
  }
  /** Until then the token before the last reset is accepted, too. */
  previous_secret_expires_at: string | null
  /** RFC 3339 in UTC with milliseconds. */
  inserted_at: string
  /** RFC 3339 in UTC with milliseconds. */
  updated_at: string
}

/** Part of `DirectorySync`, `DirectorySyncData`. */
export interface ExtensionSchema {
  /** URN of the schema. */
  id: string
  attributes: Array<{
    name: string
    type: 'string' | 'boolean' | 'integer' | 'decimal' | 'dateTime'
    multiValued: boolean
  }>
}

/** Answered by `directorySync.delete`. */
export interface DirectorySyncDeletion {
  deleted: true
  resource: DirectorySync
  type: '__Deleted__'
}

/** Answered by `directorySync.listRequests`. */
export interface ScimRequestList {
  __type__: 'List'
  data: ScimRequest[]
  pagination: Pagination
  total: number
  /** Value of after for the next page; null at the end. */
  next_cursor: string | null
}

/** Answered by `directorySync.listRequests`. */
export interface ScimRequest {
  __type__: 'ScimRequest'
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** UUID in lower case. */
  id: string
  /** UUID in lower case. */
  directory_sync_id: string
  method: string
  /** Relative to the base URL, for example /Users. */
  path: string
  /**
   * Query string, empty without one. Parameters that lists do not have appear without their values.
   * Personal data.
   */
  query: string
  /**
   * Body as received, truncated to 8,000 characters, without passwords and without values of attributes that no schema defines.
   * Personal data.
   */
  request: string | null
  status: number
  /**
   * Body of the answer, truncated to 8,000 characters; for a list only the ids.
   * Personal data.
   */
  answer: string | null
  /** scimType of an error (RFC 7644 section 3.12). */
  scim_type: string | null
  /** Changed users and groups, with the names of the changed members. */
  changes: Array<{
    type: 'User' | 'Group'
    /** UUID in lower case. */
    id: string
    members: string[]
  }>
  /** Deviations from RFC 7644 that were tolerated. */
  quirks: Array<
    | 'boolean_as_text'
    | 'number_as_text'
    | 'text_as_number'
    | 'value_in_array'
    | 'complex_as_text'
    | 'operation_case'
    | 'unquoted_text'
    | 'attribute_case'
    | 'filter_made_element'
    | 'dotted_member'
    | 'remove_with_value'
    | 'unknown_attribute'
    | 'read_only_ignored'
    | 'schemas_missing'
    | 'patch_wrapped'
    | 'value_not_mapped'
  >
  /** Id of the affected user. */
  user_id: string | null
  duration_ms: number
  request_id: string
  /** RFC 3339 in UTC with milliseconds. */
  inserted_at: string
}

/** Answered by `relays.create`, `relays.list`, `relays.get`, `relays.update`. */
export interface Relay {
  __type__: 'Relay'
  /** Domain of the account. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** Domain of the account. */
  __managed_by__: string
  /** UUID in lower case. */
  id: string
  /** Domain of the organization that users are handed over to. */
  partner_domain: string
  /** Redirect URI to which users are sent with an authorization code. */
  partner_redirect_uri: string
  active: boolean
  /** RFC 3339 in UTC with milliseconds. */
  inserted_at: string
  /** RFC 3339 in UTC with milliseconds. */
  updated_at: string
}

/** Answered by `relays.list`. */
export interface RelayList {
  __type__: 'List'
  data: Relay[]
  pagination: Pagination
  total: number
  /** Value of after for the next page; null at the end. */
  next_cursor: string | null
}

/** Answered by `relays.delete`. */
export interface RelayDeletion {
  deleted: true
  resource: Relay
  type: '__Deleted__'
}

/** Answered by `relays.request`. */
export interface RelayRequest {
  __type__: 'RelayRequest'
  /** Domain of the organization of the user. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** UUID in lower case. */
  id: string
  /** UUID in lower case. */
  relay_id: string
  /** Id of the user in their own organization. */
  user_id: string
  /**
   * Redirect the browser of the user to this URL immediately; valid once, for 60 seconds.
   * Secret: do not log it.
   */
  relay_uri: string
  /** RFC 3339 in UTC with milliseconds. */
  expires_at: string
}

/** Answered by `events.list`. */
export interface EventPage {
  __type__: 'List'
  /** Oldest first. */
  data: Event[]
  /** Value of after for the next request, also if there are no events yet; no event is skipped. */
  cursor: string
  /** true: more events are already available. */
  has_more: boolean
}

/** Part of `EventPage`, `OrganizationOrganizationCreateSuccessEvent`, `OrganizationOrganizationUpdateSuccessEvent`, `OrganizationOrganizationDeleteSuccessEvent`, `OrganizationPolicyUpdateSuccessEvent`, `DomainDomainCreateSuccessEvent`, `DomainDomainUpdateSuccessEvent`, `DomainDomainDeleteSuccessEvent` and 118 more. */
export type Event =
  | OrganizationOrganizationCreateSuccessEvent
  | OrganizationOrganizationUpdateSuccessEvent
  | OrganizationOrganizationDeleteSuccessEvent
  | OrganizationPolicyUpdateSuccessEvent
  | DomainDomainCreateSuccessEvent
  | DomainDomainUpdateSuccessEvent
  | DomainDomainDeleteSuccessEvent
  | DomainDomainVerifySuccessEvent
  | DomainDomainLapseSuccessEvent
  | DomainDomainExpireSuccessEvent
  | DomainDomainShareSuccessEvent
  | AccountAccountUpdateSuccessEvent
  | UserUserCreateSuccessEvent
  | UserUserUpdateSuccessEvent
  | UserUserDeleteSuccessEvent
  | UserUserEraseSuccessEvent
  | UserMetadataSetSuccessEvent
  | UserMetadataRemoveSuccessEvent
  | UserRolesUpdateSuccessEvent
  | InvitationInvitationCreateSuccessEvent
  | InvitationInvitationUpdateSuccessEvent
  | InvitationInvitationResendSuccessEvent
  | InvitationInvitationRevokeSuccessEvent
  | InvitationInvitationAcceptSuccessEvent
  | InvitationInvitationAcceptFailEvent
  | InvitationInvitationExpireSuccessEvent
  | InvitationJoinRequestCreateSuccessEvent
  | InvitationJoinRequestApproveSuccessEvent
  | InvitationJoinRequestDenySuccessEvent
  | InvitationJoinRequestExpireSuccessEvent
  | UserDeletionRequestSuccessEvent
  | UserEmailChangeRequestSuccessEvent
  | UserEmailChangeRevertSuccessEvent
  | UserIdentityLinkSuccessEvent
  | UserIdentityUnlinkSuccessEvent
  | UserSessionCreateSuccessEvent
  | UserSessionEndSuccessEvent
  | UserSessionEndAllSuccessEvent
  | UserImpersonationCreateSuccessEvent
  | UserImpersonationStartSuccessEvent
  | UserImpersonationEndSuccessEvent
  | RoleRoleCreateSuccessEvent
  | RoleRoleUpdateSuccessEvent
  | RoleRoleDeleteSuccessEvent
  | RolePermissionCreateSuccessEvent
  | RolePermissionUpdateSuccessEvent
  | RolePermissionDeleteSuccessEvent
  | SocialProviderCreateSuccessEvent
  | SocialProviderUpdateSuccessEvent
  | SocialProviderDeleteSuccessEvent
  | SocialProviderExpireSuccessEvent
  | SocialConnectionUpdateSuccessEvent
  | ApplicationApplicationCreateSuccessEvent
  | ApplicationApplicationUpdateSuccessEvent
  | ApplicationApplicationDeleteSuccessEvent
  | ApplicationSecretCreateSuccessEvent
  | ApplicationSecretDeleteSuccessEvent
  | MetakeyMetakeyCreateSuccessEvent
  | MetakeyMetakeyDeleteSuccessEvent
  | MagicLinkConnectionUpdateSuccessEvent
  | MagicLinkChallengeCreateSuccessEvent
  | MagicLinkChallengeConsumeSuccessEvent
  | PasswordConnectionCreateSuccessEvent
  | PasswordConnectionUpdateSuccessEvent
  | PasswordRequestCreateSuccessEvent
  | PasswordChallengeCreateSuccessEvent
  | PasswordPasswordSetSuccessEvent
  | TotpConnectionUpdateSuccessEvent
  | TotpEnrollmentCreateSuccessEvent
  | TotpEnrollmentValidateSuccessEvent
  | TotpEnrollmentDeleteSuccessEvent
  | TotpChallengeCreateSuccessEvent
  | TotpChallengeValidateSuccessEvent
  | PasskeyConnectionUpdateSuccessEvent
  | PasskeyPasskeyCreateSuccessEvent
  | PasskeyPasskeyUpdateSuccessEvent
  | PasskeyPasskeyDeleteSuccessEvent
  | PasskeyPasskeyDisableSuccessEvent
  | PasskeyRecoveryOpenSuccessEvent
  | PasskeyChallengeValidateSuccessEvent
  | SsoConnectionCreateSuccessEvent
  | SsoConnectionUpdateSuccessEvent
  | SsoDefaultRedirectionCreateSuccessEvent
  | SsoOnboardingCreateSuccessEvent
  | SsoOnboardingUpdateSuccessEvent
  | SsoOnboardingInviteSuccessEvent
  | SsoOnboardingResetSuccessEvent
  | SsoChallengeCreateSuccessEvent
  | SsoOauthChallengeCreateSuccessEvent
  | SsoCertificateExpireSuccessEvent
  | AdminAdminInviteSuccessEvent
  | AdminAdminUpdateSuccessEvent
  | AdminAdminDeleteSuccessEvent
  | DirSyncDirectoryCreateSuccessEvent
  | DirSyncDirectoryUpdateSuccessEvent
  | DirSyncDirectoryDeleteSuccessEvent
  | DirSyncDirectoryResetSuccessEvent
  | DirSyncUserProvisionSuccessEvent
  | DirSyncUserProvisionFailEvent
  | DirSyncUserUpdateSuccessEvent
  | DirSyncUserUpdateFailEvent
  | DirSyncUserDeprovisionSuccessEvent
  | DirSyncUserDeprovisionFailEvent
  | DirSyncGroupProvisionSuccessEvent
  | DirSyncGroupProvisionFailEvent
  | DirSyncGroupUpdateSuccessEvent
  | DirSyncGroupUpdateFailEvent
  | DirSyncGroupDeprovisionSuccessEvent
  | DirSyncGroupDeprovisionFailEvent
  | RelayRelayCreateSuccessEvent
  | RelayRelayUpdateSuccessEvent
  | RelayRelayDeleteSuccessEvent
  | RelayRequestCreateSuccessEvent
  | RelayRequestConsumeSuccessEvent
  | ApiKeyApiKeyCreateSuccessEvent
  | ApiKeyApiKeyRotateSuccessEvent
  | ApiKeyApiKeyRevokeSuccessEvent
  | WebhookWebhookCreateSuccessEvent
  | WebhookWebhookUpdateSuccessEvent
  | WebhookWebhookDeleteSuccessEvent
  | WebhookWebhookRotateSuccessEvent
  | WebhookWebhookTestSuccessEvent
  | WebhookWebhookDisableSuccessEvent
  | WebhookDeliveryRedeliverSuccessEvent

/** Part of `Event`. */
export interface OrganizationOrganizationCreateSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'organization.organization.create.success'
  data: Organization | TruncatedData
}

/** Part of `OrganizationOrganizationCreateSuccessEvent`, `OrganizationOrganizationUpdateSuccessEvent`, `OrganizationOrganizationDeleteSuccessEvent`, `OrganizationPolicyUpdateSuccessEvent`, `DomainDomainCreateSuccessEvent`, `DomainDomainUpdateSuccessEvent`, `DomainDomainDeleteSuccessEvent`, `DomainDomainVerifySuccessEvent` and 116 more. */
export interface Actor {
  /** staff: a member of the staff of the account, in the console; user: on a page; admin: in the onboarding; directory: its provider, by SCIM; operator: at the command line; system: the service itself. */
  type: 'api_key' | 'staff' | 'user' | 'admin' | 'directory' | 'operator' | 'system'
  /** The client_id of an API key, or the id of a user, administrator or directory; of staff, the id of the staff user, and never an address. */
  id: string
}

/** Part of `OrganizationOrganizationCreateSuccessEvent`, `OrganizationOrganizationUpdateSuccessEvent`, `OrganizationOrganizationDeleteSuccessEvent`, `OrganizationPolicyUpdateSuccessEvent`, `DomainDomainCreateSuccessEvent`, `DomainDomainUpdateSuccessEvent`, `DomainDomainDeleteSuccessEvent`, `DomainDomainVerifySuccessEvent` and 116 more. */
export interface TruncatedData {
  id?: string
  truncated: true
}

/** Part of `Event`. */
export interface OrganizationOrganizationUpdateSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'organization.organization.update.success'
  data: Organization | TruncatedData
}

/** Part of `Event`. */
export interface OrganizationOrganizationDeleteSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'organization.organization.delete.success'
  data: Organization | TruncatedData
}

/** Part of `Event`. */
export interface OrganizationPolicyUpdateSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'organization.policy.update.success'
  data: OrganizationPolicy | TruncatedData
}

/** Part of `Event`. */
export interface DomainDomainCreateSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'domain.domain.create.success'
  data: DomainData | TruncatedData
}

/** Part of `DomainDomainCreateSuccessEvent`, `DomainDomainUpdateSuccessEvent`, `DomainDomainDeleteSuccessEvent`, `DomainDomainVerifySuccessEvent`, `DomainDomainLapseSuccessEvent`, `DomainDomainExpireSuccessEvent`, `DomainDomainShareSuccessEvent`. */
export interface DomainData {
  __type__: 'Domain'
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** UUID in lower case. */
  id: string
  /** In lower case; international ones as xn--…. */
  domain: string
  /** verified, lapsing and declared count: connections, directories and relays are authoritative for addresses of the domain. */
  state: 'pending' | 'verified' | 'lapsing' | 'lapsed' | 'expired' | 'declared'
  /** The account answers for the domain, without a proof. */
  declared: boolean
  /** Addresses of all subdomains belong to the domain. */
  include_subdomains: boolean
  /** Users with addresses of the domain sign in only with the SSO connection that is authoritative for them. */
  sso_required: boolean
  /** DNS record that proves the domain. */
  record: DomainRecord
  /** Time of the latest proof after which it has counted. */
  verified_at: string | null
  /** RFC 3339 in UTC with milliseconds. */
  checked_at: string | null
  /** Result of the latest look-up; no_answer proves nothing and lapses nothing. */
  last_result: 'matched' | 'not_matched' | 'no_record' | 'no_answer' | null
  /** pending: end of the token; lapsing: time from which the domain does not count. */
  expires_at: string | null
  /** RFC 3339 in UTC with milliseconds. */
  inserted_at: string
  /** RFC 3339 in UTC with milliseconds. */
  updated_at: string
}

/** Part of `Event`. */
export interface DomainDomainUpdateSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'domain.domain.update.success'
  data: DomainData | TruncatedData
}

/** Part of `Event`. */
export interface DomainDomainDeleteSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'domain.domain.delete.success'
  data: DomainData | TruncatedData
}

/** Part of `Event`. */
export interface DomainDomainVerifySuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'domain.domain.verify.success'
  data: DomainData | TruncatedData
}

/** Part of `Event`. */
export interface DomainDomainLapseSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'domain.domain.lapse.success'
  data: DomainData | TruncatedData
}

/** Part of `Event`. */
export interface DomainDomainExpireSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'domain.domain.expire.success'
  data: DomainData | TruncatedData
}

/** Part of `Event`. */
export interface DomainDomainShareSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'domain.domain.share.success'
  data: DomainData | TruncatedData
}

/** Part of `Event`. */
export interface AccountAccountUpdateSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'account.account.update.success'
  data: Account | TruncatedData
}

/** Answered by `account.get`, `account.update`. */
export interface Account {
  __type__: 'Account'
  /** The same as domain. */
  __domain__: string
  /** UUID in lower case. */
  id: string
  /** Derived from the name at creation; immutable. */
  domain: string
  /** What pages and mails call the product; null: as the operator calls the service. */
  product_name: string | null
  /** Hexadecimal color of the product. */
  color: string | null
  icon_logo_url: string | null
  inline_logo_url: string | null
  /** Where users get help. */
  support_url: string | null
  privacy_policy_url: string | null
  terms_of_service_url: string | null
  locale: string | null
  /** RFC 3339 in UTC with milliseconds. */
  inserted_at: string
  /** RFC 3339 in UTC with milliseconds. */
  updated_at: string
}

/** Part of `Event`. */
export interface UserUserCreateSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'user.user.create.success'
  data: User | TruncatedData
}

/** Part of `Event`. */
export interface UserUserUpdateSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'user.user.update.success'
  data: User | TruncatedData
}

/** Part of `Event`. */
export interface UserUserDeleteSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'user.user.delete.success'
  data: User | TruncatedData
}

/** Part of `Event`. */
export interface UserUserEraseSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'user.user.erase.success'
  data: ErasedUser | TruncatedData
}

/** Part of `UserUserEraseSuccessEvent`. */
export interface ErasedUser {
  __type__: 'User'
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** UUID in lower case. */
  id: string
  deleted: true
  erased: true
}

/** Part of `Event`. */
export interface UserMetadataSetSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'user.metadata.set.success'
  data: User | TruncatedData
}

/** Part of `Event`. */
export interface UserMetadataRemoveSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'user.metadata.remove.success'
  data: User | TruncatedData
}

/** Part of `Event`. */
export interface UserRolesUpdateSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'user.roles.update.success'
  data: UserRoles | TruncatedData
}

/** Part of `Event`. */
export interface InvitationInvitationCreateSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'invitation.invitation.create.success'
  data: InvitationData | TruncatedData
}

/** Part of `InvitationInvitationCreateSuccessEvent`, `InvitationInvitationUpdateSuccessEvent`, `InvitationInvitationResendSuccessEvent`, `InvitationInvitationRevokeSuccessEvent`, `InvitationInvitationAcceptSuccessEvent`, `InvitationInvitationAcceptFailEvent`, `InvitationInvitationExpireSuccessEvent`. */
export interface InvitationData {
  __type__: 'Invitation'
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** UUID in lower case. */
  id: string
  /** Personal data. */
  email: string
  state: 'pending' | 'accepted' | 'revoked' | 'expired'
  /** Names of the roles that the user is given, in alphabetical order; deleted ones are gone. */
  roles: string[]
  /** null: the oldest application that the organization can use. */
  application_id: string | null
  redirect_uri: string | null
  /** Language of the mail; null: that of the organization. */
  locale: string | null
  /**
   * Names of the new user.
   * Personal data.
   */
  profile: InvitationProfile
  /**
   * Metadata of the new user.
   * Personal data.
   */
  metadata: InvitationMetadata[]
  /** Personal data. */
  message: string | null
  invited_by: Inviter
  /** The end of a pending invitation. */
  expires_at: string
  /** null where no mail was asked for. */
  last_sent_at: string | null
  /** How often a mail was asked for. */
  sends: number
  /** RFC 3339 in UTC with milliseconds. */
  accepted_at: string | null
  /** The user who has accepted it. */
  user_id: string | null
  /** RFC 3339 in UTC with milliseconds. */
  inserted_at: string
  /** RFC 3339 in UTC with milliseconds. */
  updated_at: string
}

/** Part of `Event`. */
export interface InvitationInvitationUpdateSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'invitation.invitation.update.success'
  data: InvitationData | TruncatedData
}

/** Part of `Event`. */
export interface InvitationInvitationResendSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'invitation.invitation.resend.success'
  data: InvitationData | TruncatedData
}

/** Part of `Event`. */
export interface InvitationInvitationRevokeSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'invitation.invitation.revoke.success'
  data: InvitationData | TruncatedData
}

/** Part of `Event`. */
export interface InvitationInvitationAcceptSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'invitation.invitation.accept.success'
  data: InvitationData | TruncatedData
}

/** Part of `Event`. */
export interface InvitationInvitationAcceptFailEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'invitation.invitation.accept.fail'
  data: InvitationData | TruncatedData
}

/** Part of `Event`. */
export interface InvitationInvitationExpireSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'invitation.invitation.expire.success'
  data: InvitationData | TruncatedData
}

/** Part of `Event`. */
export interface InvitationJoinRequestCreateSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'invitation.join_request.create.success'
  data: JoinRequest | TruncatedData
}

/** Part of `Event`. */
export interface InvitationJoinRequestApproveSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'invitation.join_request.approve.success'
  data: JoinRequest | TruncatedData
}

/** Part of `Event`. */
export interface InvitationJoinRequestDenySuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'invitation.join_request.deny.success'
  data: JoinRequest | TruncatedData
}

/** Part of `Event`. */
export interface InvitationJoinRequestExpireSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'invitation.join_request.expire.success'
  data: JoinRequest | TruncatedData
}

/** Part of `Event`. */
export interface UserDeletionRequestSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'user.deletion.request.success'
  data: DeletionRequest | TruncatedData
}

/** Part of `UserDeletionRequestSuccessEvent`. */
export interface DeletionRequest {
  __type__: 'DeletionRequest'
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** UUID in lower case. */
  user_id: string
  /** Until then the user asks no second time. */
  expires_at: string
  /** RFC 3339 in UTC with milliseconds. */
  inserted_at: string
}

/** Part of `Event`. */
export interface UserEmailChangeRequestSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'user.email_change.request.success'
  data: EmailChange | TruncatedData
}

/** Part of `UserEmailChangeRequestSuccessEvent`, `UserEmailChangeRevertSuccessEvent`. */
export interface EmailChange {
  __type__: 'EmailChange'
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** UUID in lower case. */
  id: string
  /** UUID in lower case. */
  user_id: string
  /** When both mailboxes were proved, and the address changed. */
  confirmed_at: string | null
  /** When the owner of the address of before has put it back; for 72 hours it is not changed again. */
  reverted_at: string | null
  /** RFC 3339 in UTC with milliseconds. */
  inserted_at: string
}

/** Part of `Event`. */
export interface UserEmailChangeRevertSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'user.email_change.revert.success'
  data: EmailChange | TruncatedData
}

/** Part of `Event`. */
export interface UserIdentityLinkSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'user.identity.link.success'
  data: UserIdentity | TruncatedData
}

/** Part of `Event`. */
export interface UserIdentityUnlinkSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'user.identity.unlink.success'
  data: UserIdentity | TruncatedData
}

/** Part of `Event`. */
export interface UserSessionCreateSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'user.session.create.success'
  data: Session | TruncatedData
}

/** Part of `Event`. */
export interface UserSessionEndSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'user.session.end.success'
  data: Session | TruncatedData
}

/** Part of `Event`. */
export interface UserSessionEndAllSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'user.session.end_all.success'
  data: EndedSessions | TruncatedData
}

/** Part of `Event`. */
export interface UserImpersonationCreateSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'user.impersonation.create.success'
  data: ImpersonationData | TruncatedData
}

/** Part of `UserImpersonationCreateSuccessEvent`, `UserImpersonationStartSuccessEvent`, `UserImpersonationEndSuccessEvent`. */
export interface ImpersonationData {
  __type__: 'Impersonation'
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** UUID in lower case. */
  id: string
  /** UUID in lower case. */
  user_id: string
  /** The only application that it signs in to. */
  application_id: string
  actor: {
    /**
     * As the caller names them; `sub` of the claim `act`.
     * Personal data.
     */
    id: string
    /** Personal data. */
    email: string | null
  }
  /** Personal data. */
  reason: string
  /** From its start to its end. */
  duration_in_seconds: number
  /** Whether the user is told of it by mail when it starts. */
  notify_user: boolean
  /** Its end; before it has started, until when that is possible. */
  expires_at: string
  /** RFC 3339 in UTC with milliseconds. */
  started_at: string | null
  /** Null as well where it expired before it had started. */
  ended_at: string | null
  /** RFC 3339 in UTC with milliseconds. */
  inserted_at: string
}

/** Part of `Event`. */
export interface UserImpersonationStartSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'user.impersonation.start.success'
  data: ImpersonationData | TruncatedData
}

/** Part of `Event`. */
export interface UserImpersonationEndSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'user.impersonation.end.success'
  data: ImpersonationData | TruncatedData
}

/** Part of `Event`. */
export interface RoleRoleCreateSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'role.role.create.success'
  data: Role | TruncatedData
}

/** Part of `Event`. */
export interface RoleRoleUpdateSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'role.role.update.success'
  data: Role | TruncatedData
}

/** Part of `Event`. */
export interface RoleRoleDeleteSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'role.role.delete.success'
  data: Role | TruncatedData
}

/** Part of `Event`. */
export interface RolePermissionCreateSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'role.permission.create.success'
  data: Permission | TruncatedData
}

/** Part of `Event`. */
export interface RolePermissionUpdateSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'role.permission.update.success'
  data: Permission | TruncatedData
}

/** Part of `Event`. */
export interface RolePermissionDeleteSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'role.permission.delete.success'
  data: Permission | TruncatedData
}

/** Part of `Event`. */
export interface SocialProviderCreateSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'social.provider.create.success'
  data: SocialProvider | TruncatedData
}

/** Part of `Event`. */
export interface SocialProviderUpdateSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'social.provider.update.success'
  data: SocialProvider | TruncatedData
}

/** Part of `Event`. */
export interface SocialProviderDeleteSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'social.provider.delete.success'
  data: SocialProvider | TruncatedData
}

/** Part of `Event`. */
export interface SocialProviderExpireSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'social.provider.expire.success'
  data: SocialProvider | TruncatedData
}

/** Part of `Event`. */
export interface SocialConnectionUpdateSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'social.connection.update.success'
  data: SocialConnection | TruncatedData
}

/** Part of `Event`. */
export interface ApplicationApplicationCreateSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'application.application.create.success'
  data: Application | TruncatedData
}

/** Part of `Event`. */
export interface ApplicationApplicationUpdateSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'application.application.update.success'
  data: Application | TruncatedData
}

/** Part of `Event`. */
export interface ApplicationApplicationDeleteSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'application.application.delete.success'
  data: Application | TruncatedData
}

/** Part of `Event`. */
export interface ApplicationSecretCreateSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'application.secret.create.success'
  data: ApplicationSecretData | TruncatedData
}

/** Part of `ApplicationSecretCreateSuccessEvent`, `ApplicationSecretDeleteSuccessEvent`. */
export interface ApplicationSecretData {
  __type__: 'ApplicationSecret'
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** UUID in lower case. */
  id: string
  /** UUID in lower case. */
  application_id: string
  /** The last four characters. */
  hint: string
  /** From then on it is refused; null: never. */
  expires_at: string | null
  /** Written within ten seconds of a use. */
  last_used_at: string | null
  /** RFC 3339 in UTC with milliseconds. */
  inserted_at: string
}

/** Part of `Event`. */
export interface ApplicationSecretDeleteSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'application.secret.delete.success'
  data: ApplicationSecretData | TruncatedData
}

/** Part of `Event`. */
export interface MetakeyMetakeyCreateSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'metakey.metakey.create.success'
  data: MetaKey | TruncatedData
}

/** Part of `Event`. */
export interface MetakeyMetakeyDeleteSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'metakey.metakey.delete.success'
  data: MetaKey | TruncatedData
}

/** Part of `Event`. */
export interface MagicLinkConnectionUpdateSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'magic_link.connection.update.success'
  data: MagicLinkConnection | TruncatedData
}

/** Part of `Event`. */
export interface MagicLinkChallengeCreateSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'magic_link.challenge.create.success'
  data: MagicLinkChallengeData | TruncatedData
}

/** Part of `MagicLinkChallengeCreateSuccessEvent`, `MagicLinkChallengeConsumeSuccessEvent`. */
export interface MagicLinkChallengeData {
  __type__: 'MagicLinkChallenge'
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** Personal data. */
  email_address: string
  find_or_create_user: boolean
  /** UUID in lower case. */
  request_id: string
  /** Expiry of the link. */
  expired_at: string
}

/** Part of `Event`. */
export interface MagicLinkChallengeConsumeSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'magic_link.challenge.consume.success'
  data: MagicLinkChallengeData | TruncatedData
}

/** Part of `Event`. */
export interface PasswordConnectionCreateSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'password.connection.create.success'
  data: PasswordConnection | TruncatedData
}

/** Part of `Event`. */
export interface PasswordConnectionUpdateSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'password.connection.update.success'
  data: PasswordConnection | TruncatedData
}

/** Part of `Event`. */
export interface PasswordRequestCreateSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'password.request.create.success'
  data: PasswordRequest | TruncatedData
}

/** Part of `Event`. */
export interface PasswordChallengeCreateSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'password.challenge.create.success'
  data: PasswordChallengeData | TruncatedData
}

/** Part of `PasswordChallengeCreateSuccessEvent`. */
export interface PasswordChallengeData {
  __type__: 'PasswordChallenge'
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** UUID in lower case. */
  request_id: string
  /** UUID in lower case. */
  user_id: string
  password_id: number
  /** RFC 3339 in UTC with milliseconds. */
  expired_at: string
  'valid?': boolean
  /** totp_required: a code of the second factor is still required; passkey_required: the passkey of the user, of a sign-in by the API. */
  error: 'totp_required' | 'passkey_required' | null
}

/** Part of `Event`. */
export interface PasswordPasswordSetSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'password.password.set.success'
  data: PasswordData | TruncatedData
}

/** Part of `PasswordPasswordSetSuccessEvent`. */
export interface PasswordData {
  __type__: 'Password'
  __domain__: string
  __environment__: 'sandbox' | 'production'
  id: number
  /** UUID in lower case. */
  user_id: string
}

/** Part of `Event`. */
export interface TotpConnectionUpdateSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'totp.connection.update.success'
  data: TotpConnection | TruncatedData
}

/** Part of `Event`. */
export interface TotpEnrollmentCreateSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'totp.enrollment.create.success'
  data: TotpEnrollmentData | TruncatedData
}

/** Part of `TotpEnrollmentCreateSuccessEvent`, `TotpEnrollmentValidateSuccessEvent`, `TotpEnrollmentDeleteSuccessEvent`. */
export interface TotpEnrollmentData {
  __type__: 'TotpEnrollment'
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** UUID in lower case. */
  user_id: string
  /** Personal data. */
  email: string
  method: 'totp_mobile_app' | 'sms'
  /** Start of this enrolment. */
  enrolled_totp_at: string
  /** Time of its validation, from which on the user must enter codes; null before. */
  validated_enrollment_at: string | null
  /** Number of validated enrolments of the user so far, since the last removal if there was one. */
  enrollment_totp_nb: number
  /** Time at which the user confirmed having stored the recovery codes. */
  last_recovery_acknowledgement_at: string | null
  /** Last use of a recovery code. */
  last_recovery_code_at: string | null
}

/** Part of `Event`. */
export interface TotpEnrollmentValidateSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'totp.enrollment.validate.success'
  data: TotpEnrollmentData | TruncatedData
}

/** Part of `Event`. */
export interface TotpEnrollmentDeleteSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'totp.enrollment.delete.success'
  data: TotpEnrollmentData | TruncatedData
}

/** Part of `Event`. */
export interface TotpChallengeCreateSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'totp.challenge.create.success'
  data: TotpChallengeData | TruncatedData
}

/** Part of `TotpChallengeCreateSuccessEvent`, `TotpChallengeValidateSuccessEvent`. */
export interface TotpChallengeData {
  __type__: 'TotpChallenge'
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** Different at creation and at validation. */
  request_id: string
  /** UUID in lower case. */
  user_id: string
  /** RFC 3339 in UTC with milliseconds. */
  sent_at: string
  /** Time of its validation. */
  challenged_at: string | null
  /** End of the time in which it can be validated. */
  expired_at: string
  success: boolean
  recovery_code_used: boolean
}

/** Part of `Event`. */
export interface TotpChallengeValidateSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'totp.challenge.validate.success'
  data: TotpChallengeData | TruncatedData
}

/** Part of `Event`. */
export interface PasskeyConnectionUpdateSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'passkey.connection.update.success'
  data: PasskeyConnection | TruncatedData
}

/** Part of `Event`. */
export interface PasskeyPasskeyCreateSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'passkey.passkey.create.success'
  data: Passkey | TruncatedData
}

/** Part of `Event`. */
export interface PasskeyPasskeyUpdateSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'passkey.passkey.update.success'
  data: Passkey | TruncatedData
}

/** Part of `Event`. */
export interface PasskeyPasskeyDeleteSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'passkey.passkey.delete.success'
  data: Passkey | TruncatedData
}

/** Part of `Event`. */
export interface PasskeyPasskeyDisableSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'passkey.passkey.disable.success'
  data: Passkey | TruncatedData
}

/** Part of `Event`. */
export interface PasskeyRecoveryOpenSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'passkey.recovery.open.success'
  data: PasskeyRecovery | TruncatedData
}

/** Part of `Event`. */
export interface PasskeyChallengeValidateSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'passkey.challenge.validate.success'
  data: PasskeyChallengeData | TruncatedData
}

/** Part of `PasskeyChallengeValidateSuccessEvent`. */
export interface PasskeyChallengeData {
  __type__: 'PasskeyChallenge'
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** UUID in lower case. */
  user_id: string
  /** UUID in lower case. */
  passkey_id: string
  /** Whether the authenticator has asked for a fingerprint, a face or a PIN. */
  user_verified: boolean
  /** RFC 3339 in UTC with milliseconds. */
  challenged_at: string
}

/** Part of `Event`. */
export interface SsoConnectionCreateSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'sso.connection.create.success'
  data: SsoConnection | TruncatedData
}

/** Part of `Event`. */
export interface SsoConnectionUpdateSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'sso.connection.update.success'
  data: SsoConnection | TruncatedData
}

/** Part of `Event`. */
export interface SsoDefaultRedirectionCreateSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'sso.default_redirection.create.success'
  data: DefaultRedirection | TruncatedData
}

/** Part of `Event`. */
export interface SsoOnboardingCreateSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'sso.onboarding.create.success'
  data: SsoAdminOnboarding | TruncatedData
}

/** Part of `Event`. */
export interface SsoOnboardingUpdateSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'sso.onboarding.update.success'
  data: SsoAdminOnboarding | TruncatedData
}

/** Part of `Event`. */
export interface SsoOnboardingInviteSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'sso.onboarding.invite.success'
  data: SsoAdminOnboarding | TruncatedData
}

/** Part of `Event`. */
export interface SsoOnboardingResetSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'sso.onboarding.reset.success'
  data: SsoAdminOnboarding | TruncatedData
}

/** Part of `Event`. */
export interface SsoChallengeCreateSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'sso.challenge.create.success'
  data: SsoSamlChallengeData | TruncatedData
}

/** Part of `SsoChallengeCreateSuccessEvent`. */
export interface SsoSamlChallengeData {
  __type__: 'SsoSamlChallenge'
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** Connection that the user signs in with. */
  idp_id: string
  /** UUID in lower case. */
  request_id: string
  /** RFC 3339 in UTC with milliseconds. */
  expired_at: string
}

/** Part of `Event`. */
export interface SsoOauthChallengeCreateSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'sso.oauth_challenge.create.success'
  data: SsoOauthChallengeData | TruncatedData
}

/** Part of `SsoOauthChallengeCreateSuccessEvent`. */
export interface SsoOauthChallengeData {
  __type__: 'SsoOauthChallenge'
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** Connection that the user signs in with. */
  idp_id: string
  /** UUID in lower case. */
  request_id: string
  /** RFC 3339 in UTC with milliseconds. */
  expired_at: string
}

/** Part of `Event`. */
export interface SsoCertificateExpireSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'sso.certificate.expire.success'
  data: SsoConnection | TruncatedData
}

/** Part of `Event`. */
export interface AdminAdminInviteSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'admin.admin.invite.success'
  data: Admin | TruncatedData
}

/** Part of `Event`. */
export interface AdminAdminUpdateSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'admin.admin.update.success'
  data: Admin | TruncatedData
}

/** Part of `Event`. */
export interface AdminAdminDeleteSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'admin.admin.delete.success'
  data: RemovedAdmin | TruncatedData
}

/** Part of `AdminAdminDeleteSuccessEvent`. */
export interface RemovedAdmin {
  __type__: 'Admin'
  __domain__: string
  /** UUID in lower case. */
  id: string
  deleted: true
}

/** Part of `Event`. */
export interface DirSyncDirectoryCreateSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'dir_sync.directory.create.success'
  data: DirectorySyncData | TruncatedData
}

/** Part of `DirSyncDirectoryCreateSuccessEvent`, `DirSyncDirectoryUpdateSuccessEvent`, `DirSyncDirectoryDeleteSuccessEvent`, `DirSyncDirectoryResetSuccessEvent`. */
export interface DirectorySyncData {
  __type__: 'DirectorySync'
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** UUID in lower case. */
  id: string
  provider_type: 'okta' | 'entra_id' | 'onelogin' | 'jumpcloud' | 'ping_one' | 'custom_scim'
  /** An inactive directory answers 403 to every request of its provider. */
  active: boolean
  /** An existing user with the same verified e-mail address is taken over by the directory instead of being refused as taken. */
  takes_over_users: boolean
  /** Schemas of the provider that the directory takes beside the core and enterprise ones. */
  extension_schemas: ExtensionSchema[]
  /** Values that the directory writes into metadata and profile of its users. Metadata that it maps cannot be changed by the API. */
  attribute_mapping: AttributeMapping[]
  /** Roles of the users whom the directory keeps, by its groups and attributes. */
  role_mapping: RoleMapping
  /** Users to whom the latest change of extension_schemas, attribute_mapping or the attributes of role_mapping was applied, which begins after a minute; null before any change. */
  mapping_progress: {
    done: number
    total: number
  } | null
  /** Base URL to enter at the provider, also called tenant URL there. */
  scim_base_url: string
  auth_secret_token: {
    /** The last four characters. */
    hint: string
  }
  /** Until then the token before the last reset is accepted, too. */
  previous_secret_expires_at: string | null
  /** RFC 3339 in UTC with milliseconds. */
  inserted_at: string
  /** RFC 3339 in UTC with milliseconds. */
  updated_at: string
}

/** Part of `Event`. */
export interface DirSyncDirectoryUpdateSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'dir_sync.directory.update.success'
  data: DirectorySyncData | TruncatedData
}

/** Part of `Event`. */
export interface DirSyncDirectoryDeleteSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'dir_sync.directory.delete.success'
  data: DirectorySyncData | TruncatedData
}

/** Part of `Event`. */
export interface DirSyncDirectoryResetSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'dir_sync.directory.reset.success'
  data: DirectorySyncData | TruncatedData
}

/** Part of `Event`. */
export interface DirSyncUserProvisionSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'dir_sync.user.provision.success'
  data: DirectorySyncEvent | TruncatedData
}

/** Part of `DirSyncUserProvisionSuccessEvent`, `DirSyncUserProvisionFailEvent`, `DirSyncUserUpdateSuccessEvent`, `DirSyncUserUpdateFailEvent`, `DirSyncUserDeprovisionSuccessEvent`, `DirSyncUserDeprovisionFailEvent`, `DirSyncGroupProvisionSuccessEvent`, `DirSyncGroupProvisionFailEvent` and 4 more. */
export interface DirectorySyncEvent {
  __type__: 'DirectorySyncEvent'
  __domain__: string
  __environment__: 'sandbox' | 'production'
  change: 'provision' | 'update' | 'deprovision'
  /** UUID in lower case. */
  directory_sync_id: string
  provider: 'okta' | 'entra_id' | 'onelogin' | 'jumpcloud' | 'ping_one' | 'custom_scim'
  resource: {
    /** Id of the user or group; null if none was created. */
    id: string | null
    type: 'User' | 'Group'
    changes: {
      /**
       * Changed members with their new values.
       * Personal data.
       */
      new_values: { [name: string]: JsonValue }
      /**
       * The same members with their previous values.
       * Personal data.
       */
      previous_values: { [name: string]: JsonValue }
    }
  }
}

/** Part of `Event`. */
export interface DirSyncUserProvisionFailEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'dir_sync.user.provision.fail'
  data: DirectorySyncEvent | TruncatedData
}

/** Part of `Event`. */
export interface DirSyncUserUpdateSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'dir_sync.user.update.success'
  data: DirectorySyncEvent | TruncatedData
}

/** Part of `Event`. */
export interface DirSyncUserUpdateFailEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'dir_sync.user.update.fail'
  data: DirectorySyncEvent | TruncatedData
}

/** Part of `Event`. */
export interface DirSyncUserDeprovisionSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'dir_sync.user.deprovision.success'
  data: DirectorySyncEvent | TruncatedData
}

/** Part of `Event`. */
export interface DirSyncUserDeprovisionFailEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'dir_sync.user.deprovision.fail'
  data: DirectorySyncEvent | TruncatedData
}

/** Part of `Event`. */
export interface DirSyncGroupProvisionSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'dir_sync.group.provision.success'
  data: DirectorySyncEvent | TruncatedData
}

/** Part of `Event`. */
export interface DirSyncGroupProvisionFailEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'dir_sync.group.provision.fail'
  data: DirectorySyncEvent | TruncatedData
}

/** Part of `Event`. */
export interface DirSyncGroupUpdateSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'dir_sync.group.update.success'
  data: DirectorySyncEvent | TruncatedData
}

/** Part of `Event`. */
export interface DirSyncGroupUpdateFailEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'dir_sync.group.update.fail'
  data: DirectorySyncEvent | TruncatedData
}

/** Part of `Event`. */
export interface DirSyncGroupDeprovisionSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'dir_sync.group.deprovision.success'
  data: DirectorySyncEvent | TruncatedData
}

/** Part of `Event`. */
export interface DirSyncGroupDeprovisionFailEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'dir_sync.group.deprovision.fail'
  data: DirectorySyncEvent | TruncatedData
}

/** Part of `Event`. */
export interface RelayRelayCreateSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'relay.relay.create.success'
  data: Relay | TruncatedData
}

/** Part of `Event`. */
export interface RelayRelayUpdateSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'relay.relay.update.success'
  data: Relay | TruncatedData
}

/** Part of `Event`. */
export interface RelayRelayDeleteSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'relay.relay.delete.success'
  data: Relay | TruncatedData
}

/** Part of `Event`. */
export interface RelayRequestCreateSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'relay.request.create.success'
  data: RelayRequestData | TruncatedData
}

/** Part of `RelayRequestCreateSuccessEvent`, `RelayRequestConsumeSuccessEvent`. */
export interface RelayRequestData {
  __type__: 'RelayRequest'
  /** Domain of the organization of the user. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** UUID in lower case. */
  id: string
  /** UUID in lower case. */
  relay_id: string
  /** Id of the user in their own organization. */
  user_id: string
  /** RFC 3339 in UTC with milliseconds. */
  expires_at: string
}

/** Part of `Event`. */
export interface RelayRequestConsumeSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'relay.request.consume.success'
  data: RelayRequestData | TruncatedData
}

/** Part of `Event`. */
export interface ApiKeyApiKeyCreateSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'api_key.api_key.create.success'
  data: ApiKey | TruncatedData
}

/** Part of `ApiKeyApiKeyCreateSuccessEvent`, `ApiKeyApiKeyRotateSuccessEvent`, `ApiKeyApiKeyRevokeSuccessEvent`. */
export interface ApiKey {
  __type__: 'ApiKey'
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The client_id. */
  id: string
  name: string
  /** null: every scope but write:impersonations. */
  scopes: Array<
    | 'read:organizations'
    | 'write:organizations'
    | 'read:users'
    | 'write:users'
    | 'read:applications'
    | 'write:applications'
    | 'read:token_customization'
    | 'write:token_customization'
    | 'read:sso_connections'
    | 'write:sso_connections'
    | 'read:admins'
    | 'write:admins'
    | 'read:directories'
    | 'write:directories'
    | 'read:magic_links'
    | 'write:magic_links'
    | 'read:passwords'
    | 'write:passwords'
    | 'read:totp'
    | 'write:totp'
    | 'read:passkeys'
    | 'write:passkeys'
    | 'read:relays'
    | 'write:relays'
    | 'read:webhooks'
    | 'write:webhooks'
    | 'read:events'
    | 'write:events'
    | 'read:log_events'
    | 'write:log_events'
    | 'read:sessions'
    | 'write:sessions'
    | 'read:account'
    | 'write:account'
    | 'read:impersonations'
    | 'write:impersonations'
    | 'read:discovery'
    | 'write:discovery'
    | 'read:domains'
    | 'write:domains'
    | 'read:roles'
    | 'write:roles'
    | 'read:memberships'
    | 'write:memberships'
    | 'read:social'
    | 'write:social'
  > | null
  /** null: every organization of the account. */
  organization_ids: string[] | null
  /** RFC 3339 in UTC with milliseconds. */
  expires_at: string | null
  /** Until then the secret before the last rotation is accepted too. */
  previous_secret_expires_at: string | null
  /** RFC 3339 in UTC with milliseconds. */
  revoked_at: string | null
  /** Accurate to about ten seconds. */
  last_used_at: string | null
  /** RFC 3339 in UTC with milliseconds. */
  inserted_at: string
}

/** Part of `Event`. */
export interface ApiKeyApiKeyRotateSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'api_key.api_key.rotate.success'
  data: ApiKey | TruncatedData
}

/** Part of `Event`. */
export interface ApiKeyApiKeyRevokeSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'api_key.api_key.revoke.success'
  data: ApiKey | TruncatedData
}

/** Part of `Event`. */
export interface WebhookWebhookCreateSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'webhook.webhook.create.success'
  data: WebhookData | TruncatedData
}

/** Part of `WebhookWebhookCreateSuccessEvent`, `WebhookWebhookUpdateSuccessEvent`, `WebhookWebhookDeleteSuccessEvent`, `WebhookWebhookRotateSuccessEvent`, `WebhookWebhookTestSuccessEvent`, `WebhookWebhookDisableSuccessEvent`. */
export interface WebhookData {
  __type__: 'Webhook'
  /** Domain of the account. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** UUID in lower case. */
  id: string
  name: string
  /** URL that events are posted to. */
  target_url: string
  /** Codes, families such as user.all, or all. */
  event_codes: string[]
  /** An inactive webhook receives no events, and never receives those of that period; earlier deliveries stay pending. */
  active: boolean
  /** true: an event without an answer within 15 seconds is sent again, as after a refusal; false: it is recorded as lost. */
  retry_on_timeout: boolean
  /** Until then the key before the last rotation also signs, as v0. */
  previous_signature_key_expires_at: string | null
  /** Start of the current series of failures; null after a success. */
  failing_since: string | null
  /** RFC 3339 in UTC with milliseconds. */
  inserted_at: string
  /** RFC 3339 in UTC with milliseconds. */
  updated_at: string
}

/** Part of `Event`. */
export interface WebhookWebhookUpdateSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'webhook.webhook.update.success'
  data: WebhookData | TruncatedData
}

/** Part of `Event`. */
export interface WebhookWebhookDeleteSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'webhook.webhook.delete.success'
  data: WebhookData | TruncatedData
}

/** Part of `Event`. */
export interface WebhookWebhookRotateSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'webhook.webhook.rotate.success'
  data: WebhookData | TruncatedData
}

/** Part of `Event`. */
export interface WebhookWebhookTestSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'webhook.webhook.test.success'
  data: WebhookData | TruncatedData
}

/** Part of `Event`. */
export interface WebhookWebhookDisableSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'webhook.webhook.disable.success'
  data: WebhookData | TruncatedData
}

/** Part of `Event`. */
export interface WebhookDeliveryRedeliverSuccessEvent {
  __type__: 'Event'
  /** Domain of the organization, or of the account if no organization owns the record. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** The same in the stream and in every delivery, so that duplicates can be recognized. */
  id: string
  /** Reasons of the failure; null if the code ends in success. */
  errors: string[] | null
  /** RFC 3339 in UTC with microseconds. */
  issued_at: string
  /**
   * Parameters of the request, without secrets.
   * Personal data.
   */
  params: { [name: string]: JsonValue }
  actor: Actor
  /** X-Request-Id of the request that caused it. */
  request_id: string
  /** Value of after that continues after this event; null in deliveries to webhooks. */
  cursor: string | null
  /** Receiving webhook of a delivery; null in the stream. */
  webhook_id: string | null
  code: 'webhook.delivery.redeliver.success'
  data: WebhookRedelivery | TruncatedData
}

/** Answered by `webhooks.redeliverAll`. */
export interface WebhookRedelivery {
  __type__: 'WebhookRedelivery'
  /** Domain of the account. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** UUID in lower case. */
  webhook_id: string
  /** Number of deliveries that are sent again. */
  deliveries: number
}

/** Answered by `webhooks.create`, `webhooks.list`, `webhooks.get`, `webhooks.update`, `webhooks.rotateSignatureKey`. */
export interface Webhook {
  __type__: 'Webhook'
  /** Domain of the account. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** UUID in lower case. */
  id: string
  name: string
  /** URL that events are posted to. */
  target_url: string
  /** Codes, families such as user.all, or all. */
  event_codes: string[]
  /** An inactive webhook receives no events, and never receives those of that period; earlier deliveries stay pending. */
  active: boolean
  /** true: an event without an answer within 15 seconds is sent again, as after a refusal; false: it is recorded as lost. */
  retry_on_timeout: boolean
  /**
   * Key of the signatures; the part after whsec_ is the key of Standard Webhooks, in base64.
   * Secret: do not log it.
   */
  signature_key: string
  /** Until then the key before the last rotation also signs, as v0. */
  previous_signature_key_expires_at: string | null
  /** Start of the current series of failures; null after a success. */
  failing_since: string | null
  /** RFC 3339 in UTC with milliseconds. */
  inserted_at: string
  /** RFC 3339 in UTC with milliseconds. */
  updated_at: string
}

/** Answered by `webhooks.list`. */
export interface WebhookList {
  __type__: 'List'
  data: Webhook[]
  pagination: Pagination
  total: number
  /** Value of after for the next page; null at the end. */
  next_cursor: string | null
}

/** Answered by `webhooks.delete`. */
export interface WebhookDeletion {
  deleted: true
  resource: Webhook
  type: '__Deleted__'
}

/** Answered by `webhooks.test`, `webhooks.listDeliveries`, `webhooks.redeliver`. */
export interface WebhookDelivery {
  __type__: 'WebhookDelivery'
  /** Domain of the account. */
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** Id of the event, sent in the webhook-id header of every attempt. */
  id: string
  /** UUID in lower case. */
  webhook_id: string
  event_code: string
  /** pending: waiting for an attempt; delivered: answered 2xx; failed: refused in the last attempt; lost: not answered, and not sent again. */
  state: 'pending' | 'delivered' | 'failed' | 'lost'
  /** RFC 3339 in UTC with milliseconds. */
  next_attempt_at: string | null
  /** The latest 20, oldest first. */
  attempts: WebhookAttempt[]
  /** RFC 3339 in UTC with milliseconds. */
  inserted_at: string
}

/** Part of `WebhookDelivery`. */
export interface WebhookAttempt {
  number: number
  /** delivered: answered 2xx; refused: answered otherwise; timed_out: not answered within 15 seconds; disconnected: the connection ended before an answer; unreachable: no connection was made, or the address is not permitted as a receiver; not_sent: the service could not sign it. */
  outcome: 'delivered' | 'refused' | 'timed_out' | 'disconnected' | 'unreachable' | 'not_sent'
  /** Status of the answer. */
  status: number | null
  /** The first 1,000 characters of the answer. */
  answer: string | null
  /** 0 if no connection was made. */
  duration_in_milliseconds: number
  /** RFC 3339 in UTC with milliseconds. */
  started_at: string
}

/** Answered by `webhooks.listDeliveries`. */
export interface WebhookDeliveryList {
  __type__: 'List'
  data: WebhookDelivery[]
  pagination: Pagination
  total: number
  /** Value of after for the next page; null at the end. */
  next_cursor: string | null
}

/** Answered by `logEvents.list`, `logEvents.listOfAccount`. */
export interface LogEventList {
  __type__: 'List'
  data: LogEvent[]
  paginate: Pagination
  total_count: number
  /** Value of after for the next page; null at the end. */
  next_cursor: string | null
}

/** Answered by `logEvents.list`, `logEvents.listOfAccount`. */
export interface LogEvent {
  __type__: 'Event'
  id: number
  event_code: string
  /** The application, or the API key. */
  client_id: string | null
  database: 'sandbox' | 'production' | null
  /** Personal data. */
  email: string | null
  /** The user. */
  resource_owner_id: string | null
  /** idp_id of the SSO connection; empty without one. */
  saml_identity_provider_id: string
  tenant_domain: string
  /** Reason of the failure, or the step that has to follow. */
  reason: string | null
  request_id: string
  /** RFC 3339 in UTC with milliseconds. */
  inserted_at: string
}

/** Answered by `outbox.list`. */
export interface OutboxMessageList {
  __type__: 'List'
  data: OutboxMessage[]
  pagination: Pagination
  total: number
  /** Value of after for the next page; null at the end. */
  next_cursor: string | null
}

/** Answered by `outbox.list`. */
export interface OutboxMessage {
  __type__: 'OutboxMessage'
  __domain__: string
  __environment__: 'sandbox' | 'production'
  /** UUID in lower case. */
  id: string
  channel: 'mail' | 'sms'
  /** Personal data. */
  to: string
  subject: string | null
  /** Personal data. */
  text: string
  /** Personal data. */
  html: string | null
  /** RFC 3339 in UTC with milliseconds. */
  inserted_at: string
}

/** Answered by `oauth.apiToken`, `oauth.token`. */
export interface ApiToken {
  /**
   * A JWT; send it as Authorization: Bearer.
   * Secret: do not log it.
   */
  access_token: string
  token_type: 'Bearer'
  /** Seconds. */
  expires_in: number
  /** Scopes of the key, separated by spaces. */
  scope: string
}

/** Answered by `oauth.token`, `oauth.organizationToken`, `oauth.accountToken`. */
export interface UserTokens {
  /** Secret: do not log it. */
  access_token: string
  /** Secret: do not log it. */
  id_token: string
  /**
   * With the scope offline_access; each refresh returns a new one, which replaces the one sent.
   * Secret: do not log it.
   */
  refresh_token?: string
  token_type: 'Bearer'
  /** Seconds. */
  expires_in: number
  /** Scopes granted to the access token. */
  scope: string
}

/** Answered by `oauth.revoke`, `oauth.organizationRevoke`, `oauth.accountRevoke`. */
export type RevokedToken = Record<string, never>

/** Answered by `oauth.introspect`, `oauth.organizationIntrospect`, `oauth.accountIntrospect`. */
export interface Introspection {
  active: boolean
  /** Only of an access token. */
  token_type?: 'Bearer'
  /** Granted scopes, separated by spaces. */
  scope?: string
  /** The application. */
  client_id?: string
  /** The user. */
  sub?: string
  /** client_id of the application. */
  aud?: string
  /** Issuer: {base_url}/t/<organization>; of a refresh token whose sign-in was begun there {base_url}/a/<account>. */
  iss?: string
  /** Expiry, in seconds since 1970. */
  exp?: number
  /** Not valid before, in seconds since 1970; only of an access token. */
  nbf?: number
  /** Issued at, in seconds since 1970. */
  iat?: number
  /** Id of an access token. */
  jti?: string
  /** The session. */
  sid?: string
  /** Environment. */
  dbs?: 'sandbox' | 'production'
  /** Domain of the organization. */
  org?: string
  /** Strength of the sign-in (RFC 9470 section 6.2). */
  acr?: string
  /** Time of the user’s authentication, in seconds since 1970. */
  auth_time?: number
  /** Methods of the user’s authentication (RFC 8176). */
  amr?: string[]
  /** Who acts as the user: the same claim of access tokens. */
  act?: {
    iss: string
    /**
     * Unique at the issuer.
     * Personal data.
     */
    sub: string
    /** Id of the impersonation. */
    impersonation?: string
  }
}

/** Answered by `oidc.discovery`, `oidc.discoveryAtRoot`, `oidc.serverMetadata`, `oidc.serverMetadataAtRoot`, `oidc.accountDiscovery`, `oidc.accountDiscoveryAtRoot`, `oidc.accountServerMetadata`, `oidc.accountServerMetadataAtRoot`. */
export interface ProviderMetadata {
  issuer: string
  authorization_endpoint: string
  token_endpoint: string
  userinfo_endpoint: string
  jwks_uri: string
  revocation_endpoint: string
  introspection_endpoint: string
  end_session_endpoint: string
  response_types_supported: string[]
  response_modes_supported: string[]
  grant_types_supported: string[]
  subject_types_supported: string[]
  id_token_signing_alg_values_supported: string[]
  token_endpoint_auth_methods_supported: string[]
  token_endpoint_auth_signing_alg_values_supported: string[]
  revocation_endpoint_auth_methods_supported: string[]
  revocation_endpoint_auth_signing_alg_values_supported: string[]
  /** With the credentials of an API key that has the scope read:sessions. */
  introspection_endpoint_auth_methods_supported: string[]
  code_challenge_methods_supported: string[]
  scopes_supported: string[]
  claims_supported: string[]
  acr_values_supported: string[]
  prompt_values_supported: string[]
  ui_locales_supported: string[]
  /** RFC 9207. */
  authorization_response_iss_parameter_supported: boolean
  backchannel_logout_supported: boolean
  /** Logout tokens have `sid`. */
  backchannel_logout_session_supported: boolean
  claims_parameter_supported: boolean
  request_parameter_supported: boolean
  request_uri_parameter_supported: boolean
}

/** Answered by `oidc.keySet`, `oidc.accountKeySet`. */
export interface KeySet {
  keys: JsonWebKey[]
}

/** Part of `KeySet`. */
export interface JsonWebKey {
  kty: 'EC' | 'RSA'
  use: 'sig'
  alg: 'ES256' | 'RS256'
  kid: string
  crv?: string
  x?: string
  y?: string
  n?: string
  e?: string
}

/** Answered by `oidc.userInfo`, `oidc.postUserInfo`, `oidc.accountUserInfo`, `oidc.postAccountUserInfo`. */
export interface UserInfo {
  /** The user. */
  sub: string
  /**
   * With the scope profile, like every member up to updated_at.
   * Personal data.
   */
  name?: string
  /** Personal data. */
  given_name?: string
  /** Personal data. */
  family_name?: string
  /** Personal data. */
  nickname?: string
  /** Personal data. */
  preferred_username?: string
  /** Personal data. */
  profile?: string
  /** Personal data. */
  picture?: string
  /** Personal data. */
  website?: string
  /** Personal data. */
  gender?: string
  /** Personal data. */
  birthdate?: string
  /** Personal data. */
  zoneinfo?: string
  /** Personal data. */
  locale?: string
  /** Seconds since 1970. */
  updated_at?: number
  /**
   * With the scope email.
   * Personal data.
   */
  email?: string
  email_verified?: boolean
  /**
   * With the scope phone.
   * Personal data.
   */
  phone_number?: string
  phone_number_verified?: boolean
  /**
   * With the scope address.
   * Personal data.
   */
  address?: {
    formatted?: string
    street_address?: string
    locality?: string
    region?: string
    postal_code?: string
    country?: string
  }
  /** With the scope organization: the organization of the token. */
  organization?: {
    domain: string
    name: string
    /** The icon, else the inline logo; null without either. */
    logo_url: string | null
  }
  /** Names of all roles that the application is told; absent without roles. */
  roles?: string[]
}

/** What `organizations.list` takes. */
export interface OrganizationsListInput {
  /** Page number, starting at 1. */
  page?: unknown
  /** The same as page. */
  current_page?: unknown
  /** Records on a page: 1 to 100. */
  per_page?: unknown
  /** next_cursor of the previous page. */
  after?: string
  /** Must equal the environment of the API key, in any case. */
  environment?: string
  /** Part of the name or domain, case-insensitive. */
  filter?: string
  /** Only organizations that have a user with this address in the environment of the key; needs the scope read:users, too. */
  member_email?: string
  /** name, domain, inserted_at or updated_at; prefix with - for descending order. */
  sort?: string
  q?: {
    /** up, down: only organizations with an environment in one of these statuses. */
    environments_status_in?: string[]
  }
}

/** Codes that `organizations.list` answers. */
export type OrganizationsListErrorCode =
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'rate_limited'
  | 'unavailable'

/** What `organizations.create` takes. */
export interface OrganizationsCreateInput {
  name: string
  allowed_email_domains?: string[] | null
  color?:
    | '#1f6feb'
    | '#0a7ea4'
    | '#0f766e'
    | '#2f855a'
    | '#4d7c0f'
    | '#a16207'
    | '#c2410c'
    | '#b91c1c'
    | '#be185d'
    | '#86198f'
    | '#6d28d9'
    | '#475569'
  /** An https URL. */
  icon_logo_url?: string | null
  /** An https URL. */
  inline_logo_url?: string | null
  /** BCP 47 language tag, for example fr-FR. */
  locale?: string | null
  /** IANA time zone, for example Europe/Paris, or UTC. */
  timezone?: string | null
  /** Address as street, locality, region, country: sets locality, state and country_name; street and region are optional. */
  autocomplete_address?: string
  locality?: string | null
  state?: string | null
  country_name?: string | null
  /** An https URL. */
  privacy_policy_url?: string | null
  /** An https URL. */
  terms_of_service_url?: string | null
  impersonation?: 'allowed' | 'refused'
}

/** Codes that `organizations.create` answers. */
export type OrganizationsCreateErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'plan_limit_reached'
  | 'key_limited_to_organizations'
  | 'idempotency_in_flight'
  | 'body_too_large'
  | 'media_type_unsupported'
  | 'invalid_parameters'
  | 'idempotency_key_reused'
  | 'rate_limited'
  | 'unavailable'

/** What `organizations.get` takes. */
export interface OrganizationsGetInput {
  /** Domain of the organization. */
  org_domain: string
  /** Must equal the environment of the API key, in any case. */
  environment?: string
}

/** Codes that `organizations.get` answers. */
export type OrganizationsGetErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'organization_not_found'
  | 'invalid_parameters'
  | 'rate_limited'
  | 'unavailable'

/** What `organizations.update` takes. */
export interface OrganizationsUpdateInput {
  /** Domain of the organization. */
  org_domain: string
  name?: string
  allowed_email_domains?: string[] | null
  color?:
    | '#1f6feb'
    | '#0a7ea4'
    | '#0f766e'
    | '#2f855a'
    | '#4d7c0f'
    | '#a16207'
    | '#c2410c'
    | '#b91c1c'
    | '#be185d'
    | '#86198f'
    | '#6d28d9'
    | '#475569'
  /** An https URL. */
  icon_logo_url?: string | null
  /** An https URL. */
  inline_logo_url?: string | null
  /** BCP 47 language tag, for example fr-FR. */
  locale?: string | null
  /** IANA time zone, for example Europe/Paris, or UTC. */
  timezone?: string | null
  /** Address as street, locality, region, country: sets locality, state and country_name; street and region are optional. */
  autocomplete_address?: string
  locality?: string | null
  state?: string | null
  country_name?: string | null
  /** An https URL. */
  privacy_policy_url?: string | null
  /** An https URL. */
  terms_of_service_url?: string | null
  impersonation?: 'allowed' | 'refused'
}

/** Codes that `organizations.update` answers. */
export type OrganizationsUpdateErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'organization_not_found'
  | 'production_is_up'
  | 'precondition_failed'
  | 'body_too_large'
  | 'media_type_unsupported'
  | 'invalid_parameters'
  | 'rate_limited'
  | 'unavailable'

/** What `organizations.delete` takes. */
export interface OrganizationsDeleteInput {
  /** Domain of the organization. */
  org_domain: string
}

/** Codes that `organizations.delete` answers. */
export type OrganizationsDeleteErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'organization_not_found'
  | 'production_is_up'
  | 'precondition_failed'
  | 'body_too_large'
  | 'media_type_unsupported'
  | 'invalid_parameters'
  | 'rate_limited'
  | 'unavailable'

/** What `organizationPolicy.get` takes. */
export interface OrganizationPolicyGetInput {
  /** Domain of the organization. */
  org_domain: string
  /** Must equal the environment of the API key, in any case. */
  environment?: string
}

/** Codes that `organizationPolicy.get` answers. */
export type OrganizationPolicyGetErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'organization_not_found'
  | 'invalid_parameters'
  | 'rate_limited'
  | 'unavailable'

/** What `organizationPolicy.update` takes. */
export interface OrganizationPolicyUpdateInput {
  /** Domain of the organization. */
  org_domain: string
  seats_limit?: number
  join_by_domain?: 'off' | 'request' | 'automatic'
  /** Replaces all: names of roles of the account or of the organization; requires the scope write:roles. */
  join_roles?: string[]
  /** required needs an active TOTP connection, which then stays active. Requires the scope write:totp. */
  second_factor?: 'optional' | 'required'
  /** Requires the scope write:totp. */
  second_factor_grace_days?: number
  /** Requires the scope write:sessions. */
  session_lifetime_in_seconds?: number
  /** At most session_lifetime_in_seconds. Requires the scope write:sessions. */
  session_idle_in_seconds?: number
  self_service?: boolean
  self_deletion?: 'none' | 'request' | 'allowed'
}

/** Codes that `organizationPolicy.update` answers. */
export type OrganizationPolicyUpdateErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'organization_not_found'
  | 'precondition_failed'
  | 'body_too_large'
  | 'media_type_unsupported'
  | 'invalid_parameters'
  | 'rate_limited'
  | 'unavailable'

/** What `invitations.create` takes. */
export interface InvitationsCreateInput {
  /** Domain of the organization. */
  org_domain: string
  /** Personal data. */
  email: string
  /** Names of roles of the account or of the organization; requires the scope write:roles. */
  roles?: string[]
  expires_in_days?: number
  /** false: the answer contains the URL, for the caller to send. It does not prove the mailbox: its sign-in mails a link first. */
  send_email?: boolean
  /** UUID. */
  application_id?: string
  /** An allowed redirect URL of an application. */
  redirect_uri?: string
  /** BCP 47 language tag, for example fr-FR. */
  locale?: string
  /** Personal data. */
  profile?: {
    given_name?: string | null
    family_name?: string | null
  }
  /** Personal data. */
  metadata?: Array<{
    key: string
    value: string
  }>
  /**
   * Plain text in the mail; addresses in it are no links.
   * Personal data.
   */
  message?: string
  /** Must equal the environment of the API key, in any case. */
  environment?: string
}

/** Codes that `invitations.create` answers. */
export type InvitationsCreateErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'email_domain_not_allowed'
  | 'seats_exhausted'
  | 'organization_not_found'
  | 'application_not_found'
  | 'meta_key_not_found'
  | 'idempotency_in_flight'
  | 'invitation_taken'
  | 'already_member'
  | 'body_too_large'
  | 'media_type_unsupported'
  | 'invalid_parameters'
  | 'idempotency_key_reused'
  | 'no_application'
  | 'invitations_exhausted'
  | 'rate_limited'
  | 'unavailable'

/** What `invitations.list` takes. */
export interface InvitationsListInput {
  /** Domain of the organization. */
  org_domain: string
  /** Page number, starting at 1. */
  page?: unknown
  /** The same as page. */
  current_page?: unknown
  /** Records on a page: 1 to 100. */
  per_page?: unknown
  /** next_cursor of the previous page. */
  after?: string
  /** Must equal the environment of the API key, in any case. */
  environment?: string
  /** Only invitations in this state. */
  state?: 'pending' | 'accepted' | 'revoked' | 'expired'
  /** Only invitations of this address. */
  email?: string
}

/** Codes that `invitations.list` answers. */
export type InvitationsListErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'organization_not_found'
  | 'rate_limited'
  | 'unavailable'

/** What `invitations.get` takes. */
export interface InvitationsGetInput {
  /** Domain of the organization. */
  org_domain: string
  /** UUID. */
  invitation_id: string
  /** Must equal the environment of the API key, in any case. */
  environment?: string
}

/** Codes that `invitations.get` answers. */
export type InvitationsGetErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'organization_not_found'
  | 'invitation_not_found'
  | 'invalid_parameters'
  | 'rate_limited'
  | 'unavailable'

/** What `invitations.update` takes. */
export interface InvitationsUpdateInput {
  /** Domain of the organization. */
  org_domain: string
  /** UUID. */
  invitation_id: string
  /** Replaces all; requires the scope write:roles. */
  roles?: string[]
  /** From now. */
  expires_in_days?: number
  /** Personal data. */
  message?: string | null
  /** Must equal the environment of the API key, in any case. */
  environment?: string
}

/** Codes that `invitations.update` answers. */
export type InvitationsUpdateErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'organization_not_found'
  | 'invitation_not_found'
  | 'invitation_not_pending'
  | 'precondition_failed'
  | 'body_too_large'
  | 'media_type_unsupported'
  | 'invalid_parameters'
  | 'rate_limited'
  | 'unavailable'

/** What `invitations.resend` takes. */
export interface InvitationsResendInput {
  /** Domain of the organization. */
  org_domain: string
  /** UUID. */
  invitation_id: string
}

/** Codes that `invitations.resend` answers. */
export type InvitationsResendErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'organization_not_found'
  | 'invitation_not_found'
  | 'idempotency_in_flight'
  | 'invitation_not_pending'
  | 'body_too_large'
  | 'media_type_unsupported'
  | 'invalid_parameters'
  | 'idempotency_key_reused'
  | 'rate_limited'
  | 'unavailable'

/** What `invitations.revoke` takes. */
export interface InvitationsRevokeInput {
  /** Domain of the organization. */
  org_domain: string
  /** UUID. */
  invitation_id: string
}

/** Codes that `invitations.revoke` answers. */
export type InvitationsRevokeErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'organization_not_found'
  | 'invitation_not_found'
  | 'invitation_not_pending'
  | 'precondition_failed'
  | 'body_too_large'
  | 'media_type_unsupported'
  | 'invalid_parameters'
  | 'rate_limited'
  | 'unavailable'

/** What `joinRequests.list` takes. */
export interface JoinRequestsListInput {
  /** Domain of the organization. */
  org_domain: string
  /** Page number, starting at 1. */
  page?: unknown
  /** The same as page. */
  current_page?: unknown
  /** Records on a page: 1 to 100. */
  per_page?: unknown
  /** next_cursor of the previous page. */
  after?: string
  /** Must equal the environment of the API key, in any case. */
  environment?: string
  /** Only requests in this state. */
  state?: 'pending' | 'approved' | 'denied' | 'expired'
  /** Only requests of this address. */
  email?: string
}

/** Codes that `joinRequests.list` answers. */
export type JoinRequestsListErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'organization_not_found'
  | 'rate_limited'
  | 'unavailable'

/** What `joinRequests.get` takes. */
export interface JoinRequestsGetInput {
  /** Domain of the organization. */
  org_domain: string
  /** UUID. */
  join_request_id: string
  /** Must equal the environment of the API key, in any case. */
  environment?: string
}

/** Codes that `joinRequests.get` answers. */
export type JoinRequestsGetErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'organization_not_found'
  | 'join_request_not_found'
  | 'invalid_parameters'
  | 'rate_limited'
  | 'unavailable'

/** What `joinRequests.approve` takes. */
export interface JoinRequestsApproveInput {
  /** Domain of the organization. */
  org_domain: string
  /** UUID. */
  join_request_id: string
  /** Names of roles of the account or of the organization, in place of join_roles of the policy; requires the scope write:roles. */
  roles?: string[]
  /** Must equal the environment of the API key, in any case. */
  environment?: string
}

/** Codes that `joinRequests.approve` answers. */
export type JoinRequestsApproveErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'join_not_allowed'
  | 'email_domain_not_allowed'
  | 'sso_required'
  | 'seats_exhausted'
  | 'organization_not_found'
  | 'join_request_not_found'
  | 'join_request_decided'
  | 'precondition_failed'
  | 'body_too_large'
  | 'media_type_unsupported'
  | 'invalid_parameters'
  | 'rate_limited'
  | 'unavailable'

/** What `joinRequests.deny` takes. */
export interface JoinRequestsDenyInput {
  /** Domain of the organization. */
  org_domain: string
  /** UUID. */
  join_request_id: string
}

/** Codes that `joinRequests.deny` answers. */
export type JoinRequestsDenyErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'organization_not_found'
  | 'join_request_not_found'
  | 'join_request_decided'
  | 'precondition_failed'
  | 'body_too_large'
  | 'media_type_unsupported'
  | 'invalid_parameters'
  | 'rate_limited'
  | 'unavailable'

/** What `domains.create` takes. */
export interface DomainsCreateInput {
  /** Domain of the organization. */
  org_domain: string
  /** Such as example.com, also with letters of any language. */
  domain: string
  declared?: boolean
  include_subdomains?: boolean
  sso_required?: boolean
  /** Personal data. */
  sso_exempt_emails?: string[]
  /** Must equal the environment of the API key, in any case. */
  environment?: string
}

/** Codes that `domains.create` answers. */
export type DomainsCreateErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'organization_not_found'
  | 'idempotency_in_flight'
  | 'domain_taken'
  | 'body_too_large'
  | 'media_type_unsupported'
  | 'invalid_parameters'
  | 'idempotency_key_reused'
  | 'domains_exhausted'
  | 'rate_limited'
  | 'unavailable'

/** What `domains.list` takes. */
export interface DomainsListInput {
  /** Domain of the organization. */
  org_domain: string
  /** Page number, starting at 1. */
  page?: unknown
  /** The same as page. */
  current_page?: unknown
  /** Records on a page: 1 to 100. */
  per_page?: unknown
  /** next_cursor of the previous page. */
  after?: string
  /** Must equal the environment of the API key, in any case. */
  environment?: string
  /** Only this domain. */
  domain?: string
}

/** Codes that `domains.list` answers. */
export type DomainsListErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'organization_not_found'
  | 'rate_limited'
  | 'unavailable'

/** What `domains.get` takes. */
export interface DomainsGetInput {
  /** Domain of the organization. */
  org_domain: string
  /** UUID. */
  domain_id: string
  /** Must equal the environment of the API key, in any case. */
  environment?: string
}

/** Codes that `domains.get` answers. */
export type DomainsGetErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'organization_not_found'
  | 'domain_not_found'
  | 'invalid_parameters'
  | 'rate_limited'
  | 'unavailable'

/** What `domains.update` takes. */
export interface DomainsUpdateInput {
  /** Domain of the organization. */
  org_domain: string
  /** UUID. */
  domain_id: string
  declared?: boolean
  include_subdomains?: boolean
  sso_required?: boolean
  /** Personal data. */
  sso_exempt_emails?: string[]
  /** Must equal the environment of the API key, in any case. */
  environment?: string
}

/** Codes that `domains.update` answers. */
export type DomainsUpdateErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'organization_not_found'
  | 'domain_not_found'
  | 'precondition_failed'
  | 'body_too_large'
  | 'media_type_unsupported'
  | 'invalid_parameters'
  | 'rate_limited'
  | 'unavailable'

/** What `domains.delete` takes. */
export interface DomainsDeleteInput {
  /** Domain of the organization. */
  org_domain: string
  /** UUID. */
  domain_id: string
}

/** Codes that `domains.delete` answers. */
export type DomainsDeleteErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'organization_not_found'
  | 'domain_not_found'
  | 'precondition_failed'
  | 'body_too_large'
  | 'media_type_unsupported'
  | 'invalid_parameters'
  | 'rate_limited'
  | 'unavailable'

/** What `domains.check` takes. */
export interface DomainsCheckInput {
  /** Domain of the organization. */
  org_domain: string
  /** UUID. */
  domain_id: string
}

/** Codes that `domains.check` answers. */
export type DomainsCheckErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'organization_not_found'
  | 'domain_not_found'
  | 'idempotency_in_flight'
  | 'body_too_large'
  | 'media_type_unsupported'
  | 'invalid_parameters'
  | 'idempotency_key_reused'
  | 'rate_limited'
  | 'unavailable'

/** What `users.create` takes. */
export interface UsersCreateInput {
  /** Domain of the organization. */
  org_domain: string
  /** Personal data. */
  email: string
  active?: boolean
  /**
   * E.164, for example +33612345678.
   * Personal data.
   */
  phone_number?: string | null
  /** Personal data. */
  phone_numbers?: Array<{
    /** E.164, for example +33612345678. */
    value: string
    type?: string
    primary?: boolean
    default?: boolean
    /** Derived from value; accepted and ignored, so that a number can be sent back as read. */
    phone_country_code?: number
    /** Like phone_country_code. */
    phone_national_number?: string
  }>
  /** Personal data. */
  profile?:
    | {
        given_name?: string | null
        family_name?: string | null
        nickname?: string | null
        preferred_username?: string | null
        birthdate?: string | null
        gender?: 'female' | 'male' | 'other' | null
        /** BCP 47 language tag, for example fr-FR. */
        locale?: string | null
        /** IANA time zone, for example Europe/Paris, or UTC. */
        zoneinfo?: string | null
        /** An https URL. */
        picture?: string | null
        /** An https URL. */
        website?: string | null
        /** An https URL. */
        profile?: string | null
        address?: {
          formatted?: string | null
          street_address?: string | null
          locality?: string | null
          region?: string | null
          postal_code?: string | null
          country?: string | null
          /** The same as locality. */
          city?: string | null
        } | null
        /** Copy of given_name and family_name; accepted, so that a profile can be sent back as read, but never stored: of a new user it must be their copy. */
        name?: string | null
        /** Copy of another member; accepted, so that a profile can be sent back as read, but never stored. */
        email?: string | null
        /** Copy of another member; accepted, so that a profile can be sent back as read, but never stored. */
        phone_number?: string | null
      }
    | string
    | null
  /** Personal data. */
  address?: {
    formatted?: string | null
    street_address?: string | null
    locality?: string | null
    region?: string | null
    postal_code?: string | null
    country?: string | null
    /** The same as locality. */
    city?: string | null
  } | null
  /**
   * Replaces all metadata values of the user.
   * Personal data.
   */
  metadata?: Array<{
    key:
      | string
      | {
          name: string
        }
    value: string
  }>
  /**
   * The same as metadata.
   * Personal data.
   */
  meta_data?: Array<{
    key:
      | string
      | {
          name: string
        }
    value: string
  }>
  given_name?: string | null
  family_name?: string | null
  nickname?: string | null
  preferred_username?: string | null
  birthdate?: string | null
  gender?: 'female' | 'male' | 'other' | null
  /** BCP 47 language tag, for example fr-FR. */
  locale?: string | null
  /** IANA time zone, for example Europe/Paris, or UTC. */
  zoneinfo?: string | null
  /** An https URL. */
  picture?: string | null
  /** An https URL. */
  website?: string | null
  formatted?: string | null
  street_address?: string | null
  locality?: string | null
  region?: string | null
  postal_code?: string | null
  country?: string | null
  /** The same as locality. */
  city?: string | null
  /** Repeats the domain of the organization. */
  domain?: string
  /** Must equal the environment of the API key, in any case. */
  environment?: string
}

/** Codes that `users.create` answers. */
export type UsersCreateErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'seats_exhausted'
  | 'organization_not_found'
  | 'meta_key_not_found'
  | 'idempotency_in_flight'
  | 'email_taken'
  | 'body_too_large'
  | 'media_type_unsupported'
  | 'invalid_parameters'
  | 'idempotency_key_reused'
  | 'metadata_required'
  | 'rate_limited'
  | 'unavailable'

/** What `users.list` takes. */
export interface UsersListInput {
  /** Domain of the organization. */
  org_domain: string
  /** Page number, starting at 1. */
  page?: unknown
  /** The same as page. */
  current_page?: unknown
  /** Records on a page: 1 to 100. */
  per_page?: unknown
  /** next_cursor of the previous page. */
  after?: string
  /** Must equal the environment of the API key, in any case. */
  environment?: string
  /** What an answer contains beside the record: directory_attributes, what the directory says of a user, and roles. */
  preload_associations?: Array<'directory_attributes' | 'roles'>
  /** Beginning of the e-mail address, case-insensitive. */
  filter?: string
  /** true: only active users; false: only inactive ones. */
  active?: boolean
  /** inserted_at, updated_at or email; - before it: descending. */
  sort?: string
}

/** Codes that `users.list` answers. */
export type UsersListErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'organization_not_found'
  | 'rate_limited'
  | 'unavailable'

/** What `users.get` takes. */
export interface UsersGetInput {
  /** Domain of the organization. */
  org_domain: string
  /** UUID. */
  user_id: string
  /** Must equal the environment of the API key, in any case. */
  environment?: string
  /** What an answer contains beside the record: directory_attributes, what the directory says of a user, and roles. */
  preload_associations?: Array<'directory_attributes' | 'roles'>
}

/** Codes that `users.get` answers. */
export type UsersGetErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'organization_not_found'
  | 'user_not_found'
  | 'invalid_parameters'
  | 'rate_limited'
  | 'unavailable'

/** What `users.getByEmail` takes. */
export interface UsersGetByEmailInput {
  /** Domain of the organization. */
  org_domain: string
  user_email: string
  /** Must equal the environment of the API key, in any case. */
  environment?: string
  /** What an answer contains beside the record: directory_attributes, what the directory says of a user, and roles. */
  preload_associations?: Array<'directory_attributes' | 'roles'>
}

/** Codes that `users.getByEmail` answers. */
export type UsersGetByEmailErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'organization_not_found'
  | 'user_not_found'
  | 'invalid_parameters'
  | 'rate_limited'
  | 'unavailable'

/** What `users.update` takes. */
export interface UsersUpdateInput {
  /** Domain of the organization. */
  org_domain: string
  /** UUID. */
  user_id: string
  /** Personal data. */
  email?: string
  active?: boolean
  /**
   * E.164, for example +33612345678.
   * Personal data.
   */
  phone_number?: string | null
  /** Personal data. */
  phone_numbers?: Array<{
    /** E.164, for example +33612345678. */
    value: string
    type?: string
    primary?: boolean
    default?: boolean
    /** Derived from value; accepted and ignored, so that a number can be sent back as read. */
    phone_country_code?: number
    /** Like phone_country_code. */
    phone_national_number?: string
  }>
  /** Personal data. */
  profile?:
    | {
        given_name?: string | null
        family_name?: string | null
        nickname?: string | null
        preferred_username?: string | null
        birthdate?: string | null
        gender?: 'female' | 'male' | 'other' | null
        /** BCP 47 language tag, for example fr-FR. */
        locale?: string | null
        /** IANA time zone, for example Europe/Paris, or UTC. */
        zoneinfo?: string | null
        /** An https URL. */
        picture?: string | null
        /** An https URL. */
        website?: string | null
        /** An https URL. */
        profile?: string | null
        address?: {
          formatted?: string | null
          street_address?: string | null
          locality?: string | null
          region?: string | null
          postal_code?: string | null
          country?: string | null
          /** The same as locality. */
          city?: string | null
        } | null
        /** Copy of given_name and family_name; accepted, so that a profile can be sent back as read, but never stored: of a new user it must be their copy. */
        name?: string | null
        /** Copy of another member; accepted, so that a profile can be sent back as read, but never stored. */
        email?: string | null
        /** Copy of another member; accepted, so that a profile can be sent back as read, but never stored. */
        phone_number?: string | null
      }
    | string
    | null
  /** Personal data. */
  address?: {
    formatted?: string | null
    street_address?: string | null
    locality?: string | null
    region?: string | null
    postal_code?: string | null
    country?: string | null
    /** The same as locality. */
    city?: string | null
  } | null
  /**
   * Replaces all metadata values of the user.
   * Personal data.
   */
  metadata?: Array<{
    key:
      | string
      | {
          name: string
        }
    value: string
  }>
  /**
   * The same as metadata.
   * Personal data.
   */
  meta_data?: Array<{
    key:
      | string
      | {
          name: string
        }
    value: string
  }>
  given_name?: string | null
  family_name?: string | null
  nickname?: string | null
  preferred_username?: string | null
  birthdate?: string | null
  gender?: 'female' | 'male' | 'other' | null
  /** BCP 47 language tag, for example fr-FR. */
  locale?: string | null
  /** IANA time zone, for example Europe/Paris, or UTC. */
  zoneinfo?: string | null
  /** An https URL. */
  picture?: string | null
  /** An https URL. */
  website?: string | null
  formatted?: string | null
  street_address?: string | null
  locality?: string | null
  region?: string | null
  postal_code?: string | null
  country?: string | null
  /** The same as locality. */
  city?: string | null
  /** Repeats the domain of the organization. */
  domain?: string
  /** Must equal the environment of the API key, in any case. */
  environment?: string
}

/** Codes that `users.update` answers. */
export type UsersUpdateErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'organization_not_found'
  | 'user_not_found'
  | 'meta_key_not_found'
  | 'email_taken'
  | 'metadata_managed'
  | 'precondition_failed'
  | 'body_too_large'
  | 'media_type_unsupported'
  | 'invalid_parameters'
  | 'metadata_required'
  | 'rate_limited'
  | 'unavailable'

/** What `users.delete` takes. */
export interface UsersDeleteInput {
  /** Domain of the organization. */
  org_domain: string
  /** UUID. */
  user_id: string
}

/** Codes that `users.delete` answers. */
export type UsersDeleteErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'organization_not_found'
  | 'user_not_found'
  | 'precondition_failed'
  | 'body_too_large'
  | 'media_type_unsupported'
  | 'invalid_parameters'
  | 'rate_limited'
  | 'unavailable'

/** What `users.addMetadata` takes. */
export interface UsersAddMetadataInput {
  /** Domain of the organization. */
  org_domain: string
  /** UUID. */
  user_id: string
  /** Name of a declared MetaKey. */
  key: string
  /** Personal data. */
  value: string
}

/** Codes that `users.addMetadata` answers. */
export type UsersAddMetadataErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'organization_not_found'
  | 'user_not_found'
  | 'meta_key_not_found'
  | 'metadata_managed'
  | 'precondition_failed'
  | 'body_too_large'
  | 'media_type_unsupported'
  | 'invalid_parameters'
  | 'rate_limited'
  | 'unavailable'

/** What `users.removeMetadata` takes. */
export interface UsersRemoveMetadataInput {
  /** Domain of the organization. */
  org_domain: string
  /** UUID. */
  user_id: string
  /** Name of a declared MetaKey. */
  key: string
}

/** Codes that `users.removeMetadata` answers. */
export type UsersRemoveMetadataErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'organization_not_found'
  | 'user_not_found'
  | 'meta_key_not_found'
  | 'metadata_managed'
  | 'precondition_failed'
  | 'body_too_large'
  | 'media_type_unsupported'
  | 'invalid_parameters'
  | 'metadata_required'
  | 'rate_limited'
  | 'unavailable'

/** What `permissions.create` takes. */
export interface PermissionsCreateInput {
  /** 1 to 64 characters of a-z 0-9 _ . : - and a letter first, not portal:…. */
  name: string
  description?: string | null
}

/** Codes that `permissions.create` answers. */
export type PermissionsCreateErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'key_limited_to_organizations'
  | 'idempotency_in_flight'
  | 'permission_taken'
  | 'body_too_large'
  | 'media_type_unsupported'
  | 'invalid_parameters'
  | 'idempotency_key_reused'
  | 'permissions_exhausted'
  | 'rate_limited'
  | 'unavailable'

/** What `permissions.list` takes. */
export interface PermissionsListInput {
  /** Page number, starting at 1. */
  page?: unknown
  /** The same as page. */
  current_page?: unknown
  /** Records on a page: 1 to 100. */
  per_page?: unknown
  /** next_cursor of the previous page. */
  after?: string
  /** Must equal the environment of the API key, in any case. */
  environment?: string
  /** Only the permission of this name. */
  name?: string
}

/** Codes that `permissions.list` answers. */
export type PermissionsListErrorCode =
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'key_limited_to_organizations'
  | 'rate_limited'
  | 'unavailable'

/** What `permissions.get` takes. */
export interface PermissionsGetInput {
  /** UUID. */
  permission_id: string
  /** Must equal the environment of the API key, in any case. */
  environment?: string
}

/** Codes that `permissions.get` answers. */
export type PermissionsGetErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'key_limited_to_organizations'
  | 'permission_not_found'
  | 'invalid_parameters'
  | 'rate_limited'
  | 'unavailable'

/** What `permissions.update` takes. */
export interface PermissionsUpdateInput {
  /** UUID. */
  permission_id: string
  description?: string | null
}

/** Codes that `permissions.update` answers. */
export type PermissionsUpdateErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'key_limited_to_organizations'
  | 'permission_not_found'
  | 'precondition_failed'
  | 'body_too_large'
  | 'media_type_unsupported'
  | 'invalid_parameters'
  | 'rate_limited'
  | 'unavailable'

/** What `permissions.delete` takes. */
export interface PermissionsDeleteInput {
  /** UUID. */
  permission_id: string
  /** Delete it also where it is in use. Default: false. */
  force?: boolean
  /** Must equal the environment of the API key, in any case. */
  environment?: string
}

/** Codes that `permissions.delete` answers. */
export type PermissionsDeleteErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'key_limited_to_organizations'
  | 'permission_not_found'
  | 'permission_in_use'
  | 'precondition_failed'
  | 'body_too_large'
  | 'media_type_unsupported'
  | 'invalid_parameters'
  | 'rate_limited'
  | 'unavailable'

/** What `roles.create` takes. */
export interface RolesCreateInput {
  /** 1 to 32 characters of a-z 0-9 _ - and a letter first, not organization_admin. */
  name: string
  display_name: string
  description?: string | null
  /** Names of declared permissions; replaces all that the role has. */
  permissions?: string[]
  /** true takes it from the role that was the default; not of a role of one organization. */
  is_default?: boolean
  /** false unless sent: what administrators of a customer may give is decided role by role. Rules that name the role already stay. */
  assignable_by_admins?: boolean
  /** Domain of the organization to whose users the role is restricted. */
  organization_domain_scope?: string | null
}

/** Codes that `roles.create` answers. */
export type RolesCreateErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'key_limited_to_organizations'
  | 'idempotency_in_flight'
  | 'role_taken'
  | 'body_too_large'
  | 'media_type_unsupported'
  | 'invalid_parameters'
  | 'idempotency_key_reused'
  | 'roles_exhausted'
  | 'rate_limited'
  | 'unavailable'

/** What `roles.list` takes. */
export interface RolesListInput {
  /** Page number, starting at 1. */
  page?: unknown
  /** The same as page. */
  current_page?: unknown
  /** Records on a page: 1 to 100. */
  per_page?: unknown
  /** next_cursor of the previous page. */
  after?: string
  /** Must equal the environment of the API key, in any case. */
  environment?: string
  /** Only roles of this name. */
  name?: string
  /** Only roles of this organization. */
  organization_domain_scope?: string
}

/** Codes that `roles.list` answers. */
export type RolesListErrorCode =
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'rate_limited'
  | 'unavailable'

/** What `roles.get` takes. */
export interface RolesGetInput {
  /** UUID. */
  role_id: string
  /** Must equal the environment of the API key, in any case. */
  environment?: string
}

/** Codes that `roles.get` answers. */
export type RolesGetErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'role_not_found'
  | 'invalid_parameters'
  | 'rate_limited'
  | 'unavailable'

/** What `roles.update` takes. */
export interface RolesUpdateInput {
  /** UUID. */
  role_id: string
  display_name?: string
  description?: string | null
  /** Names of declared permissions; replaces all that the role has. */
  permissions?: string[]
  /** true takes it from the role that was the default; not of a role of one organization. */
  is_default?: boolean
  /** false unless sent: what administrators of a customer may give is decided role by role. Rules that name the role already stay. */
  assignable_by_admins?: boolean
}

/** Codes that `roles.update` answers. */
export type RolesUpdateErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'key_limited_to_organizations'
  | 'role_not_found'
  | 'precondition_failed'
  | 'body_too_large'
  | 'media_type_unsupported'
  | 'invalid_parameters'
  | 'rate_limited'
  | 'unavailable'

/** What `roles.delete` takes. */
export interface RolesDeleteInput {
  /** UUID. */
  role_id: string
  /** Delete it also where it is in use. Default: false. */
  force?: boolean
  /** Must equal the environment of the API key, in any case. */
  environment?: string
}

/** Codes that `roles.delete` answers. */
export type RolesDeleteErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'key_limited_to_organizations'
  | 'role_not_found'
  | 'role_in_use'
  | 'precondition_failed'
  | 'body_too_large'
  | 'media_type_unsupported'
  | 'invalid_parameters'
  | 'rate_limited'
  | 'unavailable'

/** What `roles.getUserRoles` takes. */
export interface RolesGetUserRolesInput {
  /** Domain of the organization. */
  org_domain: string
  /** UUID. */
  user_id: string
  /** Must equal the environment of the API key, in any case. */
  environment?: string
}

/** Codes that `roles.getUserRoles` answers. */
export type RolesGetUserRolesErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'organization_not_found'
  | 'user_not_found'
  | 'invalid_parameters'
  | 'rate_limited'
  | 'unavailable'

/** What `roles.setUserRoles` takes. */
export interface RolesSetUserRolesInput {
  /** Domain of the organization. */
  org_domain: string
  /** UUID. */
  user_id: string
  /** Names of roles of the account or of the organization; replaces all that the API has given. */
  roles: string[]
}

/** Codes that `roles.setUserRoles` answers. */
export type RolesSetUserRolesErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'organization_not_found'
  | 'user_not_found'
  | 'precondition_failed'
  | 'body_too_large'
  | 'media_type_unsupported'
  | 'invalid_parameters'
  | 'rate_limited'
  | 'unavailable'

/** What `accessEvaluation.evaluate` takes. */
export interface AccessEvaluationEvaluateInput {
  /** Domain of the organization. */
  org_domain: string
  subject: {
    type: 'user'
    /** Id of the user. */
    id: string
    /** Accepted, and not looked at. */
    properties?: { [name: string]: JsonValue }
  }
  action: {
    /** Name of a permission. */
    name: string
    /** Accepted, and not looked at. */
    properties?: { [name: string]: JsonValue }
  }
  /** The organization of the path when left out. */
  resource?: {
    /** organization. */
    type: string
    /** Domain of the organization. */
    id: string
    /** Accepted, and not looked at. */
    properties?: { [name: string]: JsonValue }
  }
  /** Accepted, and not looked at. */
  context?: { [name: string]: JsonValue }
}

/** Codes that `accessEvaluation.evaluate` answers. */
export type AccessEvaluationEvaluateErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'organization_not_found'
  | 'body_too_large'
  | 'media_type_unsupported'
  | 'invalid_parameters'
  | 'rate_limited'
  | 'unavailable'

/** What `accessEvaluation.evaluateAll` takes. */
export interface AccessEvaluationEvaluateAllInput {
  /** Domain of the organization. */
  org_domain: string
  subject?: {
    type: 'user'
    /** Id of the user. */
    id: string
    /** Accepted, and not looked at. */
    properties?: { [name: string]: JsonValue }
  }
  action?: {
    /** Name of a permission. */
    name: string
    /** Accepted, and not looked at. */
    properties?: { [name: string]: JsonValue }
  }
  /** The organization of the path when left out. */
  resource?: {
    /** organization. */
    type: string
    /** Domain of the organization. */
    id: string
    /** Accepted, and not looked at. */
    properties?: { [name: string]: JsonValue }
  }
  /** Accepted, and not looked at. */
  context?: { [name: string]: JsonValue }
  /** Members that one lacks are those beside it. */
  evaluations: Array<{
    subject?: {
      type: 'user'
      /** Id of the user. */
      id: string
      /** Accepted, and not looked at. */
      properties?: { [name: string]: JsonValue }
    }
    action?: {
      /** Name of a permission. */
      name: string
      /** Accepted, and not looked at. */
      properties?: { [name: string]: JsonValue }
    }
    /** The organization of the path when left out. */
    resource?: {
      /** organization. */
      type: string
      /** Domain of the organization. */
      id: string
      /** Accepted, and not looked at. */
      properties?: { [name: string]: JsonValue }
    }
    /** Accepted, and not looked at. */
    context?: { [name: string]: JsonValue }
  }>
  /** Every question is answered. */
  options?: {
    evaluations_semantic?: 'execute_all'
  }
}

/** Codes that `accessEvaluation.evaluateAll` answers. */
export type AccessEvaluationEvaluateAllErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'organization_not_found'
  | 'body_too_large'
  | 'media_type_unsupported'
  | 'invalid_parameters'
  | 'rate_limited'
  | 'unavailable'

/** What `accessEvaluation.configuration` takes. */
export interface AccessEvaluationConfigurationInput {
  /** Domain of the organization. */
  org_domain: string
}

/** Codes that `accessEvaluation.configuration` answers. */
export type AccessEvaluationConfigurationErrorCode = 'malformed_request' | 'https_required'

/** What `applications.create` takes. */
export interface ApplicationsCreateInput {
  /** Domain of the organization. */
  org_domain: string
  name: string
  application_type:
    | 'android'
    | 'angular'
    | 'ios'
    | 'java_app'
    | 'java_spring'
    | 'mobile'
    | 'node'
    | 'node_express'
    | 'php'
    | 'php_laravel'
    | 'php_symfony'
    | 'python_flask'
    | 'react'
    | 'regular_web'
    | 'ruby'
    | 'ruby_on_rails'
    | 'spa'
    | 'vue'
    | 'web'
    | 'webflow'
  allowed_origins_cors: string[]
  allowed_redirect_urls: string[]
  allowed_logout_urls: string[]
  allowed_web_origins?: string[]
  description?: string | null
  default_redirect_uri_after_login?: string | null
  default_redirect_uri_after_logout?: string | null
  default_web_origin?: string | null
  default_origin_cors?: string | null
  default_logout_url?: string | null
  /** Domain of the organization to which the application is restricted. */
  organization_domain_scope?: string | null
  access_token_lifetime_in_seconds?: number
  token_signing_alg?: 'ES256' | 'RS256'
  code_exchange?: 'open' | 'pkce' | 'api_key'
  /** How the application authenticates at the token and revocation endpoints. */
  client_authentication?: 'none' | 'secret' | 'private_key_jwt'
  /** What sign-ins of the application must send: required: a code_challenge; or_nonce: that, or a nonce of 16 characters or more, which the application compares; optional: neither. */
  pkce?: 'required' | 'or_nonce' | 'optional'
  /** Its public keys, 5 at most, for private_key_jwt. */
  jwks?: {
    keys: Array<{
      kty: 'EC' | 'RSA'
      /** Required of keys that are not the only one. */
      kid?: string
      alg?: 'ES256' | 'RS256'
      use?: 'sig'
      crv?: 'P-256'
      x?: string
      y?: string
      n?: string
      e?: string
      /**
       * Refused: only public keys are registered.
       * Secret: do not log it.
       */
      d?: string
      /**
       * Refused: only public keys are registered.
       * Secret: do not log it.
       */
      p?: string
      /**
       * Refused: only public keys are registered.
       * Secret: do not log it.
       */
      q?: string
      /**
       * Refused: only public keys are registered.
       * Secret: do not log it.
       */
      dp?: string
      /**
       * Refused: only public keys are registered.
       * Secret: do not log it.
       */
      dq?: string
      /**
       * Refused: only public keys are registered.
       * Secret: do not log it.
       */
      qi?: string
      /**
       * Refused: only public keys are registered.
       * Secret: do not log it.
       */
      k?: string
    }>
  } | null
  /** An https address of its public keys, in place of jwks. */
  jwks_uri?: string | null
  /** Beginnings of the permissions that its tokens carry, with the roles that have such a permission or none at all; null: all of them. */
  permission_prefixes?: string[] | null
  /** An https URL, or http on localhost in the sandbox, at which the application begins a sign-in of its own (OpenID Connect Core section 4). */
  initiate_login_uri?: string | null
  /** RP ID of Web Authentication: the host of each of allowed_web_origins, or a parent domain of all of them; passkeys stay bound to it. */
  passkey_rp_id?: string | null
  /** An https address of a public host, without fragment; null: logout tokens are not sent. */
  backchannel_logout_uri?: string | null
  backchannel_logout_session_required?: boolean
}

/** Codes that `applications.create` answers. */
export type ApplicationsCreateErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'key_limited_to_organizations'
  | 'organization_not_found'
  | 'idempotency_in_flight'
  | 'body_too_large'
  | 'media_type_unsupported'
  | 'invalid_parameters'
  | 'idempotency_key_reused'
  | 'rate_limited'
  | 'unavailable'

/** What `applications.list` takes. */
export interface ApplicationsListInput {
  /** Domain of the organization. */
  org_domain: string
  /** Page number, starting at 1. */
  page?: unknown
  /** The same as page. */
  current_page?: unknown
  /** Records on a page: 1 to 100. */
  per_page?: unknown
  /** next_cursor of the previous page. */
  after?: string
  /** Must equal the environment of the API key, in any case. */
  environment?: string
  /** name, inserted_at or updated_at; prefix with - for descending order. */
  sort?: string
}

/** Codes that `applications.list` answers. */
export type ApplicationsListErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'organization_not_found'
  | 'rate_limited'
  | 'unavailable'

/** What `applications.listOfAccount` takes. */
export interface ApplicationsListOfAccountInput {
  /** Page number, starting at 1. */
  page?: unknown
  /** The same as page. */
  current_page?: unknown
  /** Records on a page: 1 to 100. */
  per_page?: unknown
  /** next_cursor of the previous page. */
  after?: string
  /** Must equal the environment of the API key, in any case. */
  environment?: string
  /** name, inserted_at or updated_at; prefix with - for descending order. */
  sort?: string
  /** Part of the name, case-insensitive. */
  filter?: string
  /** Only applications that are restricted to this organization. */
  organization_domain_scope?: string
}

/** Codes that `applications.listOfAccount` answers. */
export type ApplicationsListOfAccountErrorCode =
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'rate_limited'
  | 'unavailable'

/** What `applications.get` takes. */
export interface ApplicationsGetInput {
  /** Domain of the organization. */
  org_domain: string
  /** UUID. */
  client_id: string
  /** Must equal the environment of the API key, in any case. */
  environment?: string
}

/** Codes that `applications.get` answers. */
export type ApplicationsGetErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'organization_not_found'
  | 'application_not_found'
  | 'invalid_parameters'
  | 'rate_limited'
  | 'unavailable'

/** What `applications.update` takes. */
export interface ApplicationsUpdateInput {
  /** Domain of the organization. */
  org_domain: string
  /** UUID. */
  client_id: string
  name?: string
  application_type?:
    | 'android'
    | 'angular'
    | 'ios'
    | 'java_app'
    | 'java_spring'
    | 'mobile'
    | 'node'
    | 'node_express'
    | 'php'
    | 'php_laravel'
    | 'php_symfony'
    | 'python_flask'
    | 'react'
    | 'regular_web'
    | 'ruby'
    | 'ruby_on_rails'
    | 'spa'
    | 'vue'
    | 'web'
    | 'webflow'
  allowed_origins_cors?: string[]
  allowed_redirect_urls?: string[]
  allowed_logout_urls?: string[]
  allowed_web_origins?: string[]
  description?: string | null
  default_redirect_uri_after_login?: string | null
  default_redirect_uri_after_logout?: string | null
  default_web_origin?: string | null
  default_origin_cors?: string | null
  default_logout_url?: string | null
  /** Domain of the organization to which the application is restricted. */
  organization_domain_scope?: string | null
  access_token_lifetime_in_seconds?: number
  token_signing_alg?: 'ES256' | 'RS256'
  code_exchange?: 'open' | 'pkce' | 'api_key'
  /** How the application authenticates at the token and revocation endpoints. */
  client_authentication?: 'none' | 'secret' | 'private_key_jwt'
  /** What sign-ins of the application must send: required: a code_challenge; or_nonce: that, or a nonce of 16 characters or more, which the application compares; optional: neither. */
  pkce?: 'required' | 'or_nonce' | 'optional'
  /** Its public keys, 5 at most, for private_key_jwt. */
  jwks?: {
    keys: Array<{
      kty: 'EC' | 'RSA'
      /** Required of keys that are not the only one. */
      kid?: string
      alg?: 'ES256' | 'RS256'
      use?: 'sig'
      crv?: 'P-256'
      x?: string
      y?: string
      n?: string
      e?: string
      /**
       * Refused: only public keys are registered.
       * Secret: do not log it.
       */
      d?: string
      /**
       * Refused: only public keys are registered.
       * Secret: do not log it.
       */
      p?: string
      /**
       * Refused: only public keys are registered.
       * Secret: do not log it.
       */
      q?: string
      /**
       * Refused: only public keys are registered.
       * Secret: do not log it.
       */
      dp?: string
      /**
       * Refused: only public keys are registered.
       * Secret: do not log it.
       */
      dq?: string
      /**
       * Refused: only public keys are registered.
       * Secret: do not log it.
       */
      qi?: string
      /**
       * Refused: only public keys are registered.
       * Secret: do not log it.
       */
      k?: string
    }>
  } | null
  /** An https address of its public keys, in place of jwks. */
  jwks_uri?: string | null
  /** Beginnings of the permissions that its tokens carry, with the roles that have such a permission or none at all; null: all of them. */
  permission_prefixes?: string[] | null
  /** An https URL, or http on localhost in the sandbox, at which the application begins a sign-in of its own (OpenID Connect Core section 4). */
  initiate_login_uri?: string | null
  /** RP ID of Web Authentication: the host of each of allowed_web_origins, or a parent domain of all of them; passkeys stay bound to it. */
  passkey_rp_id?: string | null
  /** An https address of a public host, without fragment; null: logout tokens are not sent. */
  backchannel_logout_uri?: string | null
  backchannel_logout_session_required?: boolean
}

/** Codes that `applications.update` answers. */
export type ApplicationsUpdateErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'key_limited_to_organizations'
  | 'organization_not_found'
  | 'application_not_found'
  | 'precondition_failed'
  | 'body_too_large'
  | 'media_type_unsupported'
  | 'invalid_parameters'
  | 'rate_limited'
  | 'unavailable'

/** What `applications.delete` takes. */
export interface ApplicationsDeleteInput {
  /** Domain of the organization. */
  org_domain: string
  /** UUID. */
  client_id: string
}

/** Codes that `applications.delete` answers. */
export type ApplicationsDeleteErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'key_limited_to_organizations'
  | 'organization_not_found'
  | 'application_not_found'
  | 'precondition_failed'
  | 'body_too_large'
  | 'media_type_unsupported'
  | 'invalid_parameters'
  | 'rate_limited'
  | 'unavailable'

/** What `applicationSecrets.create` takes. */
export interface ApplicationSecretsCreateInput {
  /** Domain of the organization. */
  org_domain: string
  /** UUID. */
  client_id: string
  /** A time to come, in RFC 3339; null: the secret does not expire. */
  expires_at?: string | null
}

/** Codes that `applicationSecrets.create` answers. */
export type ApplicationSecretsCreateErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'key_limited_to_organizations'
  | 'organization_not_found'
  | 'application_not_found'
  | 'idempotency_in_flight'
  | 'secret_limit_reached'
  | 'body_too_large'
  | 'media_type_unsupported'
  | 'invalid_parameters'
  | 'idempotency_key_reused'
  | 'rate_limited'
  | 'unavailable'

/** What `applicationSecrets.list` takes. */
export interface ApplicationSecretsListInput {
  /** Domain of the organization. */
  org_domain: string
  /** UUID. */
  client_id: string
  /** Must equal the environment of the API key, in any case. */
  environment?: string
}

/** Codes that `applicationSecrets.list` answers. */
export type ApplicationSecretsListErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'organization_not_found'
  | 'application_not_found'
  | 'invalid_parameters'
  | 'rate_limited'
  | 'unavailable'

/** What `applicationSecrets.delete` takes. */
export interface ApplicationSecretsDeleteInput {
  /** Domain of the organization. */
  org_domain: string
  /** UUID. */
  client_id: string
  /** UUID. */
  secret_id: string
}

/** Codes that `applicationSecrets.delete` answers. */
export type ApplicationSecretsDeleteErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'key_limited_to_organizations'
  | 'organization_not_found'
  | 'application_not_found'
  | 'application_secret_not_found'
  | 'body_too_large'
  | 'media_type_unsupported'
  | 'invalid_parameters'
  | 'rate_limited'
  | 'unavailable'

/** What `tokenCustomization.sample` takes. */
export interface TokenCustomizationSampleInput {
  /** Domain of the organization. */
  org_domain: string
  /** Must equal the environment of the API key, in any case. */
  environment?: string
  /** UUID. */
  user_id?: string
  /** UUID. */
  authorization_id?: string
  /** UUID. */
  application_id?: string
  /** Issue tokens that have already expired. */
  expired?: boolean
  expiration_in_seconds?: number
}

/** Codes that `tokenCustomization.sample` answers. */
export type TokenCustomizationSampleErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'organization_not_found'
  | 'user_not_found'
  | 'application_not_found'
  | 'invalid_parameters'
  | 'rate_limited'
  | 'unavailable'

/** What `tokenCustomization.createMetaKey` takes. */
export interface TokenCustomizationCreateMetaKeyInput {
  /** Domain of the organization. */
  org_domain: string
  name: string
  type: 'string' | 'integer' | 'float' | 'boolean' | 'date' | 'datetime' | 'url' | 'email' | 'json'
  required?: boolean
}

/** Codes that `tokenCustomization.createMetaKey` answers. */
export type TokenCustomizationCreateMetaKeyErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'organization_not_found'
  | 'idempotency_in_flight'
  | 'meta_key_taken'
  | 'production_is_up'
  | 'body_too_large'
  | 'media_type_unsupported'
  | 'invalid_parameters'
  | 'idempotency_key_reused'
  | 'meta_keys_exhausted'
  | 'rate_limited'
  | 'unavailable'

/** What `tokenCustomization.listMetaKeys` takes. */
export interface TokenCustomizationListMetaKeysInput {
  /** Domain of the organization. */
  org_domain: string
  /** Page number, starting at 1. */
  page?: unknown
  /** The same as page. */
  current_page?: unknown
  /** Records on a page: 1 to 100. */
  per_page?: unknown
  /** next_cursor of the previous page. */
  after?: string
  /** Must equal the environment of the API key, in any case. */
  environment?: string
}

/** Codes that `tokenCustomization.listMetaKeys` answers. */
export type TokenCustomizationListMetaKeysErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'organization_not_found'
  | 'rate_limited'
  | 'unavailable'

/** What `tokenCustomization.deleteMetaKey` takes. */
export interface TokenCustomizationDeleteMetaKeyInput {
  /** Domain of the organization. */
  org_domain: string
  key_name: string
}

/** Codes that `tokenCustomization.deleteMetaKey` answers. */
export type TokenCustomizationDeleteMetaKeyErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'organization_not_found'
  | 'meta_key_not_found'
  | 'meta_key_in_use'
  | 'production_is_up'
  | 'body_too_large'
  | 'media_type_unsupported'
  | 'invalid_parameters'
  | 'rate_limited'
  | 'unavailable'

/** What `tokenCustomization.setUserMetadata` takes. */
export interface TokenCustomizationSetUserMetadataInput {
  /** Domain of the organization. */
  org_domain: string
  /** UUID. */
  user_id: string
  key_name: string
  /** Personal data. */
  key_value: string
}

/** Codes that `tokenCustomization.setUserMetadata` answers. */
export type TokenCustomizationSetUserMetadataErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'organization_not_found'
  | 'user_not_found'
  | 'meta_key_not_found'
  | 'metadata_managed'
  | 'precondition_failed'
  | 'body_too_large'
  | 'media_type_unsupported'
  | 'invalid_parameters'
  | 'rate_limited'
  | 'unavailable'

/** What `magicLink.createChallenge` takes. */
export interface MagicLinkCreateChallengeInput {
  /** Personal data. */
  user_email: string
  /** An allowed redirect URL of an application; any other is replaced by the default redirect URL. */
  redirect_uri?: string
  /** false: the answer contains the link, for the caller to send. */
  send_email?: boolean
  /** Required unless exactly one organization allows the domain of the address. */
  org_domain?: string
  /** request_id of an open password request for the same address: the link then leads to a new password instead of a code, and the members about the code are taken from that request. */
  request_id?: string
  /** Application that receives the code. */
  application_id?: string
  /** Returned unchanged on the redirect. */
  state?: string
  /** Returned unchanged in the ID token. */
  nonce?: string
  code_challenge?: string
  code_challenge_method?: 'S256'
  /** openid and the sign-in method are always granted; offline_access, profile, email, phone, address and organization on request; no other scope is granted. */
  scope?: string
}

/** Codes that `magicLink.createChallenge` answers. */
export type MagicLinkCreateChallengeErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'email_domain_not_allowed'
  | 'sso_required'
  | 'organization_not_found'
  | 'user_not_found'
  | 'application_not_found'
  | 'connection_inactive'
  | 'user_inactive'
  | 'body_too_large'
  | 'media_type_unsupported'
  | 'invalid_parameters'
  | 'no_application'
  | 'rate_limited'
  | 'unavailable'

/** What `magicLink.getConnection` takes. */
export interface MagicLinkGetConnectionInput {
  /** Domain of the organization. */
  org_domain: string
  /** Must equal the environment of the API key, in any case. */
  environment?: string
}

/** Codes that `magicLink.getConnection` answers. */
export type MagicLinkGetConnectionErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'organization_not_found'
  | 'invalid_parameters'
  | 'rate_limited'
  | 'unavailable'

/** What `magicLink.updateConnection` takes. */
export interface MagicLinkUpdateConnectionInput {
  /** Domain of the organization. */
  org_domain: string
  active?: boolean
  find_or_create_user?: boolean
}

/** Codes that `magicLink.updateConnection` answers. */
export type MagicLinkUpdateConnectionErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'organization_not_found'
  | 'precondition_failed'
  | 'body_too_large'
  | 'media_type_unsupported'
  | 'invalid_parameters'
  | 'rate_limited'
  | 'unavailable'

/** What `discovery.createChallenge` takes. */
export interface DiscoveryCreateChallengeInput {
  /** Personal data. */
  user_email: string
  /** The application that the user wants to use. */
  application_id: string
  /** Where the link sends the browser, with discovery_code and request_id: one of the allowed_redirect_urls of the application, compared exactly; left out, its default redirect URL. */
  redirect_uri?: string
  /** false: the answer contains the link, for the caller to send. */
  send_email?: boolean
}

/** Codes that `discovery.createChallenge` answers. */
export type DiscoveryCreateChallengeErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'key_limited_to_organizations'
  | 'application_not_found'
  | 'body_too_large'
  | 'media_type_unsupported'
  | 'invalid_parameters'
  | 'no_application'
  | 'rate_limited'
  | 'unavailable'

/** What `discovery.exchange` takes. */
export interface DiscoveryExchangeInput {
  /** Secret: do not log it. */
  discovery_code: string
}

/** Codes that `discovery.exchange` answers. */
export type DiscoveryExchangeErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'key_limited_to_organizations'
  | 'discovery_not_found'
  | 'body_too_large'
  | 'media_type_unsupported'
  | 'invalid_parameters'
  | 'rate_limited'
  | 'unavailable'

/** What `discovery.enter` takes. */
export interface DiscoveryEnterInput {
  /** Secret: do not log it. */
  discovery_token: string
  /** One of the organizations of the discovery. */
  org_domain: string
  /** Receives the code: one of the allowed_redirect_urls of the application, compared exactly. */
  redirect_uri: string
  /** Returned unchanged on the redirect. */
  state?: string
  /** Returned unchanged in the ID token. */
  nonce?: string
  code_challenge?: string
  code_challenge_method?: 'S256'
  /** openid and the sign-in method are always granted; offline_access, profile, email, phone, address and organization on request; no other scope is granted. */
  scope?: string
}

/** Codes that `discovery.enter` answers. */
export type DiscoveryEnterErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'key_limited_to_organizations'
  | 'discovery_not_found'
  | 'organization_not_found'
  | 'body_too_large'
  | 'media_type_unsupported'
  | 'invalid_parameters'
  | 'rate_limited'
  | 'unavailable'

/** What `password.createConnection` takes. */
export interface PasswordCreateConnectionInput {
  /** Domain of the organization. */
  org_domain: string
  /** Characters; less than plain_text_max_length. */
  plain_text_min_length?: number
  /** Characters. */
  plain_text_max_length?: number
  /** Seconds; an hour to a year. */
  pepper_rotation_period?: number
  active?: boolean
}

/** Codes that `password.createConnection` answers. */
export type PasswordCreateConnectionErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'organization_not_found'
  | 'idempotency_in_flight'
  | 'password_connection_taken'
  | 'body_too_large'
  | 'media_type_unsupported'
  | 'invalid_parameters'
  | 'idempotency_key_reused'
  | 'rate_limited'
  | 'unavailable'

/** What `password.getConnection` takes. */
export interface PasswordGetConnectionInput {
  /** Domain of the organization. */
  org_domain: string
  /** Must equal the environment of the API key, in any case. */
  environment?: string
}

/** Codes that `password.getConnection` answers. */
export type PasswordGetConnectionErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'organization_not_found'
  | 'password_connection_not_found'
  | 'invalid_parameters'
  | 'rate_limited'
  | 'unavailable'

/** What `password.updateConnection` takes. */
export interface PasswordUpdateConnectionInput {
  /** Domain of the organization. */
  org_domain: string
  /** Characters. */
  plain_text_min_length?: number
  /** Characters. */
  plain_text_max_length?: number
  /** Seconds; an hour to a year. */
  pepper_rotation_period?: number
  active?: boolean
}

/** Codes that `password.updateConnection` answers. */
export type PasswordUpdateConnectionErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'organization_not_found'
  | 'password_connection_not_found'
  | 'precondition_failed'
  | 'body_too_large'
  | 'media_type_unsupported'
  | 'invalid_parameters'
  | 'rate_limited'
  | 'unavailable'

/** What `password.createRequest` takes. */
export interface PasswordCreateRequestInput {
  /** Personal data. */
  user_email: string
  org_domain: string
  /** An allowed redirect URL of an application, or the page of the service, `{BASE_URL}/t/{org_domain}/set-password`, on which the user sets the password; any other is replaced by the default redirect URL. */
  redirect_uri: string
  /** Immediately creates a user for an unknown address; requires the scope write:users. */
  find_or_create_user?: boolean
  /** Application that receives the code. */
  application_id?: string
  /** Returned unchanged on the redirect. */
  state?: string
  /** Returned unchanged in the ID token. */
  nonce?: string
  code_challenge?: string
  code_challenge_method?: 'S256'
  /** openid and the sign-in method are always granted; offline_access, profile, email, phone, address and organization on request; no other scope is granted. */
  scope?: string
}

/** Codes that `password.createRequest` answers. */
export type PasswordCreateRequestErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'email_domain_not_allowed'
  | 'sso_required'
  | 'seats_exhausted'
  | 'organization_not_found'
  | 'password_connection_not_found'
  | 'user_not_found'
  | 'application_not_found'
  | 'connection_inactive'
  | 'user_inactive'
  | 'body_too_large'
  | 'media_type_unsupported'
  | 'invalid_parameters'
  | 'no_application'
  | 'rate_limited'
  | 'unavailable'

/** What `password.createChallenge` takes. */
export interface PasswordCreateChallengeInput {
  /** Personal data. */
  user_email: string
  /**
   * The password.
   * Secret: do not log it.
   */
  plain_text: string
  /** Required unless exactly one organization allows the domain of the address. */
  org_domain?: string
  /** An allowed redirect URL of an application; any other is replaced by the default redirect URL. */
  redirect_uri?: string
  /** Application that receives the code. */
  application_id?: string
  /** Returned unchanged on the redirect. */
  state?: string
  /** Returned unchanged in the ID token. */
  nonce?: string
  code_challenge?: string
  code_challenge_method?: 'S256'
  /** openid and the sign-in method are always granted; offline_access, profile, email, phone, address and organization on request; no other scope is granted. */
  scope?: string
}

/** Codes that `password.createChallenge` answers. */
export type PasswordCreateChallengeErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'email_domain_not_allowed'
  | 'sso_required'
  | 'totp_enrollment_required'
  | 'passkey_enrollment_required'
  | 'organization_not_found'
  | 'password_connection_not_found'
  | 'user_not_found'
  | 'application_not_found'
  | 'connection_inactive'
  | 'user_inactive'
  | 'body_too_large'
  | 'media_type_unsupported'
  | 'invalid_parameters'
  | 'no_application'
  | 'rate_limited'
  | 'unavailable'

/** What `password.set` takes. */
export interface PasswordSetInput {
  org_domain: string
  /** Personal data. */
  user_email: string
  /**
   * From the redirect after the link of a password request, or from a renewal; valid once.
   * Secret: do not log it.
   */
  password_code: string
  /**
   * The new password.
   * Secret: do not log it.
   */
  plain_text: string
}

/** Codes that `password.set` answers. */
export type PasswordSetErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'organization_not_found'
  | 'password_connection_not_found'
  | 'connection_inactive'
  | 'body_too_large'
  | 'media_type_unsupported'
  | 'invalid_parameters'
  | 'password_code_refused'
  | 'rate_limited'
  | 'unavailable'

/** What `totp.getConnection` takes. */
export interface TotpGetConnectionInput {
  /** Domain of the organization. */
  org_domain: string
  /** Must equal the environment of the API key, in any case. */
  environment?: string
}

/** Codes that `totp.getConnection` answers. */
export type TotpGetConnectionErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'organization_not_found'
  | 'invalid_parameters'
  | 'rate_limited'
  | 'unavailable'

/** What `totp.postConnection` takes. */
export interface TotpPostConnectionInput {
  /** Domain of the organization. */
  org_domain: string
  active?: boolean
  /** A change of method also resets expiry_in_seconds to its default for the method. */
  method?: 'totp_mobile_app' | 'sms'
  /** Seconds. */
  expiry_in_seconds?: number
}

/** Codes that `totp.postConnection` answers. */
export type TotpPostConnectionErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'organization_not_found'
  | 'idempotency_in_flight'
  | 'body_too_large'
  | 'media_type_unsupported'
  | 'invalid_parameters'
  | 'idempotency_key_reused'
  | 'rate_limited'
  | 'unavailable'

/** What `totp.updateConnection` takes. */
export interface TotpUpdateConnectionInput {
  /** Domain of the organization. */
  org_domain: string
  active?: boolean
  /** A change of method also resets expiry_in_seconds to its default for the method. */
  method?: 'totp_mobile_app' | 'sms'
  /** Seconds. */
  expiry_in_seconds?: number
}

/** Codes that `totp.updateConnection` answers. */
export type TotpUpdateConnectionErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'organization_not_found'
  | 'precondition_failed'
  | 'body_too_large'
  | 'media_type_unsupported'
  | 'invalid_parameters'
  | 'rate_limited'
  | 'unavailable'

/** What `totp.enroll` takes. */
export interface TotpEnrollInput {
  /** Domain of the organization. */
  org_domain: string
  /** UUID. */
  user_id: string
  /** Begins another enrolment for a user who has one, also when all recovery codes are used; the old one stays valid until the new one is validated. Requires the scope write:users, and notifies the user by e-mail. */
  force_enroll?: boolean
}

/** Codes that `totp.enroll` answers. */
export type TotpEnrollErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'totp_inactive'
  | 'phone_number_not_allowed'
  | 'organization_not_found'
  | 'user_not_found'
  | 'totp_enrollment_taken'
  | 'phone_number_missing'
  | 'body_too_large'
  | 'media_type_unsupported'
  | 'invalid_parameters'
  | 'rate_limited'
  | 'unavailable'

/** What `totp.validateEnrollment` takes. */
export interface TotpValidateEnrollmentInput {
  /** Domain of the organization. */
  org_domain: string
  /** UUID. */
  user_id: string
  /**
   * First code, from the app or the text message.
   * Secret: do not log it.
   */
  code: string
  /** The user has confirmed having stored the recovery codes. */
  recovery_codes_acknowledged?: boolean
}

/** Codes that `totp.validateEnrollment` answers. */
export type TotpValidateEnrollmentErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'totp_code_rejected'
  | 'https_required'
  | 'insufficient_scope'
  | 'organization_not_found'
  | 'user_not_found'
  | 'totp_enrollment_not_found'
  | 'body_too_large'
  | 'media_type_unsupported'
  | 'invalid_parameters'
  | 'rate_limited'
  | 'unavailable'

/** What `totp.removeEnrollment` takes. */
export interface TotpRemoveEnrollmentInput {
  /** Domain of the organization. */
  org_domain: string
  /** UUID. */
  user_id: string
}

/** Codes that `totp.removeEnrollment` answers. */
export type TotpRemoveEnrollmentErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'organization_not_found'
  | 'user_not_found'
  | 'totp_enrollment_not_found'
  | 'body_too_large'
  | 'media_type_unsupported'
  | 'invalid_parameters'
  | 'rate_limited'
  | 'unavailable'

/** What `totp.createChallenge` takes. */
export interface TotpCreateChallengeInput {
  /** Domain of the organization. */
  org_domain: string
  /** UUID. */
  user_id: string
  /** request_id of the password challenge that answered totp_required; validation then completes that sign-in with a code. */
  password_request_id?: string
  /** false: sends no message, for a user who enters a recovery code; ignored with the app. */
  send_code?: boolean
}

/** Codes that `totp.createChallenge` answers. */
export type TotpCreateChallengeErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'totp_inactive'
  | 'totp_not_enrolled'
  | 'phone_number_unverified'
  | 'phone_number_not_allowed'
  | 'organization_not_found'
  | 'user_not_found'
  | 'user_inactive'
  | 'body_too_large'
  | 'media_type_unsupported'
  | 'invalid_parameters'
  | 'rate_limited'
  | 'unavailable'

/** What `totp.validateChallenge` takes. */
export interface TotpValidateChallengeInput {
  /** Domain of the organization. */
  org_domain: string
  /** UUID. */
  user_id: string
  /**
   * A code from the app or the text message, or a recovery code.
   * Secret: do not log it.
   */
  code: string
  /** request_id of the challenge; default: the latest open one of the user. */
  request_id?: string
}

/** Codes that `totp.validateChallenge` answers. */
export type TotpValidateChallengeErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'totp_code_rejected'
  | 'https_required'
  | 'insufficient_scope'
  | 'totp_inactive'
  | 'totp_not_enrolled'
  | 'totp_challenge_not_open'
  | 'totp_locked'
  | 'organization_not_found'
  | 'user_not_found'
  | 'user_inactive'
  | 'body_too_large'
  | 'media_type_unsupported'
  | 'invalid_parameters'
  | 'rate_limited'
  | 'unavailable'

/** What `passkeys.getConnection` takes. */
export interface PasskeysGetConnectionInput {
  /** Domain of the organization. */
  org_domain: string
  /** Must equal the environment of the API key, in any case. */
  environment?: string
}

/** Codes that `passkeys.getConnection` answers. */
export type PasskeysGetConnectionErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'organization_not_found'
  | 'invalid_parameters'
  | 'rate_limited'
  | 'unavailable'

/** What `passkeys.updateConnection` takes. */
export interface PasskeysUpdateConnectionInput {
  /** Domain of the organization. */
  org_domain: string
  active?: boolean
  first_factor?: boolean
  synced?: boolean
  /** required has an effect while active is true, and needs a service whose address is a name. */
  requirement?: 'optional' | 'required'
  grace_days?: number
  prompt?: 'account_page' | 'after_account_change' | 'after_sign_in'
}

/** Codes that `passkeys.updateConnection` answers. */
export type PasskeysUpdateConnectionErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'organization_not_found'
  | 'precondition_failed'
  | 'body_too_large'
  | 'media_type_unsupported'
  | 'invalid_parameters'
  | 'rate_limited'
  | 'unavailable'

/** What `passkeys.list` takes. */
export interface PasskeysListInput {
  /** Domain of the organization. */
  org_domain: string
  /** UUID. */
  user_id: string
  /** Page number, starting at 1. */
  page?: unknown
  /** The same as page. */
  current_page?: unknown
  /** Records on a page: 1 to 100. */
  per_page?: unknown
  /** next_cursor of the previous page. */
  after?: string
  /** Must equal the environment of the API key, in any case. */
  environment?: string
}

/** Codes that `passkeys.list` answers. */
export type PasskeysListErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'organization_not_found'
  | 'user_not_found'
  | 'rate_limited'
  | 'unavailable'

/** What `passkeys.openRecovery` takes. */
export interface PasskeysOpenRecoveryInput {
  /** Domain of the organization. */
  org_domain: string
  /** UUID. */
  user_id: string
  /** Personal data. */
  reason: string
}

/** Codes that `passkeys.openRecovery` answers. */
export type PasskeysOpenRecoveryErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'organization_not_found'
  | 'user_not_found'
  | 'body_too_large'
  | 'media_type_unsupported'
  | 'invalid_parameters'
  | 'rate_limited'
  | 'unavailable'

/** What `passkeys.get` takes. */
export interface PasskeysGetInput {
  /** Domain of the organization. */
  org_domain: string
  /** UUID. */
  user_id: string
  /** UUID. */
  passkey_id: string
  /** Must equal the environment of the API key, in any case. */
  environment?: string
}

/** Codes that `passkeys.get` answers. */
export type PasskeysGetErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'organization_not_found'
  | 'passkey_not_found'
  | 'invalid_parameters'
  | 'rate_limited'
  | 'unavailable'

/** What `passkeys.update` takes. */
export interface PasskeysUpdateInput {
  /** Domain of the organization. */
  org_domain: string
  /** UUID. */
  user_id: string
  /** UUID. */
  passkey_id: string
  /** Personal data. */
  name: string
}

/** Codes that `passkeys.update` answers. */
export type PasskeysUpdateErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'organization_not_found'
  | 'passkey_not_found'
  | 'precondition_failed'
  | 'body_too_large'
  | 'media_type_unsupported'
  | 'invalid_parameters'
  | 'rate_limited'
  | 'unavailable'

/** What `passkeys.delete` takes. */
export interface PasskeysDeleteInput {
  /** Domain of the organization. */
  org_domain: string
  /** UUID. */
  user_id: string
  /** UUID. */
  passkey_id: string
}

/** Codes that `passkeys.delete` answers. */
export type PasskeysDeleteErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'organization_not_found'
  | 'passkey_not_found'
  | 'precondition_failed'
  | 'body_too_large'
  | 'media_type_unsupported'
  | 'invalid_parameters'
  | 'rate_limited'
  | 'unavailable'

/** What `passkeys.createRegistration` takes. */
export interface PasskeysCreateRegistrationInput {
  /** Domain of the organization. */
  org_domain: string
  /** A user who is there, and has signed in lately: the service cannot see whom your page is shown to. */
  user_id: string
  /** Application of the page, with a passkey_rp_id; default: the oldest that has one. */
  application_id?: string
}

/** Codes that `passkeys.createRegistration` answers. */
export type PasskeysCreateRegistrationErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'passkeys_inactive'
  | 'organization_not_found'
  | 'user_not_found'
  | 'application_not_found'
  | 'user_inactive'
  | 'body_too_large'
  | 'media_type_unsupported'
  | 'invalid_parameters'
  | 'rate_limited'
  | 'unavailable'

/** What `passkeys.completeRegistration` takes. */
export interface PasskeysCompleteRegistrationInput {
  /** Domain of the organization. */
  org_domain: string
  /** UUID. */
  registration_id: string
  /**
   * toJSON() of what the browser has answered; its other members are ignored.
   * Secret: do not log it.
   */
  credential: {
    id: string
    rawId: string
    type: 'public-key'
    response: {
      clientDataJSON: string
      attestationObject: string
      transports?: string[]
    }
  }
  /**
   * How the user calls it; default: the name of its provider, else Passkey, with a number where the user has one of that name.
   * Personal data.
   */
  name?: string
}

/** Codes that `passkeys.completeRegistration` answers. */
export type PasskeysCompleteRegistrationErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'passkey_rejected'
  | 'https_required'
  | 'insufficient_scope'
  | 'passkeys_inactive'
  | 'passkey_not_allowed'
  | 'organization_not_found'
  | 'passkey_registration_not_found'
  | 'user_inactive'
  | 'passkey_taken'
  | 'body_too_large'
  | 'media_type_unsupported'
  | 'invalid_parameters'
  | 'passkeys_exhausted'
  | 'rate_limited'
  | 'unavailable'

/** What `passkeys.createChallenge` takes. */
export interface PasskeysCreateChallengeInput {
  org_domain: string
  /** An allowed redirect URL of an application; any other is replaced by the default redirect URL. */
  redirect_uri?: string
  /** Application that receives the code, and whose page asks: it needs a passkey_rp_id. */
  application_id?: string
  /** Returned unchanged on the redirect. */
  state?: string
  /** Returned unchanged in the ID token. */
  nonce?: string
  code_challenge?: string
  code_challenge_method?: 'S256'
  /** openid and the sign-in method are always granted; offline_access, profile, email, phone, address and organization on request; no other scope is granted. */
  scope?: string
  /** request_id of the password challenge that answered totp_required or passkey_required, or of the redirect of a link that did: a passkey of its user then completes that sign-in, whose application and parameters are those of the code. */
  password_request_id?: string
}

/** Codes that `passkeys.createChallenge` answers. */
export type PasskeysCreateChallengeErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'passkeys_inactive'
  | 'organization_not_found'
  | 'application_not_found'
  | 'body_too_large'
  | 'media_type_unsupported'
  | 'invalid_parameters'
  | 'no_application'
  | 'rate_limited'
  | 'unavailable'

/** What `passkeys.validateChallenge` takes. */
export interface PasskeysValidateChallengeInput {
  /** UUID. */
  request_id: string
  /**
   * toJSON() of what the browser has answered; its other members are ignored.
   * Secret: do not log it.
   */
  credential: {
    id: string
    rawId: string
    type: 'public-key'
    response: {
      clientDataJSON: string
      authenticatorData: string
      signature: string
      userHandle?: string | null
    }
  }
}

/** Codes that `passkeys.validateChallenge` answers. */
export type PasskeysValidateChallengeErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'passkey_rejected'
  | 'https_required'
  | 'insufficient_scope'
  | 'body_too_large'
  | 'media_type_unsupported'
  | 'invalid_parameters'
  | 'rate_limited'
  | 'unavailable'

/** What `socialProviders.create` takes. */
export interface SocialProvidersCreateInput {
  /** google, microsoft, github, apple, or test in the sandbox; any other name is that of a custom OpenID provider. */
  name: string
  /** On its button. By default the name of the provider. */
  display_name?: string
  /** Of a custom provider alone: exactly as in its discovery document. */
  issuer?: string
  /** Not of test, which has its own; of apple the identifier of the Services ID. */
  client_id?: string
  /**
   * Stored encrypted and never returned. Kept only for the issuer and client_id that it was sent with. Not of apple, which has a private_key.
   * Secret: do not log it.
   */
  client_secret?: string
  /** Of apple alone: the team of its developers. */
  team_id?: string
  /** Of apple alone: the id of the private_key. */
  key_id?: string
  /**
   * Of apple alone, in place of client_secret, and kept like one: the file .p8, a key of P-256 as PKCS #8 in PEM.
   * Secret: do not log it.
   */
  private_key?: string
  /** Of microsoft alone; null: common. */
  tenant?: string | null
  /** When client_secret or private_key ends at the provider; 30 days before, an event tells. A new secret that is sent without it has no end. */
  secret_expires_at?: string | null
  /** By default true. */
  active?: boolean
}

/** Codes that `socialProviders.create` answers. */
export type SocialProvidersCreateErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'key_limited_to_organizations'
  | 'idempotency_in_flight'
  | 'social_provider_taken'
  | 'body_too_large'
  | 'media_type_unsupported'
  | 'invalid_parameters'
  | 'idempotency_key_reused'
  | 'social_providers_exhausted'
  | 'rate_limited'
  | 'unavailable'

/** What `socialProviders.list` takes. */
export interface SocialProvidersListInput {
  /** Page number, starting at 1. */
  page?: unknown
  /** The same as page. */
  current_page?: unknown
  /** Records on a page: 1 to 100. */
  per_page?: unknown
  /** next_cursor of the previous page. */
  after?: string
  /** Must equal the environment of the API key, in any case. */
  environment?: string
  /** Only the provider of this name. */
  name?: string
}

/** Codes that `socialProviders.list` answers. */
export type SocialProvidersListErrorCode =
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'key_limited_to_organizations'
  | 'rate_limited'
  | 'unavailable'

/** What `socialProviders.get` takes. */
export interface SocialProvidersGetInput {
  /** UUID. */
  provider_id: string
  /** Must equal the environment of the API key, in any case. */
  environment?: string
}

/** Codes that `socialProviders.get` answers. */
export type SocialProvidersGetErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'key_limited_to_organizations'
  | 'social_provider_not_found'
  | 'invalid_parameters'
  | 'rate_limited'
  | 'unavailable'

/** What `socialProviders.update` takes. */
export interface SocialProvidersUpdateInput {
  /** UUID. */
  provider_id: string
  /** On its button. By default the name of the provider. */
  display_name?: string
  /** Of a custom provider alone: exactly as in its discovery document. */
  issuer?: string
  /** Not of test, which has its own; of apple the identifier of the Services ID. */
  client_id?: string
  /**
   * Stored encrypted and never returned. Kept only for the issuer and client_id that it was sent with. Not of apple, which has a private_key.
   * Secret: do not log it.
   */
  client_secret?: string
  /** Of apple alone: the team of its developers. */
  team_id?: string
  /** Of apple alone: the id of the private_key. */
  key_id?: string
  /**
   * Of apple alone, in place of client_secret, and kept like one: the file .p8, a key of P-256 as PKCS #8 in PEM.
   * Secret: do not log it.
   */
  private_key?: string
  /** Of microsoft alone; null: common. */
  tenant?: string | null
  /** When client_secret or private_key ends at the provider; 30 days before, an event tells. A new secret that is sent without it has no end. */
  secret_expires_at?: string | null
  /** By default true. */
  active?: boolean
}

/** Codes that `socialProviders.update` answers. */
export type SocialProvidersUpdateErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'key_limited_to_organizations'
  | 'social_provider_not_found'
  | 'precondition_failed'
  | 'body_too_large'
  | 'media_type_unsupported'
  | 'invalid_parameters'
  | 'rate_limited'
  | 'unavailable'

/** What `socialProviders.check` takes. */
export interface SocialProvidersCheckInput {
  /** UUID. */
  provider_id: string
}

/** Codes that `socialProviders.check` answers. */
export type SocialProvidersCheckErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'key_limited_to_organizations'
  | 'social_provider_not_found'
  | 'body_too_large'
  | 'media_type_unsupported'
  | 'invalid_parameters'
  | 'rate_limited'
  | 'unavailable'

/** What `socialProviders.delete` takes. */
export interface SocialProvidersDeleteInput {
  /** UUID. */
  provider_id: string
  /** Delete it also where it is in use. Default: false. */
  force?: boolean
  /** Must equal the environment of the API key, in any case. */
  environment?: string
}

/** Codes that `socialProviders.delete` answers. */
export type SocialProvidersDeleteErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'key_limited_to_organizations'
  | 'social_provider_not_found'
  | 'social_provider_in_use'
  | 'precondition_failed'
  | 'body_too_large'
  | 'media_type_unsupported'
  | 'invalid_parameters'
  | 'rate_limited'
  | 'unavailable'

/** What `socialConnection.get` takes. */
export interface SocialConnectionGetInput {
  /** Domain of the organization. */
  org_domain: string
  /** Must equal the environment of the API key, in any case. */
  environment?: string
}

/** Codes that `socialConnection.get` answers. */
export type SocialConnectionGetErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'organization_not_found'
  | 'invalid_parameters'
  | 'rate_limited'
  | 'unavailable'

/** What `socialConnection.update` takes. */
export interface SocialConnectionUpdateInput {
  /** Domain of the organization. */
  org_domain: string
  active?: boolean
  /** Replaces all: names of social providers of the account; null: all of them. */
  providers?: string[] | null
  allow_sign_up?: boolean
}

/** Codes that `socialConnection.update` answers. */
export type SocialConnectionUpdateErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'organization_not_found'
  | 'precondition_failed'
  | 'body_too_large'
  | 'media_type_unsupported'
  | 'invalid_parameters'
  | 'rate_limited'
  | 'unavailable'

/** What `identities.unlink` takes. */
export interface IdentitiesUnlinkInput {
  /** Domain of the organization. */
  org_domain: string
  /** UUID. */
  user_id: string
  /** UUID. */
  identity_id: string
  /** Also the last way of the user to sign in. Default: false. */
  force?: boolean
  /** Must equal the environment of the API key, in any case. */
  environment?: string
}

/** Codes that `identities.unlink` answers. */
export type IdentitiesUnlinkErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'organization_not_found'
  | 'identity_not_found'
  | 'last_sign_in_method'
  | 'body_too_large'
  | 'media_type_unsupported'
  | 'invalid_parameters'
  | 'rate_limited'
  | 'unavailable'

/** What `sessions.list` takes. */
export interface SessionsListInput {
  /** Domain of the organization. */
  org_domain: string
  /** UUID. */
  user_id: string
  /** Page number, starting at 1. */
  page?: unknown
  /** The same as page. */
  current_page?: unknown
  /** Records on a page: 1 to 100. */
  per_page?: unknown
  /** next_cursor of the previous page. */
  after?: string
  /** Must equal the environment of the API key, in any case. */
  environment?: string
}

/** Codes that `sessions.list` answers. */
export type SessionsListErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'organization_not_found'
  | 'user_not_found'
  | 'rate_limited'
  | 'unavailable'

/** What `sessions.endAll` takes. */
export interface SessionsEndAllInput {
  /** Domain of the organization. */
  org_domain: string
  /** UUID. */
  user_id: string
}

/** Codes that `sessions.endAll` answers. */
export type SessionsEndAllErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'organization_not_found'
  | 'user_not_found'
  | 'body_too_large'
  | 'media_type_unsupported'
  | 'invalid_parameters'
  | 'rate_limited'
  | 'unavailable'

/** What `sessions.end` takes. */
export interface SessionsEndInput {
  /** Domain of the organization. */
  org_domain: string
  /** UUID. */
  user_id: string
  /** UUID. */
  session_id: string
}

/** Codes that `sessions.end` answers. */
export type SessionsEndErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'organization_not_found'
  | 'session_not_found'
  | 'body_too_large'
  | 'media_type_unsupported'
  | 'invalid_parameters'
  | 'rate_limited'
  | 'unavailable'

/** What `impersonations.create` takes. */
export interface ImpersonationsCreateInput {
  /** Domain of the organization. */
  org_domain: string
  /** UUID. */
  user_id: string
  /** Shown to the member of staff, and kept with the impersonation and in its events. */
  reason: string
  /** The member of staff. */
  actor: {
    id: string
    email?: string | null
  }
  /** The application to sign in to, which has an initiate_login_uri. */
  application_id: string
  duration_in_seconds?: number
  /** true: the user is told of it by mail when it starts. */
  notify_user?: boolean
}

/** Codes that `impersonations.create` answers. */
export type ImpersonationsCreateErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'impersonation_refused'
  | 'email_domain_not_allowed'
  | 'organization_not_found'
  | 'user_not_found'
  | 'application_not_found'
  | 'idempotency_in_flight'
  | 'body_too_large'
  | 'media_type_unsupported'
  | 'invalid_parameters'
  | 'idempotency_key_reused'
  | 'initiate_login_uri_required'
  | 'rate_limited'
  | 'unavailable'

/** What `impersonations.list` takes. */
export interface ImpersonationsListInput {
  /** Domain of the organization. */
  org_domain: string
  /** UUID. */
  user_id: string
  /** Page number, starting at 1. */
  page?: unknown
  /** The same as page. */
  current_page?: unknown
  /** Records on a page: 1 to 100. */
  per_page?: unknown
  /** next_cursor of the previous page. */
  after?: string
  /** Must equal the environment of the API key, in any case. */
  environment?: string
}

/** Codes that `impersonations.list` answers. */
export type ImpersonationsListErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'organization_not_found'
  | 'user_not_found'
  | 'rate_limited'
  | 'unavailable'

/** What `impersonations.end` takes. */
export interface ImpersonationsEndInput {
  /** Domain of the organization. */
  org_domain: string
  /** UUID. */
  user_id: string
  /** UUID. */
  impersonation_id: string
}

/** Codes that `impersonations.end` answers. */
export type ImpersonationsEndErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'organization_not_found'
  | 'impersonation_not_found'
  | 'body_too_large'
  | 'media_type_unsupported'
  | 'invalid_parameters'
  | 'rate_limited'
  | 'unavailable'

/** What `ssoConnections.create` takes. */
export interface SsoConnectionsCreateInput {
  /** UUID. */
  organization_id: string
  /** Application whose default redirect URL becomes the default redirection. */
  application_id?: string
  /**
   * Address of the administrator who sets up the connection.
   * Personal data.
   */
  sso_admin_email?: string
  /** Sends the invitation immediately; requires sso_admin_email. */
  send_email?: boolean
  user_security_type?: 'none' | 'user_registered' | 'user_provisionned'
  /** Default: oidc for provider_type custom_oidc, otherwise saml. Cannot change once metadata or a client is stored. */
  protocol?: 'saml' | 'oidc'
  /** Issuer of the OpenID provider, exactly as in its discovery document; send it with oidc_client_id and oidc_client_secret. */
  issuer?: string
  oidc_client_id?: string
  /**
   * Stored encrypted and never returned.
   * Secret: do not log it.
   */
  oidc_client_secret?: string
  /** test, the built-in identity provider, exists only in the sandbox. */
  provider_type?:
    | 'okta'
    | 'entra_id'
    | 'google_workspace'
    | 'onelogin'
    | 'ping_one'
    | 'ping_federate'
    | 'adfs'
    | 'auth0'
    | 'jumpcloud'
    | 'keycloak'
    | 'custom_saml'
    | 'custom_oidc'
    | 'test'
  seats_limit?: number
  update_user_new_connection?: boolean
  /** Declares those that the organization does not have yet among its domains. */
  email_domains?: string[]
  other_domains?: 'refuse' | 'create' | 'any_address' | null
  idp_initiated?: 'bounce' | 'accept' | 'reject'
  allow_sha1?: boolean
  allow_cbc_unsigned_response?: boolean
  attribute_mapping?: Array<{
    /** SCIM path; of an SSO connection the name of a SAML attribute or claim, in any case. */
    from: string
    /** metadata.<key> with a declared key, or profile.<claim>. */
    to: string
  }>
  /** Replaces the mapping; needs the scope write:roles as well. */
  role_mapping?: {
    /** add: beside other roles of a user; authoritative: the only roles of the users that the mapping reaches. */
    mode: 'add' | 'authoritative'
    rules: Array<{
      /** Name of a SAML attribute or claim, in any case. */
      attribute: string
      /** Compared with each value as a whole and in any case. */
      value: string
      /** Names of roles of the account or of the organization, 1 to 5. */
      roles: string[]
    }>
  }
  /** Must equal the environment of the API key, in any case. */
  environment?: string
}

/** Codes that `ssoConnections.create` answers. */
export type SsoConnectionsCreateErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'organization_not_found'
  | 'application_not_found'
  | 'idempotency_in_flight'
  | 'body_too_large'
  | 'media_type_unsupported'
  | 'invalid_parameters'
  | 'idempotency_key_reused'
  | 'sso_admin_email_missing'
  | 'rate_limited'
  | 'unavailable'

/** What `ssoConnections.list` takes. */
export interface SsoConnectionsListInput {
  /** Page number, starting at 1. */
  page?: unknown
  /** The same as page. */
  current_page?: unknown
  /** Records on a page: 1 to 100. */
  per_page?: unknown
  /** next_cursor of the previous page. */
  after?: string
  /** Must equal the environment of the API key, in any case. */
  environment?: string
  /** Associations to return as records instead of ids. */
  preload_associations?: Array<'default_redirection' | 'enterprise_connection_onboarding'>
  /** UUID. */
  organization_id?: string
  /** Only connections in this state. */
  state?: 'it_admin_invitation_pending' | 'it_admin_onboarding' | 'configured' | 'tested'
  /** true: only active connections; false: only inactive ones. */
  active?: boolean
}

/** Codes that `ssoConnections.list` answers. */
export type SsoConnectionsListErrorCode =
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'rate_limited'
  | 'unavailable'

/** What `ssoConnections.get` takes. */
export interface SsoConnectionsGetInput {
  /** idp_id of the connection. */
  idp_id: string
  /** Must equal the environment of the API key, in any case. */
  environment?: string
  /** Associations to return as records instead of ids. */
  preload_associations?: Array<'default_redirection' | 'enterprise_connection_onboarding'>
}

/** Codes that `ssoConnections.get` answers. */
export type SsoConnectionsGetErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'sso_connection_not_found'
  | 'invalid_parameters'
  | 'rate_limited'
  | 'unavailable'

/** What `ssoConnections.update` takes. */
export interface SsoConnectionsUpdateInput {
  /** idp_id of the connection. */
  idp_id: string
  active?: boolean
  /** The current or an earlier default redirection of the connection. */
  default_redirection_id?: string
  /** Metadata XML of the identity provider; becomes the current version. */
  metadata?: string
  user_security_type?: 'none' | 'user_registered' | 'user_provisionned'
  /** Default: oidc for provider_type custom_oidc, otherwise saml. Cannot change once metadata or a client is stored. */
  protocol?: 'saml' | 'oidc'
  /** Issuer of the OpenID provider, exactly as in its discovery document; send it with oidc_client_id and oidc_client_secret. */
  issuer?: string
  oidc_client_id?: string
  /**
   * Stored encrypted and never returned.
   * Secret: do not log it.
   */
  oidc_client_secret?: string
  /** test, the built-in identity provider, exists only in the sandbox. */
  provider_type?:
    | 'okta'
    | 'entra_id'
    | 'google_workspace'
    | 'onelogin'
    | 'ping_one'
    | 'ping_federate'
    | 'adfs'
    | 'auth0'
    | 'jumpcloud'
    | 'keycloak'
    | 'custom_saml'
    | 'custom_oidc'
    | 'test'
  seats_limit?: number
  update_user_new_connection?: boolean
  /** Declares those that the organization does not have yet among its domains. */
  email_domains?: string[]
  other_domains?: 'refuse' | 'create' | 'any_address' | null
  idp_initiated?: 'bounce' | 'accept' | 'reject'
  allow_sha1?: boolean
  allow_cbc_unsigned_response?: boolean
  attribute_mapping?: Array<{
    /** SCIM path; of an SSO connection the name of a SAML attribute or claim, in any case. */
    from: string
    /** metadata.<key> with a declared key, or profile.<claim>. */
    to: string
  }>
  /** Replaces the mapping; needs the scope write:roles as well. */
  role_mapping?: {
    /** add: beside other roles of a user; authoritative: the only roles of the users that the mapping reaches. */
    mode: 'add' | 'authoritative'
    rules: Array<{
      /** Name of a SAML attribute or claim, in any case. */
      attribute: string
      /** Compared with each value as a whole and in any case. */
      value: string
      /** Names of roles of the account or of the organization, 1 to 5. */
      roles: string[]
    }>
  }
  /** Associations to return as records instead of ids. */
  preload_associations?: Array<'default_redirection' | 'enterprise_connection_onboarding'>
  /** Must equal the environment of the API key, in any case. */
  environment?: string
}

/** Codes that `ssoConnections.update` answers. */
export type SsoConnectionsUpdateErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'sso_connection_not_found'
  | 'default_redirection_not_found'
  | 'precondition_failed'
  | 'body_too_large'
  | 'media_type_unsupported'
  | 'invalid_parameters'
  | 'rate_limited'
  | 'unavailable'

/** What `ssoConnections.createDefaultRedirection` takes. */
export interface SsoConnectionsCreateDefaultRedirectionInput {
  /** idp_id of the connection. */
  idp_id: string
  /** UUID. */
  application_id: string
  /** The organization of the connection. */
  organization_id: string
  /** An allowed redirect URL of the application; if omitted, its default redirect URL, or else its first allowed one. */
  uri?: string
}

/** Codes that `ssoConnections.createDefaultRedirection` answers. */
export type SsoConnectionsCreateDefaultRedirectionErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'sso_connection_not_found'
  | 'application_not_found'
  | 'idempotency_in_flight'
  | 'body_too_large'
  | 'media_type_unsupported'
  | 'invalid_parameters'
  | 'idempotency_key_reused'
  | 'rate_limited'
  | 'unavailable'

/** What `ssoConnections.getDefaultRedirection` takes. */
export interface SsoConnectionsGetDefaultRedirectionInput {
  /** idp_id of the connection. */
  idp_id: string
  /** Must equal the environment of the API key, in any case. */
  environment?: string
}

/** Codes that `ssoConnections.getDefaultRedirection` answers. */
export type SsoConnectionsGetDefaultRedirectionErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'sso_connection_not_found'
  | 'default_redirection_not_found'
  | 'invalid_parameters'
  | 'rate_limited'
  | 'unavailable'

/** What `ssoConnections.setUserPolicy` takes. */
export interface SsoConnectionsSetUserPolicyInput {
  /** idp_id of the connection. */
  idp_id: string
  user_security_type: 'none' | 'user_registered' | 'user_provisionned'
}

/** Codes that `ssoConnections.setUserPolicy` answers. */
export type SsoConnectionsSetUserPolicyErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'sso_connection_not_found'
  | 'precondition_failed'
  | 'body_too_large'
  | 'media_type_unsupported'
  | 'invalid_parameters'
  | 'rate_limited'
  | 'unavailable'

/** What `ssoConnections.createOnboarding` takes. */
export interface SsoConnectionsCreateOnboardingInput {
  /** idp_id of the connection. */
  idp_id: string
  /** Personal data. */
  sso_admin_email: string
  /** test, the built-in identity provider, exists only in the sandbox. */
  provider_type?:
    | 'okta'
    | 'entra_id'
    | 'google_workspace'
    | 'onelogin'
    | 'ping_one'
    | 'ping_federate'
    | 'adfs'
    | 'auth0'
    | 'jumpcloud'
    | 'keycloak'
    | 'custom_saml'
    | 'custom_oidc'
    | 'test'
}

/** Codes that `ssoConnections.createOnboarding` answers. */
export type SsoConnectionsCreateOnboardingErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'sso_connection_not_found'
  | 'idempotency_in_flight'
  | 'onboarding_taken'
  | 'body_too_large'
  | 'media_type_unsupported'
  | 'invalid_parameters'
  | 'idempotency_key_reused'
  | 'rate_limited'
  | 'unavailable'

/** What `ssoConnections.updateOnboarding` takes. */
export interface SsoConnectionsUpdateOnboardingInput {
  /** idp_id of the connection. */
  idp_id: string
  /** Personal data. */
  sso_admin_email?: string
  /** A different value restarts the tutorial. */
  provider_type?:
    | 'okta'
    | 'entra_id'
    | 'google_workspace'
    | 'onelogin'
    | 'ping_one'
    | 'ping_federate'
    | 'adfs'
    | 'auth0'
    | 'jumpcloud'
    | 'keycloak'
    | 'custom_saml'
    | 'custom_oidc'
    | 'test'
}

/** Codes that `ssoConnections.updateOnboarding` answers. */
export type SsoConnectionsUpdateOnboardingErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'sso_connection_not_found'
  | 'onboarding_not_found'
  | 'precondition_failed'
  | 'body_too_large'
  | 'media_type_unsupported'
  | 'invalid_parameters'
  | 'rate_limited'
  | 'unavailable'

/** What `ssoConnections.inviteAdmin` takes. */
export interface SsoConnectionsInviteAdminInput {
  /** idp_id of the connection. */
  idp_id: string
}

/** Codes that `ssoConnections.inviteAdmin` answers. */
export type SsoConnectionsInviteAdminErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'sso_connection_not_found'
  | 'idempotency_in_flight'
  | 'body_too_large'
  | 'media_type_unsupported'
  | 'invalid_parameters'
  | 'idempotency_key_reused'
  | 'sso_admin_email_missing'
  | 'rate_limited'
  | 'unavailable'

/** What `ssoConnections.resetOnboarding` takes. */
export interface SsoConnectionsResetOnboardingInput {
  /** idp_id of the connection. */
  idp_id: string
}

/** Codes that `ssoConnections.resetOnboarding` answers. */
export type SsoConnectionsResetOnboardingErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'sso_connection_not_found'
  | 'onboarding_not_found'
  | 'precondition_failed'
  | 'body_too_large'
  | 'media_type_unsupported'
  | 'invalid_parameters'
  | 'rate_limited'
  | 'unavailable'

/** What `ssoConnections.activate` takes. */
export interface SsoConnectionsActivateInput {
  /** idp_id of the connection. */
  idp_id: string
}

/** Codes that `ssoConnections.activate` answers. */
export type SsoConnectionsActivateErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'sso_connection_not_found'
  | 'precondition_failed'
  | 'body_too_large'
  | 'media_type_unsupported'
  | 'invalid_parameters'
  | 'rate_limited'
  | 'unavailable'

/** What `ssoConnections.disable` takes. */
export interface SsoConnectionsDisableInput {
  /** idp_id of the connection. */
  idp_id: string
}

/** Codes that `ssoConnections.disable` answers. */
export type SsoConnectionsDisableErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'sso_connection_not_found'
  | 'precondition_failed'
  | 'body_too_large'
  | 'media_type_unsupported'
  | 'invalid_parameters'
  | 'rate_limited'
  | 'unavailable'

/** What `ssoConnections.useMetadata` takes. */
export interface SsoConnectionsUseMetadataInput {
  /** idp_id of the connection. */
  idp_id: string
  version: number
}

/** Codes that `ssoConnections.useMetadata` answers. */
export type SsoConnectionsUseMetadataErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'sso_connection_not_found'
  | 'sso_metadata_not_found'
  | 'precondition_failed'
  | 'body_too_large'
  | 'media_type_unsupported'
  | 'invalid_parameters'
  | 'rate_limited'
  | 'unavailable'

/** What `ssoConnections.useOidcClient` takes. */
export interface SsoConnectionsUseOidcClientInput {
  /** idp_id of the connection. */
  idp_id: string
  version: number
}

/** Codes that `ssoConnections.useOidcClient` answers. */
export type SsoConnectionsUseOidcClientErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'sso_connection_not_found'
  | 'sso_oidc_client_not_found'
  | 'precondition_failed'
  | 'body_too_large'
  | 'media_type_unsupported'
  | 'invalid_parameters'
  | 'rate_limited'
  | 'unavailable'

/** What `ssoConnections.listLoginTraces` takes. */
export interface SsoConnectionsListLoginTracesInput {
  /** idp_id of the connection. */
  idp_id: string
  /** Page number, starting at 1. */
  page?: unknown
  /** The same as page. */
  current_page?: unknown
  /** Records on a page: 1 to 100. */
  per_page?: unknown
  /** next_cursor of the previous page. */
  after?: string
  /** Must equal the environment of the API key, in any case. */
  environment?: string
  /** Only login attempts with this outcome. */
  outcome?: 'arrived' | 'success' | 'failed'
  /** Only the login attempt whose page showed this reference. */
  request_id?: string
}

/** Codes that `ssoConnections.listLoginTraces` answers. */
export type SsoConnectionsListLoginTracesErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'sso_connection_not_found'
  | 'rate_limited'
  | 'unavailable'

/** What `ssoConnections.createSamlChallenge` takes. */
export interface SsoConnectionsCreateSamlChallengeInput {
  /** An allowed redirect URL of an application; any other is replaced by the default redirect URL. */
  redirect_uri?: string
  /** Required without user_email. */
  org_domain?: string
  /**
   * Address of the user, whose domain selects the connection; required without org_domain.
   * Personal data.
   */
  user_email?: string
  /** Selects the connection of an organization that has several. */
  idp_id?: string
  /** Application that receives the code. */
  application_id?: string
  /** Returned unchanged on the redirect. */
  state?: string
  /** Returned unchanged in the ID token. */
  nonce?: string
  code_challenge?: string
  code_challenge_method?: 'S256'
  /** openid and the sign-in method are always granted; offline_access, profile, email, phone, address and organization on request; no other scope is granted. */
  scope?: string
}

/** Codes that `ssoConnections.createSamlChallenge` answers. */
export type SsoConnectionsCreateSamlChallengeErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'organization_not_found'
  | 'sso_connection_not_found'
  | 'application_not_found'
  | 'connection_inactive'
  | 'sso_connection_not_configured'
  | 'body_too_large'
  | 'media_type_unsupported'
  | 'invalid_parameters'
  | 'no_application'
  | 'rate_limited'
  | 'unavailable'

/** What `ssoConnections.createOauthChallenge` takes. */
export interface SsoConnectionsCreateOauthChallengeInput {
  /** An allowed redirect URL of an application; any other is replaced by the default redirect URL. */
  redirect_uri?: string
  /** Required without user_email. */
  org_domain?: string
  /**
   * Address of the user, whose domain selects the connection; required without org_domain.
   * Personal data.
   */
  user_email?: string
  /** Selects the connection of an organization that has several. */
  idp_id?: string
  /** Application that receives the code. */
  application_id?: string
  /** Returned unchanged on the redirect. */
  state?: string
  /** Returned unchanged in the ID token. */
  nonce?: string
  code_challenge?: string
  code_challenge_method?: 'S256'
  /** openid and the sign-in method are always granted; offline_access, profile, email, phone, address and organization on request; no other scope is granted. */
  scope?: string
}

/** Codes that `ssoConnections.createOauthChallenge` answers. */
export type SsoConnectionsCreateOauthChallengeErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'organization_not_found'
  | 'sso_connection_not_found'
  | 'application_not_found'
  | 'connection_inactive'
  | 'sso_connection_not_configured'
  | 'body_too_large'
  | 'media_type_unsupported'
  | 'invalid_parameters'
  | 'no_application'
  | 'rate_limited'
  | 'unavailable'

/** What `admins.invite` takes. */
export interface AdminsInviteInput {
  /** Domain of the organization. */
  org_domain: string
  /** Personal data. */
  email: string
}

/** Codes that `admins.invite` answers. */
export type AdminsInviteErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'organization_not_found'
  | 'idempotency_in_flight'
  | 'body_too_large'
  | 'media_type_unsupported'
  | 'invalid_parameters'
  | 'idempotency_key_reused'
  | 'rate_limited'
  | 'unavailable'

/** What `admins.list` takes. */
export interface AdminsListInput {
  /** Domain of the organization. */
  org_domain: string
  /** Page number, starting at 1. */
  page?: unknown
  /** The same as page. */
  current_page?: unknown
  /** Records on a page: 1 to 100. */
  per_page?: unknown
  /** next_cursor of the previous page. */
  after?: string
  /** Must equal the environment of the API key, in any case. */
  environment?: string
}

/** Codes that `admins.list` answers. */
export type AdminsListErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'organization_not_found'
  | 'rate_limited'
  | 'unavailable'

/** What `admins.delete` takes. */
export interface AdminsDeleteInput {
  /** Domain of the organization. */
  org_domain: string
  email: string
}

/** Codes that `admins.delete` answers. */
export type AdminsDeleteErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'organization_not_found'
  | 'admin_not_found'
  | 'production_is_up'
  | 'body_too_large'
  | 'media_type_unsupported'
  | 'invalid_parameters'
  | 'rate_limited'
  | 'unavailable'

/** What `directorySync.create` takes. */
export interface DirectorySyncCreateInput {
  /** Domain of the organization. */
  org_domain: string
  provider_type: 'okta' | 'entra_id' | 'onelogin' | 'jumpcloud' | 'ping_one' | 'custom_scim'
  /** An inactive directory answers 403 to every request of its provider. */
  active?: boolean
  /** An existing user with the same verified e-mail address is taken over by the directory instead of being refused as taken. */
  takes_over_users?: boolean
  extension_schemas?: Array<{
    id: string
    attributes: Array<{
      name: string
      type: 'string' | 'boolean' | 'integer' | 'decimal' | 'dateTime'
      multiValued?: boolean
    }>
  }>
  attribute_mapping?: Array<{
    /** SCIM path; of an SSO connection the name of a SAML attribute or claim, in any case. */
    from: string
    /** metadata.<key> with a declared key, or profile.<claim>. */
    to: string
  }>
  /** Replaces the mapping; needs the scope write:roles as well. */
  role_mapping?: {
    /** add: beside other roles of a user; authoritative: the only roles of the users that the mapping reaches. */
    mode: 'add' | 'authoritative'
    rules: Array<{
      /** Display name of a group, compared as a whole and in any case; not with attribute. */
      group?: string
      /** roles, entitlements, or a path that attribute_mapping names; with value. */
      attribute?: string
      /** Compared as a whole and in any case. */
      value?: string
      /** Names of roles of the account or of the organization, 1 to 5. */
      roles: string[]
    }>
  }
  /** Must equal the environment of the API key, in any case. */
  environment?: string
}

/** Codes that `directorySync.create` answers. */
export type DirectorySyncCreateErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'organization_not_found'
  | 'idempotency_in_flight'
  | 'directory_sync_taken'
  | 'body_too_large'
  | 'media_type_unsupported'
  | 'invalid_parameters'
  | 'idempotency_key_reused'
  | 'rate_limited'
  | 'unavailable'

/** What `directorySync.get` takes. */
export interface DirectorySyncGetInput {
  /** Domain of the organization. */
  org_domain: string
  /** Must equal the environment of the API key, in any case. */
  environment?: string
}

/** Codes that `directorySync.get` answers. */
export type DirectorySyncGetErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'organization_not_found'
  | 'directory_sync_not_found'
  | 'invalid_parameters'
  | 'rate_limited'
  | 'unavailable'

/** What `directorySync.update` takes. */
export interface DirectorySyncUpdateInput {
  /** Domain of the organization. */
  org_domain: string
  provider_type?: 'okta' | 'entra_id' | 'onelogin' | 'jumpcloud' | 'ping_one' | 'custom_scim'
  /** An inactive directory answers 403 to every request of its provider. */
  active?: boolean
  /** An existing user with the same verified e-mail address is taken over by the directory instead of being refused as taken. */
  takes_over_users?: boolean
  extension_schemas?: Array<{
    id: string
    attributes: Array<{
      name: string
      type: 'string' | 'boolean' | 'integer' | 'decimal' | 'dateTime'
      multiValued?: boolean
    }>
  }>
  attribute_mapping?: Array<{
    /** SCIM path; of an SSO connection the name of a SAML attribute or claim, in any case. */
    from: string
    /** metadata.<key> with a declared key, or profile.<claim>. */
    to: string
  }>
  /** Replaces the mapping; needs the scope write:roles as well. */
  role_mapping?: {
    /** add: beside other roles of a user; authoritative: the only roles of the users that the mapping reaches. */
    mode: 'add' | 'authoritative'
    rules: Array<{
      /** Display name of a group, compared as a whole and in any case; not with attribute. */
      group?: string
      /** roles, entitlements, or a path that attribute_mapping names; with value. */
      attribute?: string
      /** Compared as a whole and in any case. */
      value?: string
      /** Names of roles of the account or of the organization, 1 to 5. */
      roles: string[]
    }>
  }
  /** Must equal the environment of the API key, in any case. */
  environment?: string
}

/** Codes that `directorySync.update` answers. */
export type DirectorySyncUpdateErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'organization_not_found'
  | 'directory_sync_not_found'
  | 'precondition_failed'
  | 'body_too_large'
  | 'media_type_unsupported'
  | 'invalid_parameters'
  | 'rate_limited'
  | 'unavailable'

/** What `directorySync.delete` takes. */
export interface DirectorySyncDeleteInput {
  /** Domain of the organization. */
  org_domain: string
}

/** Codes that `directorySync.delete` answers. */
export type DirectorySyncDeleteErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'organization_not_found'
  | 'directory_sync_not_found'
  | 'precondition_failed'
  | 'body_too_large'
  | 'media_type_unsupported'
  | 'invalid_parameters'
  | 'rate_limited'
  | 'unavailable'

/** What `directorySync.reset` takes. */
export interface DirectorySyncResetInput {
  /** Domain of the organization. */
  org_domain: string
}

/** Codes that `directorySync.reset` answers. */
export type DirectorySyncResetErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'organization_not_found'
  | 'directory_sync_not_found'
  | 'precondition_failed'
  | 'body_too_large'
  | 'media_type_unsupported'
  | 'invalid_parameters'
  | 'rate_limited'
  | 'unavailable'

/** What `directorySync.listRequests` takes. */
export interface DirectorySyncListRequestsInput {
  /** Domain of the organization. */
  org_domain: string
  /** Page number, starting at 1. */
  page?: unknown
  /** The same as page. */
  current_page?: unknown
  /** Records on a page: 1 to 100. */
  per_page?: unknown
  /** next_cursor of the previous page. */
  after?: string
  /** Must equal the environment of the API key, in any case. */
  environment?: string
  /** Only requests answered with this status. */
  status?: number
  /** UUID. */
  user_id?: string
}

/** Codes that `directorySync.listRequests` answers. */
export type DirectorySyncListRequestsErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'organization_not_found'
  | 'directory_sync_not_found'
  | 'rate_limited'
  | 'unavailable'

/** What `relays.create` takes. */
export interface RelaysCreateInput {
  partner_domain: string
  /** An allowed redirect URL of an application that the partner can use. */
  partner_redirect_uri: string
  /** Must equal the environment of the API key, in any case. */
  environment?: string
}

/** Codes that `relays.create` answers. */
export type RelaysCreateErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'key_limited_to_organizations'
  | 'organization_not_found'
  | 'idempotency_in_flight'
  | 'partner_not_open'
  | 'body_too_large'
  | 'media_type_unsupported'
  | 'invalid_parameters'
  | 'idempotency_key_reused'
  | 'rate_limited'
  | 'unavailable'

/** What `relays.list` takes. */
export interface RelaysListInput {
  /** Page number, starting at 1. */
  page?: unknown
  /** The same as page. */
  current_page?: unknown
  /** Records on a page: 1 to 100. */
  per_page?: unknown
  /** next_cursor of the previous page. */
  after?: string
  /** Must equal the environment of the API key, in any case. */
  environment?: string
}

/** Codes that `relays.list` answers. */
export type RelaysListErrorCode =
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'key_limited_to_organizations'
  | 'rate_limited'
  | 'unavailable'

/** What `relays.get` takes. */
export interface RelaysGetInput {
  /** UUID. */
  relay_id: string
  /** Must equal the environment of the API key, in any case. */
  environment?: string
}

/** Codes that `relays.get` answers. */
export type RelaysGetErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'key_limited_to_organizations'
  | 'relay_not_found'
  | 'invalid_parameters'
  | 'rate_limited'
  | 'unavailable'

/** What `relays.update` takes. */
export interface RelaysUpdateInput {
  /** UUID. */
  relay_id: string
  /** An allowed redirect URL of an application that the partner can use. */
  partner_redirect_uri?: string
  active?: boolean
  /** Must equal the environment of the API key, in any case. */
  environment?: string
}

/** Codes that `relays.update` answers. */
export type RelaysUpdateErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'key_limited_to_organizations'
  | 'relay_not_found'
  | 'partner_not_open'
  | 'precondition_failed'
  | 'body_too_large'
  | 'media_type_unsupported'
  | 'invalid_parameters'
  | 'rate_limited'
  | 'unavailable'

/** What `relays.delete` takes. */
export interface RelaysDeleteInput {
  /** UUID. */
  relay_id: string
}

/** Codes that `relays.delete` answers. */
export type RelaysDeleteErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'key_limited_to_organizations'
  | 'relay_not_found'
  | 'precondition_failed'
  | 'body_too_large'
  | 'media_type_unsupported'
  | 'invalid_parameters'
  | 'rate_limited'
  | 'unavailable'

/** What `relays.request` takes. */
export interface RelaysRequestInput {
  /** UUID. */
  relay_id: string
  /**
   * The access token of the user who is signed in.
   * Secret: do not log it.
   */
  access_token: string
  /** openid and the sign-in method are always granted; offline_access, profile, email, phone, address and organization on request; no other scope is granted. */
  scope?: string
}

/** Codes that `relays.request` answers. */
export type RelaysRequestErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'key_limited_to_organizations'
  | 'relay_not_found'
  | 'relay_inactive'
  | 'partner_not_open'
  | 'body_too_large'
  | 'media_type_unsupported'
  | 'invalid_parameters'
  | 'access_token_refused'
  | 'rate_limited'
  | 'unavailable'

/** What `events.list` takes. */
export interface EventsListInput {
  /** cursor of an event or of the previous answer; latest: only events from now on; default: from the oldest stored event. */
  after?: string
  /** Maximum number of events in the answer: 1 to 100. */
  limit?: number
  /** Must equal the environment of the API key, in any case. */
  environment?: string
  /** Only events of this code, or of a family such as user.all. */
  code?:
    | 'all'
    | 'organization.all'
    | 'domain.all'
    | 'account.all'
    | 'user.all'
    | 'invitation.all'
    | 'role.all'
    | 'social.all'
    | 'application.all'
    | 'metakey.all'
    | 'magic_link.all'
    | 'password.all'
    | 'totp.all'
    | 'passkey.all'
    | 'sso.all'
    | 'admin.all'
    | 'dir_sync.all'
    | 'relay.all'
    | 'api_key.all'
    | 'webhook.all'
    | 'sso_saml.all'
    | 'organization.organization.create.success'
    | 'organization.organization.update.success'
    | 'organization.organization.delete.success'
    | 'organization.policy.update.success'
    | 'domain.domain.create.success'
    | 'domain.domain.update.success'
    | 'domain.domain.delete.success'
    | 'domain.domain.verify.success'
    | 'domain.domain.lapse.success'
    | 'domain.domain.expire.success'
    | 'domain.domain.share.success'
    | 'account.account.update.success'
    | 'user.user.create.success'
    | 'user.user.update.success'
    | 'user.user.delete.success'
    | 'user.user.erase.success'
    | 'user.metadata.set.success'
    | 'user.metadata.remove.success'
    | 'user.roles.update.success'
    | 'invitation.invitation.create.success'
    | 'invitation.invitation.update.success'
    | 'invitation.invitation.resend.success'
    | 'invitation.invitation.revoke.success'
    | 'invitation.invitation.accept.success'
    | 'invitation.invitation.accept.fail'
    | 'invitation.invitation.expire.success'
    | 'invitation.join_request.create.success'
    | 'invitation.join_request.approve.success'
    | 'invitation.join_request.deny.success'
    | 'invitation.join_request.expire.success'
    | 'user.deletion.request.success'
    | 'user.email_change.request.success'
    | 'user.email_change.revert.success'
    | 'user.identity.link.success'
    | 'user.identity.unlink.success'
    | 'user.session.create.success'
    | 'user.session.end.success'
    | 'user.session.end_all.success'
    | 'user.impersonation.create.success'
    | 'user.impersonation.start.success'
    | 'user.impersonation.end.success'
    | 'role.role.create.success'
    | 'role.role.update.success'
    | 'role.role.delete.success'
    | 'role.permission.create.success'
    | 'role.permission.update.success'
    | 'role.permission.delete.success'
    | 'social.provider.create.success'
    | 'social.provider.update.success'
    | 'social.provider.delete.success'
    | 'social.provider.expire.success'
    | 'social.connection.update.success'
    | 'application.application.create.success'
    | 'application.application.update.success'
    | 'application.application.delete.success'
    | 'application.secret.create.success'
    | 'application.secret.delete.success'
    | 'metakey.metakey.create.success'
    | 'metakey.metakey.delete.success'
    | 'magic_link.connection.update.success'
    | 'magic_link.challenge.create.success'
    | 'magic_link.challenge.consume.success'
    | 'password.connection.create.success'
    | 'password.connection.update.success'
    | 'password.request.create.success'
    | 'password.challenge.create.success'
    | 'password.password.set.success'
    | 'totp.connection.update.success'
    | 'totp.enrollment.create.success'
    | 'totp.enrollment.validate.success'
    | 'totp.enrollment.delete.success'
    | 'totp.challenge.create.success'
    | 'totp.challenge.validate.success'
    | 'passkey.connection.update.success'
    | 'passkey.passkey.create.success'
    | 'passkey.passkey.update.success'
    | 'passkey.passkey.delete.success'
    | 'passkey.passkey.disable.success'
    | 'passkey.recovery.open.success'
    | 'passkey.challenge.validate.success'
    | 'sso.connection.create.success'
    | 'sso.connection.update.success'
    | 'sso.default_redirection.create.success'
    | 'sso.onboarding.create.success'
    | 'sso.onboarding.update.success'
    | 'sso.onboarding.invite.success'
    | 'sso.onboarding.reset.success'
    | 'sso.challenge.create.success'
    | 'sso.oauth_challenge.create.success'
    | 'sso.certificate.expire.success'
    | 'admin.admin.invite.success'
    | 'admin.admin.update.success'
    | 'admin.admin.delete.success'
    | 'dir_sync.directory.create.success'
    | 'dir_sync.directory.update.success'
    | 'dir_sync.directory.delete.success'
    | 'dir_sync.directory.reset.success'
    | 'dir_sync.user.provision.success'
    | 'dir_sync.user.provision.fail'
    | 'dir_sync.user.update.success'
    | 'dir_sync.user.update.fail'
    | 'dir_sync.user.deprovision.success'
    | 'dir_sync.user.deprovision.fail'
    | 'dir_sync.group.provision.success'
    | 'dir_sync.group.provision.fail'
    | 'dir_sync.group.update.success'
    | 'dir_sync.group.update.fail'
    | 'dir_sync.group.deprovision.success'
    | 'dir_sync.group.deprovision.fail'
    | 'relay.relay.create.success'
    | 'relay.relay.update.success'
    | 'relay.relay.delete.success'
    | 'relay.request.create.success'
    | 'relay.request.consume.success'
    | 'api_key.api_key.create.success'
    | 'api_key.api_key.rotate.success'
    | 'api_key.api_key.revoke.success'
    | 'webhook.webhook.create.success'
    | 'webhook.webhook.update.success'
    | 'webhook.webhook.delete.success'
    | 'webhook.webhook.rotate.success'
    | 'webhook.webhook.test.success'
    | 'webhook.webhook.disable.success'
    | 'webhook.delivery.redeliver.success'
}

/** Codes that `events.list` answers. */
export type EventsListErrorCode =
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'key_limited_to_organizations'
  | 'events_expired'
  | 'invalid_parameters'
  | 'rate_limited'
  | 'unavailable'

/** What `webhooks.create` takes. */
export interface WebhooksCreateInput {
  name: string
  /** Public https URL on port 443 or above 1023, without user name, password or fragment. */
  target_url: string
  /** Codes, families such as user.all, or all. */
  event_codes: Array<
    | 'all'
    | 'organization.all'
    | 'domain.all'
    | 'account.all'
    | 'user.all'
    | 'invitation.all'
    | 'role.all'
    | 'social.all'
    | 'application.all'
    | 'metakey.all'
    | 'magic_link.all'
    | 'password.all'
    | 'totp.all'
    | 'passkey.all'
    | 'sso.all'
    | 'admin.all'
    | 'dir_sync.all'
    | 'relay.all'
    | 'api_key.all'
    | 'webhook.all'
    | 'sso_saml.all'
    | 'organization.organization.create.success'
    | 'organization.organization.update.success'
    | 'organization.organization.delete.success'
    | 'organization.policy.update.success'
    | 'domain.domain.create.success'
    | 'domain.domain.update.success'
    | 'domain.domain.delete.success'
    | 'domain.domain.verify.success'
    | 'domain.domain.lapse.success'
    | 'domain.domain.expire.success'
    | 'domain.domain.share.success'
    | 'account.account.update.success'
    | 'user.user.create.success'
    | 'user.user.update.success'
    | 'user.user.delete.success'
    | 'user.user.erase.success'
    | 'user.metadata.set.success'
    | 'user.metadata.remove.success'
    | 'user.roles.update.success'
    | 'invitation.invitation.create.success'
    | 'invitation.invitation.update.success'
    | 'invitation.invitation.resend.success'
    | 'invitation.invitation.revoke.success'
    | 'invitation.invitation.accept.success'
    | 'invitation.invitation.accept.fail'
    | 'invitation.invitation.expire.success'
    | 'invitation.join_request.create.success'
    | 'invitation.join_request.approve.success'
    | 'invitation.join_request.deny.success'
    | 'invitation.join_request.expire.success'
    | 'user.deletion.request.success'
    | 'user.email_change.request.success'
    | 'user.email_change.revert.success'
    | 'user.identity.link.success'
    | 'user.identity.unlink.success'
    | 'user.session.create.success'
    | 'user.session.end.success'
    | 'user.session.end_all.success'
    | 'user.impersonation.create.success'
    | 'user.impersonation.start.success'
    | 'user.impersonation.end.success'
    | 'role.role.create.success'
    | 'role.role.update.success'
    | 'role.role.delete.success'
    | 'role.permission.create.success'
    | 'role.permission.update.success'
    | 'role.permission.delete.success'
    | 'social.provider.create.success'
    | 'social.provider.update.success'
    | 'social.provider.delete.success'
    | 'social.provider.expire.success'
    | 'social.connection.update.success'
    | 'application.application.create.success'
    | 'application.application.update.success'
    | 'application.application.delete.success'
    | 'application.secret.create.success'
    | 'application.secret.delete.success'
    | 'metakey.metakey.create.success'
    | 'metakey.metakey.delete.success'
    | 'magic_link.connection.update.success'
    | 'magic_link.challenge.create.success'
    | 'magic_link.challenge.consume.success'
    | 'password.connection.create.success'
    | 'password.connection.update.success'
    | 'password.request.create.success'
    | 'password.challenge.create.success'
    | 'password.password.set.success'
    | 'totp.connection.update.success'
    | 'totp.enrollment.create.success'
    | 'totp.enrollment.validate.success'
    | 'totp.enrollment.delete.success'
    | 'totp.challenge.create.success'
    | 'totp.challenge.validate.success'
    | 'passkey.connection.update.success'
    | 'passkey.passkey.create.success'
    | 'passkey.passkey.update.success'
    | 'passkey.passkey.delete.success'
    | 'passkey.passkey.disable.success'
    | 'passkey.recovery.open.success'
    | 'passkey.challenge.validate.success'
    | 'sso.connection.create.success'
    | 'sso.connection.update.success'
    | 'sso.default_redirection.create.success'
    | 'sso.onboarding.create.success'
    | 'sso.onboarding.update.success'
    | 'sso.onboarding.invite.success'
    | 'sso.onboarding.reset.success'
    | 'sso.challenge.create.success'
    | 'sso.oauth_challenge.create.success'
    | 'sso.certificate.expire.success'
    | 'admin.admin.invite.success'
    | 'admin.admin.update.success'
    | 'admin.admin.delete.success'
    | 'dir_sync.directory.create.success'
    | 'dir_sync.directory.update.success'
    | 'dir_sync.directory.delete.success'
    | 'dir_sync.directory.reset.success'
    | 'dir_sync.user.provision.success'
    | 'dir_sync.user.provision.fail'
    | 'dir_sync.user.update.success'
    | 'dir_sync.user.update.fail'
    | 'dir_sync.user.deprovision.success'
    | 'dir_sync.user.deprovision.fail'
    | 'dir_sync.group.provision.success'
    | 'dir_sync.group.provision.fail'
    | 'dir_sync.group.update.success'
    | 'dir_sync.group.update.fail'
    | 'dir_sync.group.deprovision.success'
    | 'dir_sync.group.deprovision.fail'
    | 'relay.relay.create.success'
    | 'relay.relay.update.success'
    | 'relay.relay.delete.success'
    | 'relay.request.create.success'
    | 'relay.request.consume.success'
    | 'api_key.api_key.create.success'
    | 'api_key.api_key.rotate.success'
    | 'api_key.api_key.revoke.success'
    | 'webhook.webhook.create.success'
    | 'webhook.webhook.update.success'
    | 'webhook.webhook.delete.success'
    | 'webhook.webhook.rotate.success'
    | 'webhook.webhook.test.success'
    | 'webhook.webhook.disable.success'
    | 'webhook.delivery.redeliver.success'
  >
  /** Default: true. */
  active?: boolean
  /** Default: false. */
  retry_on_timeout?: boolean
}

/** Codes that `webhooks.create` answers. */
export type WebhooksCreateErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'key_limited_to_organizations'
  | 'idempotency_in_flight'
  | 'body_too_large'
  | 'media_type_unsupported'
  | 'invalid_parameters'
  | 'idempotency_key_reused'
  | 'webhooks_exhausted'
  | 'rate_limited'
  | 'unavailable'

/** What `webhooks.list` takes. */
export interface WebhooksListInput {
  /** Page number, starting at 1. */
  page?: unknown
  /** The same as page. */
  current_page?: unknown
  /** Records on a page: 1 to 100. */
  per_page?: unknown
  /** next_cursor of the previous page. */
  after?: string
  /** Must equal the environment of the API key, in any case. */
  environment?: string
}

/** Codes that `webhooks.list` answers. */
export type WebhooksListErrorCode =
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'key_limited_to_organizations'
  | 'rate_limited'
  | 'unavailable'

/** What `webhooks.get` takes. */
export interface WebhooksGetInput {
  /** UUID. */
  webhook_id: string
  /** Must equal the environment of the API key, in any case. */
  environment?: string
}

/** Codes that `webhooks.get` answers. */
export type WebhooksGetErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'key_limited_to_organizations'
  | 'webhook_not_found'
  | 'invalid_parameters'
  | 'rate_limited'
  | 'unavailable'

/** What `webhooks.update` takes. */
export interface WebhooksUpdateInput {
  /** UUID. */
  webhook_id: string
  name?: string
  /** Public https URL on port 443 or above 1023, without user name, password or fragment. */
  target_url?: string
  /** Codes, families such as user.all, or all. */
  event_codes?: Array<
    | 'all'
    | 'organization.all'
    | 'domain.all'
    | 'account.all'
    | 'user.all'
    | 'invitation.all'
    | 'role.all'
    | 'social.all'
    | 'application.all'
    | 'metakey.all'
    | 'magic_link.all'
    | 'password.all'
    | 'totp.all'
    | 'passkey.all'
    | 'sso.all'
    | 'admin.all'
    | 'dir_sync.all'
    | 'relay.all'
    | 'api_key.all'
    | 'webhook.all'
    | 'sso_saml.all'
    | 'organization.organization.create.success'
    | 'organization.organization.update.success'
    | 'organization.organization.delete.success'
    | 'organization.policy.update.success'
    | 'domain.domain.create.success'
    | 'domain.domain.update.success'
    | 'domain.domain.delete.success'
    | 'domain.domain.verify.success'
    | 'domain.domain.lapse.success'
    | 'domain.domain.expire.success'
    | 'domain.domain.share.success'
    | 'account.account.update.success'
    | 'user.user.create.success'
    | 'user.user.update.success'
    | 'user.user.delete.success'
    | 'user.user.erase.success'
    | 'user.metadata.set.success'
    | 'user.metadata.remove.success'
    | 'user.roles.update.success'
    | 'invitation.invitation.create.success'
    | 'invitation.invitation.update.success'
    | 'invitation.invitation.resend.success'
    | 'invitation.invitation.revoke.success'
    | 'invitation.invitation.accept.success'
    | 'invitation.invitation.accept.fail'
    | 'invitation.invitation.expire.success'
    | 'invitation.join_request.create.success'
    | 'invitation.join_request.approve.success'
    | 'invitation.join_request.deny.success'
    | 'invitation.join_request.expire.success'
    | 'user.deletion.request.success'
    | 'user.email_change.request.success'
    | 'user.email_change.revert.success'
    | 'user.identity.link.success'
    | 'user.identity.unlink.success'
    | 'user.session.create.success'
    | 'user.session.end.success'
    | 'user.session.end_all.success'
    | 'user.impersonation.create.success'
    | 'user.impersonation.start.success'
    | 'user.impersonation.end.success'
    | 'role.role.create.success'
    | 'role.role.update.success'
    | 'role.role.delete.success'
    | 'role.permission.create.success'
    | 'role.permission.update.success'
    | 'role.permission.delete.success'
    | 'social.provider.create.success'
    | 'social.provider.update.success'
    | 'social.provider.delete.success'
    | 'social.provider.expire.success'
    | 'social.connection.update.success'
    | 'application.application.create.success'
    | 'application.application.update.success'
    | 'application.application.delete.success'
    | 'application.secret.create.success'
    | 'application.secret.delete.success'
    | 'metakey.metakey.create.success'
    | 'metakey.metakey.delete.success'
    | 'magic_link.connection.update.success'
    | 'magic_link.challenge.create.success'
    | 'magic_link.challenge.consume.success'
    | 'password.connection.create.success'
    | 'password.connection.update.success'
    | 'password.request.create.success'
    | 'password.challenge.create.success'
    | 'password.password.set.success'
    | 'totp.connection.update.success'
    | 'totp.enrollment.create.success'
    | 'totp.enrollment.validate.success'
    | 'totp.enrollment.delete.success'
    | 'totp.challenge.create.success'
    | 'totp.challenge.validate.success'
    | 'passkey.connection.update.success'
    | 'passkey.passkey.create.success'
    | 'passkey.passkey.update.success'
    | 'passkey.passkey.delete.success'
    | 'passkey.passkey.disable.success'
    | 'passkey.recovery.open.success'
    | 'passkey.challenge.validate.success'
    | 'sso.connection.create.success'
    | 'sso.connection.update.success'
    | 'sso.default_redirection.create.success'
    | 'sso.onboarding.create.success'
    | 'sso.onboarding.update.success'
    | 'sso.onboarding.invite.success'
    | 'sso.onboarding.reset.success'
    | 'sso.challenge.create.success'
    | 'sso.oauth_challenge.create.success'
    | 'sso.certificate.expire.success'
    | 'admin.admin.invite.success'
    | 'admin.admin.update.success'
    | 'admin.admin.delete.success'
    | 'dir_sync.directory.create.success'
    | 'dir_sync.directory.update.success'
    | 'dir_sync.directory.delete.success'
    | 'dir_sync.directory.reset.success'
    | 'dir_sync.user.provision.success'
    | 'dir_sync.user.provision.fail'
    | 'dir_sync.user.update.success'
    | 'dir_sync.user.update.fail'
    | 'dir_sync.user.deprovision.success'
    | 'dir_sync.user.deprovision.fail'
    | 'dir_sync.group.provision.success'
    | 'dir_sync.group.provision.fail'
    | 'dir_sync.group.update.success'
    | 'dir_sync.group.update.fail'
    | 'dir_sync.group.deprovision.success'
    | 'dir_sync.group.deprovision.fail'
    | 'relay.relay.create.success'
    | 'relay.relay.update.success'
    | 'relay.relay.delete.success'
    | 'relay.request.create.success'
    | 'relay.request.consume.success'
    | 'api_key.api_key.create.success'
    | 'api_key.api_key.rotate.success'
    | 'api_key.api_key.revoke.success'
    | 'webhook.webhook.create.success'
    | 'webhook.webhook.update.success'
    | 'webhook.webhook.delete.success'
    | 'webhook.webhook.rotate.success'
    | 'webhook.webhook.test.success'
    | 'webhook.webhook.disable.success'
    | 'webhook.delivery.redeliver.success'
  >
  /** Default: true. */
  active?: boolean
  /** Default: false. */
  retry_on_timeout?: boolean
}

/** Codes that `webhooks.update` answers. */
export type WebhooksUpdateErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'key_limited_to_organizations'
  | 'webhook_not_found'
  | 'precondition_failed'
  | 'body_too_large'
  | 'media_type_unsupported'
  | 'invalid_parameters'
  | 'rate_limited'
  | 'unavailable'

/** What `webhooks.delete` takes. */
export interface WebhooksDeleteInput {
  /** UUID. */
  webhook_id: string
}

/** Codes that `webhooks.delete` answers. */
export type WebhooksDeleteErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'key_limited_to_organizations'
  | 'webhook_not_found'
  | 'precondition_failed'
  | 'body_too_large'
  | 'media_type_unsupported'
  | 'invalid_parameters'
  | 'rate_limited'
  | 'unavailable'

/** What `webhooks.rotateSignatureKey` takes. */
export interface WebhooksRotateSignatureKeyInput {
  /** UUID. */
  webhook_id: string
}

/** Codes that `webhooks.rotateSignatureKey` answers. */
export type WebhooksRotateSignatureKeyErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'key_limited_to_organizations'
  | 'webhook_not_found'
  | 'idempotency_in_flight'
  | 'body_too_large'
  | 'media_type_unsupported'
  | 'invalid_parameters'
  | 'idempotency_key_reused'
  | 'rate_limited'
  | 'unavailable'

/** What `webhooks.test` takes. */
export interface WebhooksTestInput {
  /** UUID. */
  webhook_id: string
}

/** Codes that `webhooks.test` answers. */
export type WebhooksTestErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'key_limited_to_organizations'
  | 'sandbox_only'
  | 'webhook_not_found'
  | 'idempotency_in_flight'
  | 'body_too_large'
  | 'media_type_unsupported'
  | 'invalid_parameters'
  | 'idempotency_key_reused'
  | 'rate_limited'
  | 'unavailable'

/** What `webhooks.listDeliveries` takes. */
export interface WebhooksListDeliveriesInput {
  /** UUID. */
  webhook_id: string
  /** Page number, starting at 1. */
  page?: unknown
  /** The same as page. */
  current_page?: unknown
  /** Records on a page: 1 to 100. */
  per_page?: unknown
  /** next_cursor of the previous page. */
  after?: string
  /** Must equal the environment of the API key, in any case. */
  environment?: string
  /** Only deliveries in this state. */
  state?: 'pending' | 'delivered' | 'failed' | 'lost'
  /** Only deliveries of this event code. */
  event_code?:
    | 'organization.organization.create.success'
    | 'organization.organization.update.success'
    | 'organization.organization.delete.success'
    | 'organization.policy.update.success'
    | 'domain.domain.create.success'
    | 'domain.domain.update.success'
    | 'domain.domain.delete.success'
    | 'domain.domain.verify.success'
    | 'domain.domain.lapse.success'
    | 'domain.domain.expire.success'
    | 'domain.domain.share.success'
    | 'account.account.update.success'
    | 'user.user.create.success'
    | 'user.user.update.success'
    | 'user.user.delete.success'
    | 'user.user.erase.success'
    | 'user.metadata.set.success'
    | 'user.metadata.remove.success'
    | 'user.roles.update.success'
    | 'invitation.invitation.create.success'
    | 'invitation.invitation.update.success'
    | 'invitation.invitation.resend.success'
    | 'invitation.invitation.revoke.success'
    | 'invitation.invitation.accept.success'
    | 'invitation.invitation.accept.fail'
    | 'invitation.invitation.expire.success'
    | 'invitation.join_request.create.success'
    | 'invitation.join_request.approve.success'
    | 'invitation.join_request.deny.success'
    | 'invitation.join_request.expire.success'
    | 'user.deletion.request.success'
    | 'user.email_change.request.success'
    | 'user.email_change.revert.success'
    | 'user.identity.link.success'
    | 'user.identity.unlink.success'
    | 'user.session.create.success'
    | 'user.session.end.success'
    | 'user.session.end_all.success'
    | 'user.impersonation.create.success'
    | 'user.impersonation.start.success'
    | 'user.impersonation.end.success'
    | 'role.role.create.success'
    | 'role.role.update.success'
    | 'role.role.delete.success'
    | 'role.permission.create.success'
    | 'role.permission.update.success'
    | 'role.permission.delete.success'
    | 'social.provider.create.success'
    | 'social.provider.update.success'
    | 'social.provider.delete.success'
    | 'social.provider.expire.success'
    | 'social.connection.update.success'
    | 'application.application.create.success'
    | 'application.application.update.success'
    | 'application.application.delete.success'
    | 'application.secret.create.success'
    | 'application.secret.delete.success'
    | 'metakey.metakey.create.success'
    | 'metakey.metakey.delete.success'
    | 'magic_link.connection.update.success'
    | 'magic_link.challenge.create.success'
    | 'magic_link.challenge.consume.success'
    | 'password.connection.create.success'
    | 'password.connection.update.success'
    | 'password.request.create.success'
    | 'password.challenge.create.success'
    | 'password.password.set.success'
    | 'totp.connection.update.success'
    | 'totp.enrollment.create.success'
    | 'totp.enrollment.validate.success'
    | 'totp.enrollment.delete.success'
    | 'totp.challenge.create.success'
    | 'totp.challenge.validate.success'
    | 'passkey.connection.update.success'
    | 'passkey.passkey.create.success'
    | 'passkey.passkey.update.success'
    | 'passkey.passkey.delete.success'
    | 'passkey.passkey.disable.success'
    | 'passkey.recovery.open.success'
    | 'passkey.challenge.validate.success'
    | 'sso.connection.create.success'
    | 'sso.connection.update.success'
    | 'sso.default_redirection.create.success'
    | 'sso.onboarding.create.success'
    | 'sso.onboarding.update.success'
    | 'sso.onboarding.invite.success'
    | 'sso.onboarding.reset.success'
    | 'sso.challenge.create.success'
    | 'sso.oauth_challenge.create.success'
    | 'sso.certificate.expire.success'
    | 'admin.admin.invite.success'
    | 'admin.admin.update.success'
    | 'admin.admin.delete.success'
    | 'dir_sync.directory.create.success'
    | 'dir_sync.directory.update.success'
    | 'dir_sync.directory.delete.success'
    | 'dir_sync.directory.reset.success'
    | 'dir_sync.user.provision.success'
    | 'dir_sync.user.provision.fail'
    | 'dir_sync.user.update.success'
    | 'dir_sync.user.update.fail'
    | 'dir_sync.user.deprovision.success'
    | 'dir_sync.user.deprovision.fail'
    | 'dir_sync.group.provision.success'
    | 'dir_sync.group.provision.fail'
    | 'dir_sync.group.update.success'
    | 'dir_sync.group.update.fail'
    | 'dir_sync.group.deprovision.success'
    | 'dir_sync.group.deprovision.fail'
    | 'relay.relay.create.success'
    | 'relay.relay.update.success'
    | 'relay.relay.delete.success'
    | 'relay.request.create.success'
    | 'relay.request.consume.success'
    | 'api_key.api_key.create.success'
    | 'api_key.api_key.rotate.success'
    | 'api_key.api_key.revoke.success'
    | 'webhook.webhook.create.success'
    | 'webhook.webhook.update.success'
    | 'webhook.webhook.delete.success'
    | 'webhook.webhook.rotate.success'
    | 'webhook.webhook.test.success'
    | 'webhook.webhook.disable.success'
    | 'webhook.delivery.redeliver.success'
}

/** Codes that `webhooks.listDeliveries` answers. */
export type WebhooksListDeliveriesErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'key_limited_to_organizations'
  | 'webhook_not_found'
  | 'rate_limited'
  | 'unavailable'

/** What `webhooks.redeliver` takes. */
export interface WebhooksRedeliverInput {
  /** UUID. */
  webhook_id: string
  /** UUID. */
  delivery_id: string
}

/** Codes that `webhooks.redeliver` answers. */
export type WebhooksRedeliverErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'key_limited_to_organizations'
  | 'webhook_not_found'
  | 'delivery_not_found'
  | 'idempotency_in_flight'
  | 'body_too_large'
  | 'media_type_unsupported'
  | 'invalid_parameters'
  | 'idempotency_key_reused'
  | 'rate_limited'
  | 'unavailable'

/** What `webhooks.redeliverAll` takes. */
export interface WebhooksRedeliverAllInput {
  /** UUID. */
  webhook_id: string
  /** Every event from this time on, regardless of its state; default: all that failed or were lost. */
  since?: string
}

/** Codes that `webhooks.redeliverAll` answers. */
export type WebhooksRedeliverAllErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'key_limited_to_organizations'
  | 'webhook_not_found'
  | 'idempotency_in_flight'
  | 'body_too_large'
  | 'media_type_unsupported'
  | 'invalid_parameters'
  | 'idempotency_key_reused'
  | 'rate_limited'
  | 'unavailable'

/** What `logEvents.list` takes. */
export interface LogEventsListInput {
  /** Domain of the organization. */
  org_domain: string
  /** Page number, starting at 1. */
  page?: unknown
  /** The same as page. */
  current_page?: unknown
  /** Records on a page: 1 to 100. */
  per_page?: unknown
  /** next_cursor of the previous page. */
  after?: string
  /** Must equal the environment of the API key, in any case. */
  environment?: string
  /** Only log events of this code. */
  code?:
    | 'API_KEY_TOKEN_ISSUED'
    | 'API_KEY_TOKEN_REFUSED'
    | 'DOMAIN_VERIFIED'
    | 'DOMAIN_LAPSED'
    | 'END_USER_MAGIC_LINK_STARTED'
    | 'END_USER_MAGIC_LINK_SUCCESS'
    | 'END_USER_MAGIC_LINK_FAILED'
    | 'END_USER_MAGIC_LINK_NOT_SENT'
    | 'END_USER_PASSWORD_SUCCESS'
    | 'END_USER_PASSWORD_FAILED'
    | 'PASSWORD_SET'
    | 'END_USER_TOTP_STARTED'
    | 'END_USER_TOTP_SUCCESS'
    | 'END_USER_TOTP_FAILED'
    | 'TOTP_ENROLLED'
    | 'TOTP_REMOVED'
    | 'END_USER_PASSKEY_REGISTERED'
    | 'PASSKEY_RECOVERY_OPENED'
    | 'PASSKEY_RECOVERY_CODE_USED'
    | 'END_USER_PASSKEY_SUCCESS'
    | 'END_USER_PASSKEY_FAILED'
    | 'END_USER_RELAY_STARTED'
    | 'END_USER_RELAY_SUCCESS'
    | 'END_USER_RELAY_FAILED'
    | 'SSO_END_USER_SAML_STARTED'
    | 'SSO_END_USER_SAML_SUCCESS'
    | 'SSO_END_USER_SAML_FAILED'
    | 'SSO_END_USER_OIDC_STARTED'
    | 'SSO_END_USER_OIDC_SUCCESS'
    | 'SSO_END_USER_OIDC_FAILED'
    | 'END_USER_SOCIAL_STARTED'
    | 'END_USER_SOCIAL_SUCCESS'
    | 'END_USER_SOCIAL_FAILED'
    | 'SCIM_REQUEST_FAILED'
    | 'ATTRIBUTE_NOT_MAPPED'
    | 'ROLE_MAPPING_UNMATCHED'
    | 'SSO_CERTIFICATE_EXPIRES'
    | 'ADMIN_ONBOARDING_INVITED'
    | 'ADMIN_ONBOARDING_LOGIN'
    | 'ADMIN_ONBOARDING_LOGIN_FAILED'
    | 'ADMIN_ONBOARDING_PROVIDER_CHOSEN'
    | 'ADMIN_ONBOARDING_XML_PROVIDED'
    | 'ADMIN_ONBOARDING_TESTED'
    | 'ADMIN_ONBOARDING_DECLINED'
    | 'ACCOUNT_DATA_DOWNLOADED'
    | 'ACCOUNT_DELETED_BY_USER'
    | 'ACCOUNT_DELETION_REQUESTED'
    | 'ACCOUNT_EMAIL_CHANGE_REQUESTED'
    | 'ACCOUNT_EMAIL_CHANGE_FAILED'
    | 'ACCOUNT_EMAIL_CHANGED'
    | 'ACCOUNT_EMAIL_CHANGE_REVERTED'
    | 'ACCOUNT_SIGN_IN_STARTED'
    | 'ACCOUNT_SIGN_IN_PROVED'
    | 'ACCOUNT_SIGN_IN_NOT_OFFERED'
    | 'END_USER_SIGN_IN_STARTED'
    | 'END_USER_SIGN_IN_SUCCESS'
    | 'END_USER_SIGN_IN_FAILED'
    | 'INITIATE_LOGIN_URI_MISSING'
    | 'END_USER_SIGNED_OUT'
    | 'END_USER_INVITATION_OPENED'
    | 'END_USER_INVITATION_ACCEPTED'
    | 'END_USER_INVITATION_REFUSED'
    | 'END_USER_JOIN_REQUESTED'
    | 'END_USER_IMPERSONATED'
    | 'END_USER_IMPERSONATION_ENDED'
    | 'BACKCHANNEL_LOGOUT_DELIVERED'
    | 'BACKCHANNEL_LOGOUT_FAILED'
    | 'TOKEN_REFRESHED'
    | 'TOKEN_REFRESH_FAILED'
    | 'REFRESH_TOKEN_REUSED'
    | 'REFRESH_TOKEN_REVOKED'
    | 'ACCESS_TOKEN_REVOKED'
    | 'TOKEN_EXCHANGED'
    | 'TOKEN_EXCHANGE_FAILED'
    | 'MAIL_SENT'
    | 'MAIL_FAILED'
    | 'SMS_SENT'
    | 'SMS_FAILED'
    | 'WEBHOOK_DISABLED'
    | 'REQUIRED_METADATA_MISSING'
  /** UUID. */
  client_id?: string
  /** Only log events of this SSO connection. */
  saml_identity_provider_id?: string
  /** UUID. */
  user_id?: string
  /** Only log events of this address, in any case. */
  email?: string
  /** Only log events of the request with this id. All log events of the time are read for it: send since and until, too. */
  request_id?: string
  /** Only log events from this time on. */
  since?: string
  /** Only log events before this time. */
  until?: string
  /** inserted_at, code or id; `code desc` or a prefix - for descending order. Default: newest first. */
  s?: string
}

/** Codes that `logEvents.list` answers. */
export type LogEventsListErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'organization_not_found'
  | 'rate_limited'
  | 'unavailable'

/** What `logEvents.listOfAccount` takes. */
export interface LogEventsListOfAccountInput {
  /** Page number, starting at 1. */
  page?: unknown
  /** The same as page. */
  current_page?: unknown
  /** Records on a page: 1 to 100. */
  per_page?: unknown
  /** next_cursor of the previous page. */
  after?: string
  /** Must equal the environment of the API key, in any case. */
  environment?: string
  /** Only log events of this code. */
  code?:
    | 'API_KEY_TOKEN_ISSUED'
    | 'API_KEY_TOKEN_REFUSED'
    | 'DOMAIN_VERIFIED'
    | 'DOMAIN_LAPSED'
    | 'END_USER_MAGIC_LINK_STARTED'
    | 'END_USER_MAGIC_LINK_SUCCESS'
    | 'END_USER_MAGIC_LINK_FAILED'
    | 'END_USER_MAGIC_LINK_NOT_SENT'
    | 'END_USER_PASSWORD_SUCCESS'
    | 'END_USER_PASSWORD_FAILED'
    | 'PASSWORD_SET'
    | 'END_USER_TOTP_STARTED'
    | 'END_USER_TOTP_SUCCESS'
    | 'END_USER_TOTP_FAILED'
    | 'TOTP_ENROLLED'
    | 'TOTP_REMOVED'
    | 'END_USER_PASSKEY_REGISTERED'
    | 'PASSKEY_RECOVERY_OPENED'
    | 'PASSKEY_RECOVERY_CODE_USED'
    | 'END_USER_PASSKEY_SUCCESS'
    | 'END_USER_PASSKEY_FAILED'
    | 'END_USER_RELAY_STARTED'
    | 'END_USER_RELAY_SUCCESS'
    | 'END_USER_RELAY_FAILED'
    | 'SSO_END_USER_SAML_STARTED'
    | 'SSO_END_USER_SAML_SUCCESS'
    | 'SSO_END_USER_SAML_FAILED'
    | 'SSO_END_USER_OIDC_STARTED'
    | 'SSO_END_USER_OIDC_SUCCESS'
    | 'SSO_END_USER_OIDC_FAILED'
    | 'END_USER_SOCIAL_STARTED'
    | 'END_USER_SOCIAL_SUCCESS'
    | 'END_USER_SOCIAL_FAILED'
    | 'SCIM_REQUEST_FAILED'
    | 'ATTRIBUTE_NOT_MAPPED'
    | 'ROLE_MAPPING_UNMATCHED'
    | 'SSO_CERTIFICATE_EXPIRES'
    | 'ADMIN_ONBOARDING_INVITED'
    | 'ADMIN_ONBOARDING_LOGIN'
    | 'ADMIN_ONBOARDING_LOGIN_FAILED'
    | 'ADMIN_ONBOARDING_PROVIDER_CHOSEN'
    | 'ADMIN_ONBOARDING_XML_PROVIDED'
    | 'ADMIN_ONBOARDING_TESTED'
    | 'ADMIN_ONBOARDING_DECLINED'
    | 'ACCOUNT_DATA_DOWNLOADED'
    | 'ACCOUNT_DELETED_BY_USER'
    | 'ACCOUNT_DELETION_REQUESTED'
    | 'ACCOUNT_EMAIL_CHANGE_REQUESTED'
    | 'ACCOUNT_EMAIL_CHANGE_FAILED'
    | 'ACCOUNT_EMAIL_CHANGED'
    | 'ACCOUNT_EMAIL_CHANGE_REVERTED'
    | 'ACCOUNT_SIGN_IN_STARTED'
    | 'ACCOUNT_SIGN_IN_PROVED'
    | 'ACCOUNT_SIGN_IN_NOT_OFFERED'
    | 'END_USER_SIGN_IN_STARTED'
    | 'END_USER_SIGN_IN_SUCCESS'
    | 'END_USER_SIGN_IN_FAILED'
    | 'INITIATE_LOGIN_URI_MISSING'
    | 'END_USER_SIGNED_OUT'
    | 'END_USER_INVITATION_OPENED'
    | 'END_USER_INVITATION_ACCEPTED'
    | 'END_USER_INVITATION_REFUSED'
    | 'END_USER_JOIN_REQUESTED'
    | 'END_USER_IMPERSONATED'
    | 'END_USER_IMPERSONATION_ENDED'
    | 'BACKCHANNEL_LOGOUT_DELIVERED'
    | 'BACKCHANNEL_LOGOUT_FAILED'
    | 'TOKEN_REFRESHED'
    | 'TOKEN_REFRESH_FAILED'
    | 'REFRESH_TOKEN_REUSED'
    | 'REFRESH_TOKEN_REVOKED'
    | 'ACCESS_TOKEN_REVOKED'
    | 'TOKEN_EXCHANGED'
    | 'TOKEN_EXCHANGE_FAILED'
    | 'MAIL_SENT'
    | 'MAIL_FAILED'
    | 'SMS_SENT'
    | 'SMS_FAILED'
    | 'WEBHOOK_DISABLED'
    | 'REQUIRED_METADATA_MISSING'
  /** UUID. */
  client_id?: string
  /** Only log events of this SSO connection. */
  saml_identity_provider_id?: string
  /** UUID. */
  user_id?: string
  /** Only log events of this address, in any case. */
  email?: string
  /** Only log events of the request with this id. All log events of the time are read for it: send since and until, too. */
  request_id?: string
  /** Only log events from this time on. */
  since?: string
  /** Only log events before this time. */
  until?: string
  /** inserted_at, code or id; `code desc` or a prefix - for descending order. Default: newest first. */
  s?: string
}

/** Codes that `logEvents.listOfAccount` answers. */
export type LogEventsListOfAccountErrorCode =
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'key_limited_to_organizations'
  | 'rate_limited'
  | 'unavailable'

/** What `account.get` takes. */
export interface AccountGetInput {
  /** Must equal the environment of the API key, in any case. */
  environment?: string
}

/** Codes that `account.get` answers. */
export type AccountGetErrorCode =
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'key_limited_to_organizations'
  | 'invalid_parameters'
  | 'rate_limited'
  | 'unavailable'

/** What `account.update` takes. */
export interface AccountUpdateInput {
  product_name?: string | null
  color?:
    | '#1f6feb'
    | '#0a7ea4'
    | '#0f766e'
    | '#2f855a'
    | '#4d7c0f'
    | '#a16207'
    | '#c2410c'
    | '#b91c1c'
    | '#be185d'
    | '#86198f'
    | '#6d28d9'
    | '#475569'
    | null
  /** An https URL. */
  icon_logo_url?: string | null
  /** An https URL. */
  inline_logo_url?: string | null
  /** An https URL. */
  support_url?: string | null
  /** An https URL. */
  privacy_policy_url?: string | null
  /** An https URL. */
  terms_of_service_url?: string | null
  /** BCP 47 language tag, for example fr-FR. */
  locale?: string | null
}

/** Codes that `account.update` answers. */
export type AccountUpdateErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'key_limited_to_organizations'
  | 'precondition_failed'
  | 'body_too_large'
  | 'media_type_unsupported'
  | 'invalid_parameters'
  | 'rate_limited'
  | 'unavailable'

/** What `outbox.list` takes. */
export interface OutboxListInput {
  /** Page number, starting at 1. */
  page?: unknown
  /** The same as page. */
  current_page?: unknown
  /** Records on a page: 1 to 100. */
  per_page?: unknown
  /** next_cursor of the previous page. */
  after?: string
  /** Must equal the environment of the API key, in any case. */
  environment?: string
  /** Address of the recipient. */
  to?: string
}

/** Codes that `outbox.list` answers. */
export type OutboxListErrorCode =
  | 'invalid_token'
  | 'https_required'
  | 'insufficient_scope'
  | 'sandbox_only'
  | 'key_limited_to_organizations'
  | 'rate_limited'
  | 'unavailable'

/** What `oauth.apiToken` takes. */
export interface OauthApiTokenInput {
  /** client_credentials. */
  grant_type?: string
  client_id?: string
  /** Secret: do not log it. */
  client_secret?: string
  /** Domain of the account. */
  domain?: string
  /** The same as domain. */
  tenant_domain?: string
  /** The same as domain. */
  audience?: string
  /** Subset of the scopes of the key. */
  scope?: string
}

/** Codes that `oauth.apiToken` answers. */
export type OauthApiTokenErrorCode = 'https_required' | 'body_too_large' | 'media_type_unsupported'

/** What `oauth.token` takes. */
export interface OauthTokenInput {
  /** authorization_code, refresh_token, or client_credentials. */
  grant_type?: string
  client_id?: string
  /** Secret: do not log it. */
  client_secret?: string
  /** Domain of the account. */
  domain?: string
  /** The same as domain. */
  tenant_domain?: string
  /** The same as domain. */
  audience?: string
  /** Subset of the scopes of the API key or refresh token. */
  scope?: string
  /** Secret: do not log it. */
  code?: string
  /** Secret: do not log it. */
  code_verifier?: string
  /** If sent, must be the one the code was sent to. */
  redirect_uri?: string
  /**
   * Requires client_id, of the application or of an API key.
   * Secret: do not log it.
   */
  refresh_token?: string
  /**
   * JWT of an application with private_key_jwt: iss and sub client_id, aud the issuer or its token endpoint, exp within five minutes, jti.
   * Secret: do not log it.
   */
  client_assertion?: string
  /** urn:ietf:params:oauth:client-assertion-type:jwt-bearer. */
  client_assertion_type?: string
}

/** Codes that `oauth.token` answers. */
export type OauthTokenErrorCode = 'https_required' | 'body_too_large' | 'media_type_unsupported'

/** What `oauth.organizationToken` takes. */
export interface OauthOrganizationTokenInput {
  /** Domain of the organization. */
  org_domain: string
  /** authorization_code, refresh_token, or client_credentials. */
  grant_type?: string
  client_id?: string
  /** Secret: do not log it. */
  client_secret?: string
  /** Domain of the account. */
  domain?: string
  /** The same as domain. */
  tenant_domain?: string
  /** The same as domain. */
  audience?: string
  /** Subset of the scopes of the API key or refresh token. */
  scope?: string
  /** Secret: do not log it. */
  code?: string
  /** Secret: do not log it. */
  code_verifier?: string
  /** If sent, must be the one the code was sent to. */
  redirect_uri?: string
  /**
   * Requires client_id, of the application or of an API key.
   * Secret: do not log it.
   */
  refresh_token?: string
  /**
   * JWT of an application with private_key_jwt: iss and sub client_id, aud the issuer or its token endpoint, exp within five minutes, jti.
   * Secret: do not log it.
   */
  client_assertion?: string
  /** urn:ietf:params:oauth:client-assertion-type:jwt-bearer. */
  client_assertion_type?: string
}

/** Codes that `oauth.organizationToken` answers. */
export type OauthOrganizationTokenErrorCode = 'https_required' | 'body_too_large' | 'media_type_unsupported'

/** What `oauth.accountToken` takes. */
export interface OauthAccountTokenInput {
  /** Domain of the account. */
  account_domain: string
  /** authorization_code, refresh_token, or client_credentials. */
  grant_type?: string
  client_id?: string
  /** Secret: do not log it. */
  client_secret?: string
  /** Domain of the account. */
  domain?: string
  /** The same as domain. */
  tenant_domain?: string
  /** The same as domain. */
  audience?: string
  /** Subset of the scopes of the API key or refresh token. */
  scope?: string
  /** Secret: do not log it. */
  code?: string
  /** Secret: do not log it. */
  code_verifier?: string
  /** If sent, must be the one the code was sent to. */
  redirect_uri?: string
  /**
   * Requires client_id, of the application or of an API key.
   * Secret: do not log it.
   */
  refresh_token?: string
  /**
   * JWT of an application with private_key_jwt: iss and sub client_id, aud the issuer or its token endpoint, exp within five minutes, jti.
   * Secret: do not log it.
   */
  client_assertion?: string
  /** urn:ietf:params:oauth:client-assertion-type:jwt-bearer. */
  client_assertion_type?: string
}

/** Codes that `oauth.accountToken` answers. */
export type OauthAccountTokenErrorCode = 'https_required' | 'body_too_large' | 'media_type_unsupported'

/** What `oauth.revoke` takes. */
export interface OauthRevokeInput {
  /** Secret: do not log it. */
  token?: string
  /** access_token or refresh_token; optional, because tokens are recognized without it. */
  token_type_hint?: string
  /** client_id of the application, or of an API key together with client_secret. */
  client_id?: string
  /** Secret: do not log it. */
  client_secret?: string
  /** Also ends the session that the refresh token came of, for all applications; default: false. */
  end_session?: boolean
  /**
   * JWT of an application with private_key_jwt: iss and sub client_id, aud the issuer or its token endpoint, exp within five minutes, jti.
   * Secret: do not log it.
   */
  client_assertion?: string
  /** urn:ietf:params:oauth:client-assertion-type:jwt-bearer. */
  client_assertion_type?: string
}

/** Codes that `oauth.revoke` answers. */
export type OauthRevokeErrorCode = 'https_required' | 'body_too_large' | 'media_type_unsupported'

/** What `oauth.organizationRevoke` takes. */
export interface OauthOrganizationRevokeInput {
  /** Domain of the organization. */
  org_domain: string
  /** Secret: do not log it. */
  token?: string
  /** access_token or refresh_token; optional, because tokens are recognized without it. */
  token_type_hint?: string
  /** client_id of the application, or of an API key together with client_secret. */
  client_id?: string
  /** Secret: do not log it. */
  client_secret?: string
  /** Also ends the session that the refresh token came of, for all applications; default: false. */
  end_session?: boolean
  /**
   * JWT of an application with private_key_jwt: iss and sub client_id, aud the issuer or its token endpoint, exp within five minutes, jti.
   * Secret: do not log it.
   */
  client_assertion?: string
  /** urn:ietf:params:oauth:client-assertion-type:jwt-bearer. */
  client_assertion_type?: string
}

/** Codes that `oauth.organizationRevoke` answers. */
export type OauthOrganizationRevokeErrorCode = 'https_required' | 'body_too_large' | 'media_type_unsupported'

/** What `oauth.accountRevoke` takes. */
export interface OauthAccountRevokeInput {
  /** Domain of the account. */
  account_domain: string
  /** Secret: do not log it. */
  token?: string
  /** access_token or refresh_token; optional, because tokens are recognized without it. */
  token_type_hint?: string
  /** client_id of the application, or of an API key together with client_secret. */
  client_id?: string
  /** Secret: do not log it. */
  client_secret?: string
  /** Also ends the session that the refresh token came of, for all applications; default: false. */
  end_session?: boolean
  /**
   * JWT of an application with private_key_jwt: iss and sub client_id, aud the issuer or its token endpoint, exp within five minutes, jti.
   * Secret: do not log it.
   */
  client_assertion?: string
  /** urn:ietf:params:oauth:client-assertion-type:jwt-bearer. */
  client_assertion_type?: string
}

/** Codes that `oauth.accountRevoke` answers. */
export type OauthAccountRevokeErrorCode = 'https_required' | 'body_too_large' | 'media_type_unsupported'

/** What `oauth.introspect` takes. */
export interface OauthIntrospectInput {
  /** Secret: do not log it. */
  token?: string
  /** access_token or refresh_token; optional, because tokens are recognized without it. */
  token_type_hint?: string
  /** client_id of an API key, together with client_secret, if the Authorization header has none. */
  client_id?: string
  /** Secret: do not log it. */
  client_secret?: string
}

/** Codes that `oauth.introspect` answers. */
export type OauthIntrospectErrorCode = 'https_required' | 'body_too_large' | 'media_type_unsupported'

/** What `oauth.organizationIntrospect` takes. */
export interface OauthOrganizationIntrospectInput {
  /** Domain of the organization. */
  org_domain: string
  /** Secret: do not log it. */
  token?: string
  /** access_token or refresh_token; optional, because tokens are recognized without it. */
  token_type_hint?: string
  /** client_id of an API key, together with client_secret, if the Authorization header has none. */
  client_id?: string
  /** Secret: do not log it. */
  client_secret?: string
}

/** Codes that `oauth.organizationIntrospect` answers. */
export type OauthOrganizationIntrospectErrorCode =
  | 'https_required'
  | 'body_too_large'
  | 'media_type_unsupported'

/** What `oauth.accountIntrospect` takes. */
export interface OauthAccountIntrospectInput {
  /** Domain of the account. */
  account_domain: string
  /** Secret: do not log it. */
  token?: string
  /** access_token or refresh_token; optional, because tokens are recognized without it. */
  token_type_hint?: string
  /** client_id of an API key, together with client_secret, if the Authorization header has none. */
  client_id?: string
  /** Secret: do not log it. */
  client_secret?: string
}

/** Codes that `oauth.accountIntrospect` answers. */
export type OauthAccountIntrospectErrorCode = 'https_required' | 'body_too_large' | 'media_type_unsupported'

/** What `oidc.discovery` takes. */
export interface OidcDiscoveryInput {
  /** Domain of the organization. */
  org_domain: string
}

/** Codes that `oidc.discovery` answers. */
export type OidcDiscoveryErrorCode =
  | 'malformed_request'
  | 'https_required'
  | 'organization_not_found'
  | 'unavailable'

/** What `oidc.discoveryAtRoot` takes. */
export interface OidcDiscoveryAtRootInput {
  /** Domain of the organization. */
  org_domain: string
}

/** Codes that `oidc.discoveryAtRoot` answers. */
export type OidcDiscoveryAtRootErrorCode =
  | 'malformed_request'
  | 'https_required'
  | 'organization_not_found'
  | 'unavailable'

/** What `oidc.serverMetadata` takes. */
export interface OidcServerMetadataInput {
  /** Domain of the organization. */
  org_domain: string
}

/** Codes that `oidc.serverMetadata` answers. */
export type OidcServerMetadataErrorCode =
  | 'malformed_request'
  | 'https_required'
  | 'organization_not_found'
  | 'unavailable'

/** What `oidc.serverMetadataAtRoot` takes. */
export interface OidcServerMetadataAtRootInput {
  /** Domain of the organization. */
  org_domain: string
}

/** Codes that `oidc.serverMetadataAtRoot` answers. */
export type OidcServerMetadataAtRootErrorCode =
  | 'malformed_request'
  | 'https_required'
  | 'organization_not_found'
  | 'unavailable'

/** What `oidc.accountDiscovery` takes. */
export interface OidcAccountDiscoveryInput {
  /** Domain of the account. */
  account_domain: string
}

/** Codes that `oidc.accountDiscovery` answers. */
export type OidcAccountDiscoveryErrorCode =
  | 'malformed_request'
  | 'https_required'
  | 'account_not_found'
  | 'unavailable'

/** What `oidc.accountDiscoveryAtRoot` takes. */
export interface OidcAccountDiscoveryAtRootInput {
  /** Domain of the account. */
  account_domain: string
}

/** Codes that `oidc.accountDiscoveryAtRoot` answers. */
export type OidcAccountDiscoveryAtRootErrorCode =
  | 'malformed_request'
  | 'https_required'
  | 'account_not_found'
  | 'unavailable'

/** What `oidc.accountServerMetadata` takes. */
export interface OidcAccountServerMetadataInput {
  /** Domain of the account. */
  account_domain: string
}

/** Codes that `oidc.accountServerMetadata` answers. */
export type OidcAccountServerMetadataErrorCode =
  | 'malformed_request'
  | 'https_required'
  | 'account_not_found'
  | 'unavailable'

/** What `oidc.accountServerMetadataAtRoot` takes. */
export interface OidcAccountServerMetadataAtRootInput {
  /** Domain of the account. */
  account_domain: string
}

/** Codes that `oidc.accountServerMetadataAtRoot` answers. */
export type OidcAccountServerMetadataAtRootErrorCode =
  | 'malformed_request'
  | 'https_required'
  | 'account_not_found'
  | 'unavailable'

/** What `oidc.keySet` takes. */
export interface OidcKeySetInput {
  /** Domain of the organization. */
  org_domain: string
}

/** Codes that `oidc.keySet` answers. */
export type OidcKeySetErrorCode =
  | 'malformed_request'
  | 'https_required'
  | 'organization_not_found'
  | 'unavailable'

/** What `oidc.accountKeySet` takes. */
export interface OidcAccountKeySetInput {
  /** Domain of the account. */
  account_domain: string
}

/** Codes that `oidc.accountKeySet` answers. */
export type OidcAccountKeySetErrorCode =
  | 'malformed_request'
  | 'https_required'
  | 'account_not_found'
  | 'unavailable'

/** What `oidc.userInfo` takes. */
export interface OidcUserInfoInput {
  /** Domain of the organization. */
  org_domain: string
}

/** Codes that `oidc.userInfo` answers. */
export type OidcUserInfoErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'organization_not_found'
  | 'unavailable'

/** What `oidc.postUserInfo` takes. */
export interface OidcPostUserInfoInput {
  /** Domain of the organization. */
  org_domain: string
  /**
   * If the Authorization header has none.
   * Secret: do not log it.
   */
  access_token?: string
}

/** Codes that `oidc.postUserInfo` answers. */
export type OidcPostUserInfoErrorCode =
  | 'invalid_token'
  | 'https_required'
  | 'organization_not_found'
  | 'body_too_large'
  | 'media_type_unsupported'
  | 'unavailable'

/** What `oidc.accountUserInfo` takes. */
export interface OidcAccountUserInfoInput {
  /** Domain of the account. */
  account_domain: string
}

/** Codes that `oidc.accountUserInfo` answers. */
export type OidcAccountUserInfoErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'https_required'
  | 'unavailable'

/** What `oidc.postAccountUserInfo` takes. */
export interface OidcPostAccountUserInfoInput {
  /** Domain of the account. */
  account_domain: string
  /**
   * If the Authorization header has none.
   * Secret: do not log it.
   */
  access_token?: string
}

/** Codes that `oidc.postAccountUserInfo` answers. */
export type OidcPostAccountUserInfoErrorCode =
  | 'invalid_token'
  | 'https_required'
  | 'body_too_large'
  | 'media_type_unsupported'
  | 'unavailable'

/**
 * What an access token says of its user (RFC 9068).
 * `Metadata` is what `portico types` writes for an organization.
 */
export interface AccessTokenClaims<Metadata extends object = { [name: string]: JsonValue }> {
  /** Issuer, the same in sandbox and production: {base_url}/t/<organization>; of an ID token whose sign-in was begun there {base_url}/a/<account>. */
  iss: string
  /** The user. */
  sub: string
  /** The user. */
  uid: string
  /** client_id of the application; a verifier compares it with its own. */
  aud: string
  /** client_id of the application. */
  cid: string
  /** Expiry, in seconds since 1970. */
  exp: number
  /** Not valid before, in seconds since 1970. */
  nbf: number
  /** Issued at, in seconds since 1970. */
  iat: number
  /** Unique to the token. */
  jti: string
  /** Version of the claims. */
  ver: 3
  /** Domain of the organization. */
  tnt: string
  /** Domain of the organization. */
  org: string
  /** Environment; a production verifier must refuse sandbox. */
  dbs: 'sandbox' | 'production'
  /** Environment. */
  env: 'sandbox' | 'production'
  /** Personal data. */
  email: string
  /** Application that the user signed in to. */
  application_metadata: {
    name: string
    application_type: string
  }
  /**
   * Metadata values of the user by key name, each as JSON of the key’s type. Required keys come first, the others in alphabetical order; a value that would make the token longer than 8,192 characters is omitted.
   * Personal data.
   */
  meta_data: Metadata
  /** true: some metadata values were omitted; the user record has all of them. */
  meta_data_truncated?: true
  /** Names of the groups in the organization’s directory that the user is a member of. Absent without groups, and if they are more than 100 or longer than 1,500 bytes of JSON: the user record has all of them. */
  groups?: string[]
  /** Names of the user’s roles, in alphabetical order, as far as permission_prefixes of the application have it. Absent without roles, and if they are more than 20 or longer than 700 bytes of JSON. */
  roles?: string[]
  /** true: the roles are too many for the token; the roles of the user, and UserInfo, have all. */
  roles_omitted?: true
  /** Authentication methods (RFC 8176), for example email or pwd and otp; sso: identity provider of the organization; relay: sign-in at another organization, impersonation: a member of staff as the user, see act. */
  amr: string[]
  /** urn:portico:acr:mfa after a second factor, else urn:portico:acr:1fa (RFC 9470 section 6); phr after a passkey where the request has asked for phr. */
  acr: string
  /** Time of the user’s authentication, in seconds since 1970. */
  auth_time: number
  /** The session. */
  sid?: string
  /** After a relay: the user in their original organization. In an impersonation: the member of staff who acts as the user, by the id that its creator gave, at the issuer of the account (RFC 8693 section 4.1). */
  act?: {
    iss: string
    /**
     * Unique at the issuer.
     * Personal data.
     */
    sub: string
    /** Id of the impersonation. */
    impersonation?: string
  }
  /** Only in samples: the requested authorization_id. */
  authorization_id?: string
  jtt: 'access_token'
  /** client_id of the application (RFC 9068 section 2.2). */
  client_id: string
  /** Granted scopes, for example magic_link. */
  scp: string[]
  /** The same, separated by spaces (RFC 9068 section 2.2.3). */
  scope: string
  /** The family: all tokens that descend from one authorization code end together; absent in tokens from before the claim. */
  fid?: string
  /** What the user’s roles allow, in alphabetical order, as far as permission_prefixes of the application have it. Absent without permissions, and if they are more than 100 or longer than 1,500 bytes of JSON. */
  permissions?: string[]
  /** true: the permissions are too many for the token; the evaluation endpoint knows all. */
  permissions_omitted?: true
  /** Claims that /userinfo tells besides those of the scopes: the parameter claims asked for them. */
  userinfo_claims?: string[]
}

/**
 * What an ID token says of its user (OpenID Connect Core section 2).
 * `Metadata` is what `portico types` writes for an organization.
 */
export interface IdTokenClaims<Metadata extends object = { [name: string]: JsonValue }> {
  /** Issuer, the same in sandbox and production: {base_url}/t/<organization>; of an ID token whose sign-in was begun there {base_url}/a/<account>. */
  iss: string
  /** The user. */
  sub: string
  /** The user. */
  uid: string
  /** client_id of the application; a verifier compares it with its own. */
  aud: string
  /** client_id of the application. */
  cid: string
  /** Expiry, in seconds since 1970. */
  exp: number
  /** Not valid before, in seconds since 1970. */
  nbf: number
  /** Issued at, in seconds since 1970. */
  iat: number
  /** Unique to the token. */
  jti: string
  /** Version of the claims. */
  ver: 3
  /** Domain of the organization. */
  tnt: string
  /** Domain of the organization. */
  org: string
  /** Environment; a production verifier must refuse sandbox. */
  dbs: 'sandbox' | 'production'
  /** Environment. */
  env: 'sandbox' | 'production'
  /** Personal data. */
  email: string
  /** Application that the user signed in to. */
  application_metadata: {
    name: string
    application_type: string
  }
  /**
   * Metadata values of the user by key name, each as JSON of the key’s type. Required keys come first, the others in alphabetical order; a value that would make the token longer than 8,192 characters is omitted.
   * Personal data.
   */
  meta_data: Metadata
  /** true: some metadata values were omitted; the user record has all of them. */
  meta_data_truncated?: true
  /** Names of the groups in the organization’s directory that the user is a member of. Absent without groups, and if they are more than 100 or longer than 1,500 bytes of JSON: the user record has all of them. */
  groups?: string[]
  /** Names of the user’s roles, in alphabetical order, as far as permission_prefixes of the application have it. Absent without roles, and if they are more than 20 or longer than 700 bytes of JSON. */
  roles?: string[]
  /** true: the roles are too many for the token; the roles of the user, and UserInfo, have all. */
  roles_omitted?: true
  /** Authentication methods (RFC 8176), for example email or pwd and otp; sso: identity provider of the organization; relay: sign-in at another organization, impersonation: a member of staff as the user, see act. */
  amr: string[]
  /** urn:portico:acr:mfa after a second factor, else urn:portico:acr:1fa (RFC 9470 section 6); phr after a passkey where the request has asked for phr. */
  acr: string
  /** Time of the user’s authentication, in seconds since 1970. */
  auth_time: number
  /** The session. */
  sid?: string
  /** After a relay: the user in their original organization. In an impersonation: the member of staff who acts as the user, by the id that its creator gave, at the issuer of the account (RFC 8693 section 4.1). */
  act?: {
    iss: string
    /**
     * Unique at the issuer.
     * Personal data.
     */
    sub: string
    /** Id of the impersonation. */
    impersonation?: string
  }
  /** Only in samples: the requested authorization_id. */
  authorization_id?: string
  jtt: 'id_token'
  email_verified: boolean
  /** nonce of the authorization request, if any. */
  nonce?: string
  /** Left half of the SHA-256 of the access token, base64url (OpenID Connect Core section 3.1.3.6). */
  at_hash?: string
  /** Left half of the SHA-256 of the authorization code, base64url. */
  c_hash?: string
  /** Left half of the SHA-256 of the state of the authorization request, if any. */
  s_hash?: string
  /** Personal data. */
  resource_owner_metadata: {
    /** Absent or null unless the user signed in with SSO and the identity provider asserted it. */
    authnmethodsreferences?: string | string[] | null
    /** Absent or null unless the user signed in with SSO and the identity provider asserted it. */
    displayname?: string | string[] | null
    /** Absent or null unless the user signed in with SSO and the identity provider asserted it. */
    email?: string | string[] | null
    /** Absent or null unless the user signed in with SSO and the identity provider asserted it. */
    emailaddress?: string | string[] | null
    /** Absent or null unless the user signed in with SSO and the identity provider asserted it. */
    first_name?: string | string[] | null
    /** Absent or null unless the user signed in with SSO and the identity provider asserted it. */
    givenname?: string | string[] | null
    /** Absent or null unless the user signed in with SSO and the identity provider asserted it. */
    identityprovider?: string | string[] | null
    /** Absent or null unless the user signed in with SSO and the identity provider asserted it. */
    last_name?: string | string[] | null
    /** Absent or null unless the user signed in with SSO and the identity provider asserted it. */
    name?: string | string[] | null
    /** Absent or null unless the user signed in with SSO and the identity provider asserted it. */
    objectGuid?: string | string[] | null
    /** Absent or null unless the user signed in with SSO and the identity provider asserted it. */
    objectidentifier?: string | string[] | null
    /** Absent or null unless the user signed in with SSO and the identity provider asserted it. */
    phone?: string | string[] | null
    /** Absent or null unless the user signed in with SSO and the identity provider asserted it. */
    saml_nameid?: string | string[] | null
    /** Absent or null unless the user signed in with SSO and the identity provider asserted it. */
    saml_subject?: string | string[] | null
    /** Absent or null unless the user signed in with SSO and the identity provider asserted it. */
    surname?: string | string[] | null
    /** Absent or null unless the user signed in with SSO and the identity provider asserted it. */
    tenantid?: string | string[] | null
    /** Absent or null unless the user signed in with SSO and the identity provider asserted it. */
    uid?: string | string[] | null
    /** Absent or null unless the user signed in with SSO and the identity provider asserted it. */
    unit_path?: string | string[] | null
  }
  /**
   * Only if the parameter claims asks for it and the user has a value.
   * Personal data.
   */
  name?: string
  /**
   * Only if the parameter claims asks for it and the user has a value.
   * Personal data.
   */
  given_name?: string
  /**
   * Only if the parameter claims asks for it and the user has a value.
   * Personal data.
   */
  family_name?: string
  /**
   * Only if the parameter claims asks for it and the user has a value.
   * Personal data.
   */
  nickname?: string
  /**
   * Only if the parameter claims asks for it and the user has a value.
   * Personal data.
   */
  preferred_username?: string
  /**
   * Only if the parameter claims asks for it and the user has a value.
   * Personal data.
   */
  profile?: string
  /**
   * Only if the parameter claims asks for it and the user has a value.
   * Personal data.
   */
  picture?: string
  /**
   * Only if the parameter claims asks for it and the user has a value.
   * Personal data.
   */
  website?: string
  /**
   * Only if the parameter claims asks for it and the user has a value.
   * Personal data.
   */
  gender?: string
  /**
   * Only if the parameter claims asks for it and the user has a value.
   * Personal data.
   */
  birthdate?: string
  /**
   * Only if the parameter claims asks for it and the user has a value.
   * Personal data.
   */
  zoneinfo?: string
  /**
   * Only if the parameter claims asks for it and the user has a value.
   * Personal data.
   */
  locale?: string
  /** Only if the parameter claims asks for it and the user has a value. */
  updated_at?: number
  /**
   * Only if the parameter claims asks for it and the user has a value.
   * Personal data.
   */
  phone_number?: string
  /** Only if the parameter claims asks for it and the user has a value. */
  phone_number_verified?: boolean
  /**
   * Only if the parameter claims asks for it and the user has a value.
   * Personal data.
   */
  address?: {
    formatted?: string
    street_address?: string
    locality?: string
    region?: string
    postal_code?: string
    country?: string
  }
  /** Only if the parameter claims asks for it and the user has a value. */
  organization?: {
    domain: string
    name: string
    /** The icon, else the inline logo; null without either. */
    logo_url: string | null
  }
}

/** What an OAuth endpoint refuses with (RFC 6749 section 5.2). */
export type OAuthErrorCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'unauthorized_client'
  | 'unsupported_grant_type'
  | 'invalid_scope'
  | 'temporarily_unavailable'
  | 'unsupported_token_type'
  | 'invalid_token'
  | 'insufficient_scope'

/** Codes that any call can be answered with, though no operation declares them: the service does not know it, or failed. */
export type UndeclaredErrorCode = 'route_not_found' | 'method_not_allowed' | 'internal_error'

/** Every error code of the service. */
export type ErrorCode =
  | 'malformed_request'
  | 'invalid_token'
  | 'totp_code_rejected'
  | 'passkey_rejected'
  | 'https_required'
  | 'insufficient_scope'
  | 'key_limited_to_organizations'
  | 'plan_limit_reached'
  | 'email_domain_not_allowed'
  | 'join_not_allowed'
  | 'sso_required'
  | 'seats_exhausted'
  | 'impersonation_refused'
  | 'sandbox_only'
  | 'totp_inactive'
  | 'totp_enrollment_required'
  | 'passkey_enrollment_required'
  | 'totp_not_enrolled'
  | 'totp_challenge_not_open'
  | 'totp_locked'
  | 'phone_number_unverified'
  | 'phone_number_not_allowed'
  | 'passkeys_inactive'
  | 'passkey_not_allowed'
  | 'route_not_found'
  | 'account_not_found'
  | 'discovery_not_found'
  | 'organization_not_found'
  | 'domain_not_found'
  | 'user_not_found'
  | 'session_not_found'
  | 'impersonation_not_found'
  | 'application_not_found'
  | 'application_secret_not_found'
  | 'permission_not_found'
  | 'social_provider_not_found'
  | 'role_not_found'
  | 'invitation_not_found'
  | 'join_request_not_found'
  | 'meta_key_not_found'
  | 'webhook_not_found'
  | 'delivery_not_found'
  | 'relay_not_found'
  | 'sso_connection_not_found'
  | 'sso_metadata_not_found'
  | 'sso_oidc_client_not_found'
  | 'default_redirection_not_found'
  | 'onboarding_not_found'
  | 'admin_not_found'
  | 'directory_sync_not_found'
  | 'password_connection_not_found'
  | 'totp_enrollment_not_found'
  | 'identity_not_found'
  | 'passkey_not_found'
  | 'passkey_registration_not_found'
  | 'method_not_allowed'
  | 'email_taken'
  | 'invitation_taken'
  | 'invitation_not_pending'
  | 'join_request_decided'
  | 'already_member'
  | 'domain_taken'
  | 'meta_key_in_use'
  | 'metadata_managed'
  | 'meta_key_taken'
  | 'permission_taken'
  | 'permission_in_use'
  | 'social_provider_taken'
  | 'social_provider_in_use'
  | 'last_sign_in_method'
  | 'role_taken'
  | 'role_in_use'
  | 'password_connection_taken'
  | 'onboarding_taken'
  | 'secret_limit_reached'
  | 'directory_sync_taken'
  | 'totp_enrollment_taken'
  | 'passkey_taken'
  | 'phone_number_missing'
  | 'connection_inactive'
  | 'sso_connection_not_configured'
  | 'user_inactive'
  | 'relay_inactive'
  | 'partner_not_open'
  | 'production_is_up'
  | 'idempotency_in_flight'
  | 'events_expired'
  | 'precondition_failed'
  | 'body_too_large'
  | 'media_type_unsupported'
  | 'invalid_parameters'
  | 'access_token_refused'
  | 'sso_admin_email_missing'
  | 'password_code_refused'
  | 'idempotency_key_reused'
  | 'meta_keys_exhausted'
  | 'invitations_exhausted'
  | 'domains_exhausted'
  | 'permissions_exhausted'
  | 'social_providers_exhausted'
  | 'roles_exhausted'
  | 'webhooks_exhausted'
  | 'passkeys_exhausted'
  | 'metadata_required'
  | 'initiate_login_uri_required'
  | 'no_application'
  | 'rate_limited'
  | 'internal_error'
  | 'unavailable'

/** Name of an operation that refuses as OAuth endpoints do. */
export type OAuthOperationName =
  | 'oauth.apiToken'
  | 'oauth.token'
  | 'oauth.organizationToken'
  | 'oauth.accountToken'
  | 'oauth.revoke'
  | 'oauth.organizationRevoke'
  | 'oauth.accountRevoke'
  | 'oauth.introspect'
  | 'oauth.organizationIntrospect'
  | 'oauth.accountIntrospect'
  | 'oidc.postUserInfo'
  | 'oidc.postAccountUserInfo'

/** What each operation takes, answers, and is refused with. */
export interface Operations {
  'organizations.list': {
    input: OrganizationsListInput
    output: OrganizationList
    code: OrganizationsListErrorCode
  }
  'organizations.create': {
    input: OrganizationsCreateInput
    output: Organization
    code: OrganizationsCreateErrorCode
  }
  'organizations.get': {
    input: OrganizationsGetInput
    output: Organization | DeletedOrganization
    code: OrganizationsGetErrorCode
  }
  'organizations.update': {
    input: OrganizationsUpdateInput
    output: Organization
    code: OrganizationsUpdateErrorCode
  }
  'organizations.delete': {
    input: OrganizationsDeleteInput
    output: OrganizationDeletion
    code: OrganizationsDeleteErrorCode
  }
  'organizationPolicy.get': {
    input: OrganizationPolicyGetInput
    output: OrganizationPolicy
    code: OrganizationPolicyGetErrorCode
  }
  'organizationPolicy.update': {
    input: OrganizationPolicyUpdateInput
    output: OrganizationPolicy
    code: OrganizationPolicyUpdateErrorCode
  }
  'invitations.create': {
    input: InvitationsCreateInput
    output: Invitation
    code: InvitationsCreateErrorCode
  }
  'invitations.list': { input: InvitationsListInput; output: InvitationList; code: InvitationsListErrorCode }
  'invitations.get': { input: InvitationsGetInput; output: Invitation; code: InvitationsGetErrorCode }
  'invitations.update': {
    input: InvitationsUpdateInput
    output: Invitation
    code: InvitationsUpdateErrorCode
  }
  'invitations.resend': {
    input: InvitationsResendInput
    output: Invitation
    code: InvitationsResendErrorCode
  }
  'invitations.revoke': {
    input: InvitationsRevokeInput
    output: Invitation
    code: InvitationsRevokeErrorCode
  }
  'joinRequests.list': {
    input: JoinRequestsListInput
    output: JoinRequestList
    code: JoinRequestsListErrorCode
  }
  'joinRequests.get': { input: JoinRequestsGetInput; output: JoinRequest; code: JoinRequestsGetErrorCode }
  'joinRequests.approve': {
    input: JoinRequestsApproveInput
    output: JoinRequest
    code: JoinRequestsApproveErrorCode
  }
  'joinRequests.deny': { input: JoinRequestsDenyInput; output: JoinRequest; code: JoinRequestsDenyErrorCode }
  'domains.create': { input: DomainsCreateInput; output: Domain; code: DomainsCreateErrorCode }
  'domains.list': { input: DomainsListInput; output: DomainList; code: DomainsListErrorCode }
  'domains.get': { input: DomainsGetInput; output: Domain; code: DomainsGetErrorCode }
  'domains.update': { input: DomainsUpdateInput; output: Domain; code: DomainsUpdateErrorCode }
  'domains.delete': { input: DomainsDeleteInput; output: DomainDeletion; code: DomainsDeleteErrorCode }
  'domains.check': { input: DomainsCheckInput; output: Domain; code: DomainsCheckErrorCode }
  'users.create': { input: UsersCreateInput; output: User; code: UsersCreateErrorCode }
  'users.list': { input: UsersListInput; output: UserList; code: UsersListErrorCode }
  'users.get': { input: UsersGetInput; output: User | DeletedUser; code: UsersGetErrorCode }
  'users.getByEmail': { input: UsersGetByEmailInput; output: User; code: UsersGetByEmailErrorCode }
  'users.update': { input: UsersUpdateInput; output: User; code: UsersUpdateErrorCode }
  'users.delete': { input: UsersDeleteInput; output: UserDeletion; code: UsersDeleteErrorCode }
  'users.addMetadata': { input: UsersAddMetadataInput; output: User; code: UsersAddMetadataErrorCode }
  'users.removeMetadata': {
    input: UsersRemoveMetadataInput
    output: User
    code: UsersRemoveMetadataErrorCode
  }
  'permissions.create': {
    input: PermissionsCreateInput
    output: Permission
    code: PermissionsCreateErrorCode
  }
  'permissions.list': { input: PermissionsListInput; output: PermissionList; code: PermissionsListErrorCode }
  'permissions.get': { input: PermissionsGetInput; output: Permission; code: PermissionsGetErrorCode }
  'permissions.update': {
    input: PermissionsUpdateInput
    output: Permission
    code: PermissionsUpdateErrorCode
  }
  'permissions.delete': {
    input: PermissionsDeleteInput
    output: PermissionDeletion
    code: PermissionsDeleteErrorCode
  }
  'roles.create': { input: RolesCreateInput; output: Role; code: RolesCreateErrorCode }
  'roles.list': { input: RolesListInput; output: RoleList; code: RolesListErrorCode }
  'roles.get': { input: RolesGetInput; output: Role; code: RolesGetErrorCode }
  'roles.update': { input: RolesUpdateInput; output: Role; code: RolesUpdateErrorCode }
  'roles.delete': { input: RolesDeleteInput; output: RoleDeletion; code: RolesDeleteErrorCode }
  'roles.getUserRoles': { input: RolesGetUserRolesInput; output: UserRoles; code: RolesGetUserRolesErrorCode }
  'roles.setUserRoles': { input: RolesSetUserRolesInput; output: UserRoles; code: RolesSetUserRolesErrorCode }
  'accessEvaluation.evaluate': {
    input: AccessEvaluationEvaluateInput
    output: AccessDecision
    code: AccessEvaluationEvaluateErrorCode
  }
  'accessEvaluation.evaluateAll': {
    input: AccessEvaluationEvaluateAllInput
    output: AccessDecisions
    code: AccessEvaluationEvaluateAllErrorCode
  }
  'accessEvaluation.configuration': {
    input: AccessEvaluationConfigurationInput
    output: AccessConfiguration
    code: AccessEvaluationConfigurationErrorCode
  }
  'applications.create': {
    input: ApplicationsCreateInput
    output: Application
    code: ApplicationsCreateErrorCode
  }
  'applications.list': {
    input: ApplicationsListInput
    output: ApplicationList
    code: ApplicationsListErrorCode
  }
  'applications.listOfAccount': {
    input: ApplicationsListOfAccountInput
    output: ApplicationList
    code: ApplicationsListOfAccountErrorCode
  }
  'applications.get': {
    input: ApplicationsGetInput
    output: Application | DeletedApplication
    code: ApplicationsGetErrorCode
  }
  'applications.update': {
    input: ApplicationsUpdateInput
    output: Application
    code: ApplicationsUpdateErrorCode
  }
  'applications.delete': {
    input: ApplicationsDeleteInput
    output: ApplicationDeletion
    code: ApplicationsDeleteErrorCode
  }
  'applicationSecrets.create': {
    input: ApplicationSecretsCreateInput
    output: ApplicationSecret
    code: ApplicationSecretsCreateErrorCode
  }
  'applicationSecrets.list': {
    input: ApplicationSecretsListInput
    output: ApplicationSecrets
    code: ApplicationSecretsListErrorCode
  }
  'applicationSecrets.delete': {
    input: ApplicationSecretsDeleteInput
    output: ApplicationSecretDeletion
    code: ApplicationSecretsDeleteErrorCode
  }
  'tokenCustomization.sample': {
    input: TokenCustomizationSampleInput
    output: JwtSample
    code: TokenCustomizationSampleErrorCode
  }
  'tokenCustomization.createMetaKey': {
    input: TokenCustomizationCreateMetaKeyInput
    output: MetaKey
    code: TokenCustomizationCreateMetaKeyErrorCode
  }
  'tokenCustomization.listMetaKeys': {
    input: TokenCustomizationListMetaKeysInput
    output: MetaKeyList
    code: TokenCustomizationListMetaKeysErrorCode
  }
  'tokenCustomization.deleteMetaKey': {
    input: TokenCustomizationDeleteMetaKeyInput
    output: MetaKeyDeletion
    code: TokenCustomizationDeleteMetaKeyErrorCode
  }
  'tokenCustomization.setUserMetadata': {
    input: TokenCustomizationSetUserMetadataInput
    output: User
    code: TokenCustomizationSetUserMetadataErrorCode
  }
  'magicLink.createChallenge': {
    input: MagicLinkCreateChallengeInput
    output: MagicLinkChallenge
    code: MagicLinkCreateChallengeErrorCode
  }
  'magicLink.getConnection': {
    input: MagicLinkGetConnectionInput
    output: MagicLinkConnection
    code: MagicLinkGetConnectionErrorCode
  }
  'magicLink.updateConnection': {
    input: MagicLinkUpdateConnectionInput
    output: MagicLinkConnection
    code: MagicLinkUpdateConnectionErrorCode
  }
  'discovery.createChallenge': {
    input: DiscoveryCreateChallengeInput
    output: DiscoveryChallenge
    code: DiscoveryCreateChallengeErrorCode
  }
  'discovery.exchange': { input: DiscoveryExchangeInput; output: Discovery; code: DiscoveryExchangeErrorCode }
  'discovery.enter': { input: DiscoveryEnterInput; output: DiscoveryEntrance; code: DiscoveryEnterErrorCode }
  'password.createConnection': {
    input: PasswordCreateConnectionInput
    output: PasswordConnection
    code: PasswordCreateConnectionErrorCode
  }
  'password.getConnection': {
    input: PasswordGetConnectionInput
    output: PasswordConnection
    code: PasswordGetConnectionErrorCode
  }
  'password.updateConnection': {
    input: PasswordUpdateConnectionInput
    output: PasswordConnection
    code: PasswordUpdateConnectionErrorCode
  }
  'password.createRequest': {
    input: PasswordCreateRequestInput
    output: PasswordRequest
    code: PasswordCreateRequestErrorCode
  }
  'password.createChallenge': {
    input: PasswordCreateChallengeInput
    output: PassedPasswordChallenge | RefusedPasswordChallenge
    code: PasswordCreateChallengeErrorCode
  }
  'password.set': { input: PasswordSetInput; output: Password; code: PasswordSetErrorCode }
  'totp.getConnection': {
    input: TotpGetConnectionInput
    output: TotpConnection
    code: TotpGetConnectionErrorCode
  }
  'totp.postConnection': {
    input: TotpPostConnectionInput
    output: TotpConnection
    code: TotpPostConnectionErrorCode
  }
  'totp.updateConnection': {
    input: TotpUpdateConnectionInput
    output: TotpConnection
    code: TotpUpdateConnectionErrorCode
  }
  'totp.enroll': { input: TotpEnrollInput; output: TotpEnrollment; code: TotpEnrollErrorCode }
  'totp.validateEnrollment': {
    input: TotpValidateEnrollmentInput
    output: ValidatedTotpEnrollment
    code: TotpValidateEnrollmentErrorCode
  }
  'totp.removeEnrollment': {
    input: TotpRemoveEnrollmentInput
    output: ValidatedTotpEnrollmentDeletion
    code: TotpRemoveEnrollmentErrorCode
  }
  'totp.createChallenge': {
    input: TotpCreateChallengeInput
    output: TotpChallenge
    code: TotpCreateChallengeErrorCode
  }
  'totp.validateChallenge': {
    input: TotpValidateChallengeInput
    output: PassedTotpChallenge
    code: TotpValidateChallengeErrorCode
  }
  'passkeys.getConnection': {
    input: PasskeysGetConnectionInput
    output: PasskeyConnection
    code: PasskeysGetConnectionErrorCode
  }
  'passkeys.updateConnection': {
    input: PasskeysUpdateConnectionInput
    output: PasskeyConnection
    code: PasskeysUpdateConnectionErrorCode
  }
  'passkeys.list': { input: PasskeysListInput; output: PasskeyList; code: PasskeysListErrorCode }
  'passkeys.openRecovery': {
    input: PasskeysOpenRecoveryInput
    output: PasskeyRecovery
    code: PasskeysOpenRecoveryErrorCode
  }
  'passkeys.get': { input: PasskeysGetInput; output: Passkey; code: PasskeysGetErrorCode }
  'passkeys.update': { input: PasskeysUpdateInput; output: Passkey; code: PasskeysUpdateErrorCode }
  'passkeys.delete': { input: PasskeysDeleteInput; output: PasskeyDeletion; code: PasskeysDeleteErrorCode }
  'passkeys.createRegistration': {
    input: PasskeysCreateRegistrationInput
    output: PasskeyRegistration
    code: PasskeysCreateRegistrationErrorCode
  }
  'passkeys.completeRegistration': {
    input: PasskeysCompleteRegistrationInput
    output: Passkey
    code: PasskeysCompleteRegistrationErrorCode
  }
  'passkeys.createChallenge': {
    input: PasskeysCreateChallengeInput
    output: OpenPasskeyChallenge
    code: PasskeysCreateChallengeErrorCode
  }
  'passkeys.validateChallenge': {
    input: PasskeysValidateChallengeInput
    output: PassedPasskeyChallenge
    code: PasskeysValidateChallengeErrorCode
  }
  'socialProviders.create': {
    input: SocialProvidersCreateInput
    output: SocialProvider
    code: SocialProvidersCreateErrorCode
  }
  'socialProviders.list': {
    input: SocialProvidersListInput
    output: SocialProviderList
    code: SocialProvidersListErrorCode
  }
  'socialProviders.get': {
    input: SocialProvidersGetInput
    output: SocialProvider
    code: SocialProvidersGetErrorCode
  }
  'socialProviders.update': {
    input: SocialProvidersUpdateInput
    output: SocialProvider
    code: SocialProvidersUpdateErrorCode
  }
  'socialProviders.check': {
    input: SocialProvidersCheckInput
    output: SocialProviderCheck
    code: SocialProvidersCheckErrorCode
  }
  'socialProviders.delete': {
    input: SocialProvidersDeleteInput
    output: SocialProviderDeletion
    code: SocialProvidersDeleteErrorCode
  }
  'socialConnection.get': {
    input: SocialConnectionGetInput
    output: SocialConnection
    code: SocialConnectionGetErrorCode
  }
  'socialConnection.update': {
    input: SocialConnectionUpdateInput
    output: SocialConnection
    code: SocialConnectionUpdateErrorCode
  }
  'identities.unlink': {
    input: IdentitiesUnlinkInput
    output: UserIdentityDeletion
    code: IdentitiesUnlinkErrorCode
  }
  'sessions.list': { input: SessionsListInput; output: SessionList; code: SessionsListErrorCode }
  'sessions.endAll': {
    input: SessionsEndAllInput
    output: EndedSessionsDeletion
    code: SessionsEndAllErrorCode
  }
  'sessions.end': { input: SessionsEndInput; output: SessionDeletion; code: SessionsEndErrorCode }
  'impersonations.create': {
    input: ImpersonationsCreateInput
    output: Impersonation
    code: ImpersonationsCreateErrorCode
  }
  'impersonations.list': {
    input: ImpersonationsListInput
    output: ImpersonationList
    code: ImpersonationsListErrorCode
  }
  'impersonations.end': {
    input: ImpersonationsEndInput
    output: ImpersonationDeletion
    code: ImpersonationsEndErrorCode
  }
  'ssoConnections.create': {
    input: SsoConnectionsCreateInput
    output: SsoConnection
    code: SsoConnectionsCreateErrorCode
  }
  'ssoConnections.list': {
    input: SsoConnectionsListInput
    output: SsoConnectionList
    code: SsoConnectionsListErrorCode
  }
  'ssoConnections.get': {
    input: SsoConnectionsGetInput
    output: SsoConnection
    code: SsoConnectionsGetErrorCode
  }
  'ssoConnections.update': {
    input: SsoConnectionsUpdateInput
    output: SsoConnection
    code: SsoConnectionsUpdateErrorCode
  }
  'ssoConnections.createDefaultRedirection': {
    input: SsoConnectionsCreateDefaultRedirectionInput
    output: DefaultRedirection
    code: SsoConnectionsCreateDefaultRedirectionErrorCode
  }
  'ssoConnections.getDefaultRedirection': {
    input: SsoConnectionsGetDefaultRedirectionInput
    output: DefaultRedirection
    code: SsoConnectionsGetDefaultRedirectionErrorCode
  }
  'ssoConnections.setUserPolicy': {
    input: SsoConnectionsSetUserPolicyInput
    output: SsoConnection
    code: SsoConnectionsSetUserPolicyErrorCode
  }
  'ssoConnections.createOnboarding': {
    input: SsoConnectionsCreateOnboardingInput
    output: SsoAdminOnboarding
    code: SsoConnectionsCreateOnboardingErrorCode
  }
  'ssoConnections.updateOnboarding': {
    input: SsoConnectionsUpdateOnboardingInput
    output: SsoAdminOnboarding
    code: SsoConnectionsUpdateOnboardingErrorCode
  }
  'ssoConnections.inviteAdmin': {
    input: SsoConnectionsInviteAdminInput
    output: SsoAdminOnboarding
    code: SsoConnectionsInviteAdminErrorCode
  }
  'ssoConnections.resetOnboarding': {
    input: SsoConnectionsResetOnboardingInput
    output: SsoAdminOnboarding
    code: SsoConnectionsResetOnboardingErrorCode
  }
  'ssoConnections.activate': {
    input: SsoConnectionsActivateInput
    output: SsoConnection
    code: SsoConnectionsActivateErrorCode
  }
  'ssoConnections.disable': {
    input: SsoConnectionsDisableInput
    output: SsoConnection
    code: SsoConnectionsDisableErrorCode
  }
  'ssoConnections.useMetadata': {
    input: SsoConnectionsUseMetadataInput
    output: SsoConnection
    code: SsoConnectionsUseMetadataErrorCode
  }
  'ssoConnections.useOidcClient': {
    input: SsoConnectionsUseOidcClientInput
    output: SsoConnection
    code: SsoConnectionsUseOidcClientErrorCode
  }
  'ssoConnections.listLoginTraces': {
    input: SsoConnectionsListLoginTracesInput
    output: SsoLoginTraceList
    code: SsoConnectionsListLoginTracesErrorCode
  }
  'ssoConnections.createSamlChallenge': {
    input: SsoConnectionsCreateSamlChallengeInput
    output: SsoSamlChallenge
    code: SsoConnectionsCreateSamlChallengeErrorCode
  }
  'ssoConnections.createOauthChallenge': {
    input: SsoConnectionsCreateOauthChallengeInput
    output: SsoOauthChallenge
    code: SsoConnectionsCreateOauthChallengeErrorCode
  }
  'admins.invite': { input: AdminsInviteInput; output: Admin; code: AdminsInviteErrorCode }
  'admins.list': { input: AdminsListInput; output: AdminList; code: AdminsListErrorCode }
  'admins.delete': { input: AdminsDeleteInput; output: AdminDeletion; code: AdminsDeleteErrorCode }
  'directorySync.create': {
    input: DirectorySyncCreateInput
    output: DirectorySync
    code: DirectorySyncCreateErrorCode
  }
  'directorySync.get': {
    input: DirectorySyncGetInput
    output: DirectorySync
    code: DirectorySyncGetErrorCode
  }
  'directorySync.update': {
    input: DirectorySyncUpdateInput
    output: DirectorySync
    code: DirectorySyncUpdateErrorCode
  }
  'directorySync.delete': {
    input: DirectorySyncDeleteInput
    output: DirectorySyncDeletion
    code: DirectorySyncDeleteErrorCode
  }
  'directorySync.reset': {
    input: DirectorySyncResetInput
    output: DirectorySync
    code: DirectorySyncResetErrorCode
  }
  'directorySync.listRequests': {
    input: DirectorySyncListRequestsInput
    output: ScimRequestList
    code: DirectorySyncListRequestsErrorCode
  }
  'relays.create': { input: RelaysCreateInput; output: Relay; code: RelaysCreateErrorCode }
  'relays.list': { input: RelaysListInput; output: RelayList; code: RelaysListErrorCode }
  'relays.get': { input: RelaysGetInput; output: Relay; code: RelaysGetErrorCode }
  'relays.update': { input: RelaysUpdateInput; output: Relay; code: RelaysUpdateErrorCode }
  'relays.delete': { input: RelaysDeleteInput; output: RelayDeletion; code: RelaysDeleteErrorCode }
  'relays.request': { input: RelaysRequestInput; output: RelayRequest; code: RelaysRequestErrorCode }
  'events.list': { input: EventsListInput; output: EventPage; code: EventsListErrorCode }
  'webhooks.create': { input: WebhooksCreateInput; output: Webhook; code: WebhooksCreateErrorCode }
  'webhooks.list': { input: WebhooksListInput; output: WebhookList; code: WebhooksListErrorCode }
  'webhooks.get': { input: WebhooksGetInput; output: Webhook; code: WebhooksGetErrorCode }
  'webhooks.update': { input: WebhooksUpdateInput; output: Webhook; code: WebhooksUpdateErrorCode }
  'webhooks.delete': { input: WebhooksDeleteInput; output: WebhookDeletion; code: WebhooksDeleteErrorCode }
  'webhooks.rotateSignatureKey': {
    input: WebhooksRotateSignatureKeyInput
    output: Webhook
    code: WebhooksRotateSignatureKeyErrorCode
  }
  'webhooks.test': { input: WebhooksTestInput; output: WebhookDelivery; code: WebhooksTestErrorCode }
  'webhooks.listDeliveries': {
    input: WebhooksListDeliveriesInput
    output: WebhookDeliveryList
    code: WebhooksListDeliveriesErrorCode
  }
  'webhooks.redeliver': {
    input: WebhooksRedeliverInput
    output: WebhookDelivery
    code: WebhooksRedeliverErrorCode
  }
  'webhooks.redeliverAll': {
    input: WebhooksRedeliverAllInput
    output: WebhookRedelivery
    code: WebhooksRedeliverAllErrorCode
  }
  'logEvents.list': { input: LogEventsListInput; output: LogEventList; code: LogEventsListErrorCode }
  'logEvents.listOfAccount': {
    input: LogEventsListOfAccountInput
    output: LogEventList
    code: LogEventsListOfAccountErrorCode
  }
  'account.get': { input: AccountGetInput; output: Account; code: AccountGetErrorCode }
  'account.update': { input: AccountUpdateInput; output: Account; code: AccountUpdateErrorCode }
  'outbox.list': { input: OutboxListInput; output: OutboxMessageList; code: OutboxListErrorCode }
  'oauth.apiToken': { input: OauthApiTokenInput; output: ApiToken; code: OauthApiTokenErrorCode }
  'oauth.token': { input: OauthTokenInput; output: UserTokens | ApiToken; code: OauthTokenErrorCode }
  'oauth.organizationToken': {
    input: OauthOrganizationTokenInput
    output: UserTokens
    code: OauthOrganizationTokenErrorCode
  }
  'oauth.accountToken': {
    input: OauthAccountTokenInput
    output: UserTokens
    code: OauthAccountTokenErrorCode
  }
  'oauth.revoke': { input: OauthRevokeInput; output: RevokedToken; code: OauthRevokeErrorCode }
  'oauth.organizationRevoke': {
    input: OauthOrganizationRevokeInput
    output: RevokedToken
    code: OauthOrganizationRevokeErrorCode
  }
  'oauth.accountRevoke': {
    input: OauthAccountRevokeInput
    output: RevokedToken
    code: OauthAccountRevokeErrorCode
  }
  'oauth.introspect': { input: OauthIntrospectInput; output: Introspection; code: OauthIntrospectErrorCode }
  'oauth.organizationIntrospect': {
    input: OauthOrganizationIntrospectInput
    output: Introspection
    code: OauthOrganizationIntrospectErrorCode
  }
  'oauth.accountIntrospect': {
    input: OauthAccountIntrospectInput
    output: Introspection
    code: OauthAccountIntrospectErrorCode
  }
  'oidc.discovery': { input: OidcDiscoveryInput; output: ProviderMetadata; code: OidcDiscoveryErrorCode }
  'oidc.discoveryAtRoot': {
    input: OidcDiscoveryAtRootInput
    output: ProviderMetadata
    code: OidcDiscoveryAtRootErrorCode
  }
  'oidc.serverMetadata': {
    input: OidcServerMetadataInput
    output: ProviderMetadata
    code: OidcServerMetadataErrorCode
  }
  'oidc.serverMetadataAtRoot': {
    input: OidcServerMetadataAtRootInput
    output: ProviderMetadata
    code: OidcServerMetadataAtRootErrorCode
  }
  'oidc.accountDiscovery': {
    input: OidcAccountDiscoveryInput
    output: ProviderMetadata
    code: OidcAccountDiscoveryErrorCode
  }
  'oidc.accountDiscoveryAtRoot': {
    input: OidcAccountDiscoveryAtRootInput
    output: ProviderMetadata
    code: OidcAccountDiscoveryAtRootErrorCode
  }
  'oidc.accountServerMetadata': {
    input: OidcAccountServerMetadataInput
    output: ProviderMetadata
    code: OidcAccountServerMetadataErrorCode
  }
  'oidc.accountServerMetadataAtRoot': {
    input: OidcAccountServerMetadataAtRootInput
    output: ProviderMetadata
    code: OidcAccountServerMetadataAtRootErrorCode
  }
  'oidc.keySet': { input: OidcKeySetInput; output: KeySet; code: OidcKeySetErrorCode }
  'oidc.accountKeySet': { input: OidcAccountKeySetInput; output: KeySet; code: OidcAccountKeySetErrorCode }
  'oidc.userInfo': { input: OidcUserInfoInput; output: UserInfo; code: OidcUserInfoErrorCode }
  'oidc.postUserInfo': { input: OidcPostUserInfoInput; output: UserInfo; code: OidcPostUserInfoErrorCode }
  'oidc.accountUserInfo': {
    input: OidcAccountUserInfoInput
    output: UserInfo
    code: OidcAccountUserInfoErrorCode
  }
  'oidc.postAccountUserInfo': {
    input: OidcPostAccountUserInfoInput
    output: UserInfo
    code: OidcPostAccountUserInfoErrorCode
  }
}

/** Name of an operation, such as `users.create`: resource and method. */
export type OperationName = keyof Operations

/** The methods of `client.organizations`. */
export interface OrganizationsMethods {
  /**
   * List organizations, newest first.
   * `GET /api/v2/organizations`. Requires the scope `read:organizations`.
   *
   * @throws ApiError 401 `invalid_token`; 403 `https_required`, `insufficient_scope`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * for await (const organization of client.organizations.list.all()) console.log(organization)
   * ```
   */
  readonly list: ListMethod<OrganizationsListInput, OrganizationList, Organization>

  /**
   * Create an organization.
   * `POST /api/v2/organizations`. Requires the scope `write:organizations`. Sends an Idempotency-Key, so that it can be repeated safely. etagOf() returns the version of the answer.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`, `key_limited_to_organizations`, `plan_limit_reached`; 409 `idempotency_in_flight`; 413 `body_too_large`; 415 `media_type_unsupported`; 422 `invalid_parameters`, `idempotency_key_reused`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const organization = await client.organizations.create({
   *   name: 'Awesome company',
   *   allowed_email_domains: ['awesome.example'],
   *   color: '#0f766e',
   *   icon_logo_url: 'https://awesome.example/icon.png',
   * })
   * ```
   */
  create(input: OrganizationsCreateInput, options?: RequestOptions): Promise<Organization>

  /**
   * Get an organization.
   * `GET /api/v2/organizations/:org_domain`. Requires the scope `read:organizations`. etagOf() returns the version of the answer.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`; 404 `organization_not_found`; 422 `invalid_parameters`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const organization = await client.organizations.get({ org_domain: 'awesome-company' })
   * ```
   */
  get(input: OrganizationsGetInput, options?: RequestOptions): Promise<Organization | DeletedOrganization>

  /**
   * Change an organization; its domain is immutable.
   * `PUT /api/v2/organizations/:org_domain`. Requires the scope `write:organizations`. With `ifMatch`, only that version is changed.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`; 404 `organization_not_found`; 409 `production_is_up`; 412 `precondition_failed`; 413 `body_too_large`; 415 `media_type_unsupported`; 422 `invalid_parameters`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const organization = await client.organizations.update({
   *   org_domain: 'awesome-company',
   *   name: 'Awesome company',
   *   allowed_email_domains: ['awesome.example'],
   *   color: '#0f766e',
   * })
   * ```
   */
  update(input: OrganizationsUpdateInput, options?: RequestOptions): Promise<Organization>

  /**
   * Delete an organization; everything it contains becomes inaccessible.
   * `DELETE /api/v2/organizations/:org_domain`. Requires the scope `write:organizations`. With `ifMatch`, only that version is changed.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`; 404 `organization_not_found`; 409 `production_is_up`; 412 `precondition_failed`; 413 `body_too_large`; 415 `media_type_unsupported`; 422 `invalid_parameters`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const organizationDeletion = await client.organizations.delete({ org_domain: 'awesome-company' })
   * ```
   */
  delete(input: OrganizationsDeleteInput, options?: RequestOptions): Promise<OrganizationDeletion>
}

/** The methods of `client.organizationPolicy`. */
export interface OrganizationPolicyMethods {
  /**
   * Get the policy of an organization.
   * `GET /api/v2/org/:org_domain/policy`. Requires the scope `read:memberships`. etagOf() returns the version of the answer.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`; 404 `organization_not_found`; 422 `invalid_parameters`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const organizationPolicy = await client.organizationPolicy.get({ org_domain: 'awesome-company' })
   * ```
   */
  get(input: OrganizationPolicyGetInput, options?: RequestOptions): Promise<OrganizationPolicy>

  /**
   * Change the policy of an organization.
   * `PUT /api/v2/org/:org_domain/policy`. Requires the scope `write:memberships`. With `ifMatch`, only that version is changed.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`; 404 `organization_not_found`; 412 `precondition_failed`; 413 `body_too_large`; 415 `media_type_unsupported`; 422 `invalid_parameters`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const organizationPolicy = await client.organizationPolicy.update({ org_domain: 'awesome-company', seats_limit: 25, join_by_domain: 'request' })
   * ```
   */
  update(input: OrganizationPolicyUpdateInput, options?: RequestOptions): Promise<OrganizationPolicy>
}

/** The methods of `client.invitations`. */
export interface InvitationsMethods {
  /**
   * Invite an address to an organization.
   * `POST /api/v2/org/:org_domain/invitations`. Requires the scope `write:memberships`. Sends an Idempotency-Key, so that it can be repeated safely. etagOf() returns the version of the answer.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`, `email_domain_not_allowed`, `seats_exhausted`; 404 `organization_not_found`, `application_not_found`, `meta_key_not_found`; 409 `invitation_taken`, `already_member`, `idempotency_in_flight`; 413 `body_too_large`; 415 `media_type_unsupported`; 422 `invalid_parameters`, `idempotency_key_reused`, `invitations_exhausted`, `no_application`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const invitation = await client.invitations.create({
   *   org_domain: 'awesome-company',
   *   email: 'ada@awesome.example',
   *   roles: ['billing_admin'],
   * })
   * ```
   */
  create(input: InvitationsCreateInput, options?: RequestOptions): Promise<Invitation>

  /**
   * List the invitations of an organization, newest first.
   * `GET /api/v2/org/:org_domain/invitations`. Requires the scope `read:memberships`.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`; 404 `organization_not_found`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * for await (const invitation of client.invitations.list.all({ org_domain: 'awesome-company' })) console.log(invitation)
   * ```
   */
  readonly list: ListMethod<InvitationsListInput, InvitationList, Invitation>

  /**
   * Get an invitation.
   * `GET /api/v2/org/:org_domain/invitations/:invitation_id`. Requires the scope `read:memberships`. etagOf() returns the version of the answer.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`; 404 `organization_not_found`, `invitation_not_found`; 422 `invalid_parameters`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const invitation = await client.invitations.get({
   *   org_domain: 'awesome-company',
   *   invitation_id: '0190d2b0-3f4e-7d5c-b6a7-98f0e1d2c3b4',
   * })
   * ```
   */
  get(input: InvitationsGetInput, options?: RequestOptions): Promise<Invitation>

  /**
   * Change a pending invitation.
   * `PUT /api/v2/org/:org_domain/invitations/:invitation_id`. Requires the scope `write:memberships`. With `ifMatch`, only that version is changed.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`; 404 `organization_not_found`, `invitation_not_found`; 409 `invitation_not_pending`; 412 `precondition_failed`; 413 `body_too_large`; 415 `media_type_unsupported`; 422 `invalid_parameters`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const invitation = await client.invitations.update({
   *   org_domain: 'awesome-company',
   *   invitation_id: '0190d2b0-3f4e-7d5c-b6a7-98f0e1d2c3b4',
   *   expires_in_days: 14,
   * })
   * ```
   */
  update(input: InvitationsUpdateInput, options?: RequestOptions): Promise<Invitation>

  /**
   * Mail a pending invitation again, with a new URL; it expires later, and the URL before works no more.
   * `POST /api/v2/org/:org_domain/invitations/:invitation_id/resend`. Requires the scope `write:memberships`. Sends an Idempotency-Key, so that it can be repeated safely. etagOf() returns the version of the answer.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`; 404 `organization_not_found`, `invitation_not_found`; 409 `invitation_not_pending`, `idempotency_in_flight`; 413 `body_too_large`; 415 `media_type_unsupported`; 422 `invalid_parameters`, `idempotency_key_reused`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const invitation = await client.invitations.resend({
   *   org_domain: 'awesome-company',
   *   invitation_id: '0190d2b0-3f4e-7d5c-b6a7-98f0e1d2c3b4',
   * })
   * ```
   */
  resend(input: InvitationsResendInput, options?: RequestOptions): Promise<Invitation>

  /**
   * Revoke a pending invitation; its URL works no more.
   * `PATCH /api/v2/org/:org_domain/invitations/:invitation_id/revoke`. Requires the scope `write:memberships`. With `ifMatch`, only that version is changed.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`; 404 `organization_not_found`, `invitation_not_found`; 409 `invitation_not_pending`; 412 `precondition_failed`; 413 `body_too_large`; 415 `media_type_unsupported`; 422 `invalid_parameters`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const invitation = await client.invitations.revoke({
   *   org_domain: 'awesome-company',
   *   invitation_id: '0190d2b0-3f4e-7d5c-b6a7-98f0e1d2c3b4',
   * })
   * ```
   */
  revoke(input: InvitationsRevokeInput, options?: RequestOptions): Promise<Invitation>
}

/** The methods of `client.joinRequests`. */
export interface JoinRequestsMethods {
  /**
   * List the join requests of an organization, newest first.
   * `GET /api/v2/org/:org_domain/join-requests`. Requires the scope `read:memberships`.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`; 404 `organization_not_found`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * for await (const joinRequest of client.joinRequests.list.all({ org_domain: 'awesome-company' })) console.log(joinRequest)
   * ```
   */
  readonly list: ListMethod<JoinRequestsListInput, JoinRequestList, JoinRequest>

  /**
   * Get a join request.
   * `GET /api/v2/org/:org_domain/join-requests/:join_request_id`. Requires the scope `read:memberships`. etagOf() returns the version of the answer.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`; 404 `organization_not_found`, `join_request_not_found`; 422 `invalid_parameters`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const joinRequest = await client.joinRequests.get({
   *   org_domain: 'awesome-company',
   *   join_request_id: '5b1d6a1e-7d0b-4f0f-8a52-0b7b7d7f2a11',
   * })
   * ```
   */
  get(input: JoinRequestsGetInput, options?: RequestOptions): Promise<JoinRequest>

  /**
   * Make the user of a pending join request, and mail them.
   * `PATCH /api/v2/org/:org_domain/join-requests/:join_request_id/approve`. Requires the scope `write:memberships`. With `ifMatch`, only that version is changed.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`, `email_domain_not_allowed`, `join_not_allowed`, `sso_required`, `seats_exhausted`; 404 `organization_not_found`, `join_request_not_found`; 409 `join_request_decided`; 412 `precondition_failed`; 413 `body_too_large`; 415 `media_type_unsupported`; 422 `invalid_parameters`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const joinRequest = await client.joinRequests.approve({
   *   org_domain: 'awesome-company',
   *   join_request_id: '5b1d6a1e-7d0b-4f0f-8a52-0b7b7d7f2a11',
   *   roles: ['billing_admin'],
   * })
   * ```
   */
  approve(input: JoinRequestsApproveInput, options?: RequestOptions): Promise<JoinRequest>

  /**
   * Deny a pending join request, and mail its owner that it was not approved.
   * `PATCH /api/v2/org/:org_domain/join-requests/:join_request_id/deny`. Requires the scope `write:memberships`. With `ifMatch`, only that version is changed.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`; 404 `organization_not_found`, `join_request_not_found`; 409 `join_request_decided`; 412 `precondition_failed`; 413 `body_too_large`; 415 `media_type_unsupported`; 422 `invalid_parameters`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const joinRequest = await client.joinRequests.deny({
   *   org_domain: 'awesome-company',
   *   join_request_id: '5b1d6a1e-7d0b-4f0f-8a52-0b7b7d7f2a11',
   * })
   * ```
   */
  deny(input: JoinRequestsDenyInput, options?: RequestOptions): Promise<JoinRequest>
}

/** The methods of `client.domains`. */
export interface DomainsMethods {
  /**
   * Add an e-mail domain to an organization; its record proves it.
   * `POST /api/v2/org/:org_domain/domains`. Requires the scope `write:domains`. Sends an Idempotency-Key, so that it can be repeated safely. etagOf() returns the version of the answer.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`; 404 `organization_not_found`; 409 `domain_taken`, `idempotency_in_flight`; 413 `body_too_large`; 415 `media_type_unsupported`; 422 `invalid_parameters`, `idempotency_key_reused`, `domains_exhausted`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const domain = await client.domains.create({ org_domain: 'awesome-company', domain: 'awesome.example' })
   * ```
   */
  create(input: DomainsCreateInput, options?: RequestOptions): Promise<Domain>

  /**
   * List the domains of an organization, newest first.
   * `GET /api/v2/org/:org_domain/domains`. Requires the scope `read:domains`.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`; 404 `organization_not_found`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * for await (const domain of client.domains.list.all({ org_domain: 'awesome-company' })) console.log(domain)
   * ```
   */
  readonly list: ListMethod<DomainsListInput, DomainList, Domain>

  /**
   * Get a domain.
   * `GET /api/v2/org/:org_domain/domains/:domain_id`. Requires the scope `read:domains`. etagOf() returns the version of the answer.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`; 404 `organization_not_found`, `domain_not_found`; 422 `invalid_parameters`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const domain = await client.domains.get({
   *   org_domain: 'awesome-company',
   *   domain_id: '0190d1b0-3f4e-7d5c-b6a7-98f0e1d2c3b4',
   * })
   * ```
   */
  get(input: DomainsGetInput, options?: RequestOptions): Promise<Domain>

  /**
   * Change a domain.
   * `PUT /api/v2/org/:org_domain/domains/:domain_id`. Requires the scope `write:domains`. With `ifMatch`, only that version is changed.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`; 404 `organization_not_found`, `domain_not_found`; 412 `precondition_failed`; 413 `body_too_large`; 415 `media_type_unsupported`; 422 `invalid_parameters`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const domain = await client.domains.update({
   *   org_domain: 'awesome-company',
   *   domain_id: '0190d1b0-3f4e-7d5c-b6a7-98f0e1d2c3b4',
   *   declared: false,
   *   include_subdomains: false,
   *   sso_required: false,
   * })
   * ```
   */
  update(input: DomainsUpdateInput, options?: RequestOptions): Promise<Domain>

  /**
   * Delete a domain; nothing is authoritative for its addresses any more.
   * `DELETE /api/v2/org/:org_domain/domains/:domain_id`. Requires the scope `write:domains`. With `ifMatch`, only that version is changed.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`; 404 `organization_not_found`, `domain_not_found`; 412 `precondition_failed`; 413 `body_too_large`; 415 `media_type_unsupported`; 422 `invalid_parameters`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const domainDeletion = await client.domains.delete({
   *   org_domain: 'awesome-company',
   *   domain_id: '0190d1b0-3f4e-7d5c-b6a7-98f0e1d2c3b4',
   * })
   * ```
   */
  delete(input: DomainsDeleteInput, options?: RequestOptions): Promise<DomainDeletion>

  /**
   * Look the record of a domain up now.
   * `POST /api/v2/org/:org_domain/domains/:domain_id/check`. Requires the scope `write:domains`. Sends an Idempotency-Key, so that it can be repeated safely. etagOf() returns the version of the answer.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`; 404 `organization_not_found`, `domain_not_found`; 409 `idempotency_in_flight`; 413 `body_too_large`; 415 `media_type_unsupported`; 422 `invalid_parameters`, `idempotency_key_reused`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const domain = await client.domains.check({
   *   org_domain: 'awesome-company',
   *   domain_id: '0190d1b0-3f4e-7d5c-b6a7-98f0e1d2c3b4',
   * })
   * ```
   */
  check(input: DomainsCheckInput, options?: RequestOptions): Promise<Domain>
}

/** The methods of `client.users`. */
export interface UsersMethods {
  /**
   * Create a user.
   * `POST /api/v2/org/:org_domain/users`. Requires the scope `write:users`. Sends an Idempotency-Key, so that it can be repeated safely. etagOf() returns the version of the answer.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`, `seats_exhausted`; 404 `organization_not_found`, `meta_key_not_found`; 409 `email_taken`, `idempotency_in_flight`; 413 `body_too_large`; 415 `media_type_unsupported`; 422 `invalid_parameters`, `idempotency_key_reused`, `metadata_required`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const user = await client.users.create({
   *   org_domain: 'awesome-company',
   *   email: 'ada@awesome.example',
   *   active: true,
   *   phone_number: '+33612345678',
   * })
   * ```
   */
  create(input: UsersCreateInput, options?: RequestOptions): Promise<User>

  /**
   * List users, newest first.
   * `GET /api/v2/org/:org_domain/users`. Requires the scope `read:users`.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`; 404 `organization_not_found`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * for await (const user of client.users.list.all({ org_domain: 'awesome-company' })) console.log(user)
   * ```
   */
  readonly list: ListMethod<UsersListInput, UserList, User>

  /**
   * Get a user.
   * `GET /api/v2/org/:org_domain/users/:user_id`. Requires the scope `read:users`. etagOf() returns the version of the answer.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`; 404 `organization_not_found`, `user_not_found`; 422 `invalid_parameters`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const user = await client.users.get({
   *   org_domain: 'awesome-company',
   *   user_id: '0190c8a4-11d2-7a6f-8e3b-7c9d0e1f2a46',
   * })
   * ```
   */
  get(input: UsersGetInput, options?: RequestOptions): Promise<User | DeletedUser>

  /**
   * Get a user by e-mail address.
   * `GET /api/v2/org/:org_domain/user-by-email/:user_email`. Requires the scope `read:users`. etagOf() returns the version of the answer.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`; 404 `organization_not_found`, `user_not_found`; 422 `invalid_parameters`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const user = await client.users.getByEmail({ org_domain: 'awesome-company', user_email: 'ada@awesome.example' })
   * ```
   */
  getByEmail(input: UsersGetByEmailInput, options?: RequestOptions): Promise<User>

  /**
   * Change a user.
   * `PUT /api/v2/org/:org_domain/users/:user_id`. Requires the scope `write:users`. With `ifMatch`, only that version is changed.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`; 404 `organization_not_found`, `user_not_found`, `meta_key_not_found`; 409 `email_taken`, `metadata_managed`; 412 `precondition_failed`; 413 `body_too_large`; 415 `media_type_unsupported`; 422 `invalid_parameters`, `metadata_required`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const user = await client.users.update({
   *   org_domain: 'awesome-company',
   *   user_id: '0190c8a4-11d2-7a6f-8e3b-7c9d0e1f2a46',
   *   email: 'ada@awesome.example',
   *   active: true,
   *   phone_number: '+33612345678',
   * })
   * ```
   */
  update(input: UsersUpdateInput, options?: RequestOptions): Promise<User>

  /**
   * Delete a user; sessions end at once.
   * `DELETE /api/v2/org/:org_domain/users/:user_id`. Requires the scope `write:users`. With `ifMatch`, only that version is changed.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`; 404 `organization_not_found`, `user_not_found`; 412 `precondition_failed`; 413 `body_too_large`; 415 `media_type_unsupported`; 422 `invalid_parameters`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const userDeletion = await client.users.delete({
   *   org_domain: 'awesome-company',
   *   user_id: '0190c8a4-11d2-7a6f-8e3b-7c9d0e1f2a46',
   * })
   * ```
   */
  delete(input: UsersDeleteInput, options?: RequestOptions): Promise<UserDeletion>

  /**
   * Set a metadata value of a user, replacing any existing one.
   * `PUT /api/v2/org/:org_domain/users/:user_id/add-metadata`. Requires the scope `write:users`. With `ifMatch`, only that version is changed.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`; 404 `organization_not_found`, `user_not_found`, `meta_key_not_found`; 409 `metadata_managed`; 412 `precondition_failed`; 413 `body_too_large`; 415 `media_type_unsupported`; 422 `invalid_parameters`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const user = await client.users.addMetadata({
   *   org_domain: 'awesome-company',
   *   user_id: '0190c8a4-11d2-7a6f-8e3b-7c9d0e1f2a46',
   *   key: 'employee_number',
   *   value: '1815',
   * })
   * ```
   */
  addMetadata(input: UsersAddMetadataInput, options?: RequestOptions): Promise<User>

  /**
   * Remove a metadata value of a user.
   * `PUT /api/v2/org/:org_domain/users/:user_id/remove-metadata`. Requires the scope `write:users`. With `ifMatch`, only that version is changed.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`; 404 `organization_not_found`, `user_not_found`, `meta_key_not_found`; 409 `metadata_managed`; 412 `precondition_failed`; 413 `body_too_large`; 415 `media_type_unsupported`; 422 `invalid_parameters`, `metadata_required`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const user = await client.users.removeMetadata({
   *   org_domain: 'awesome-company',
   *   user_id: '0190c8a4-11d2-7a6f-8e3b-7c9d0e1f2a46',
   *   key: 'employee_number',
   * })
   * ```
   */
  removeMetadata(input: UsersRemoveMetadataInput, options?: RequestOptions): Promise<User>
}

/** The methods of `client.permissions`. */
export interface PermissionsMethods {
  /**
   * Declare a permission.
   * `POST /api/v2/permissions`. Requires the scope `write:roles`. Sends an Idempotency-Key, so that it can be repeated safely. etagOf() returns the version of the answer.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`, `key_limited_to_organizations`; 409 `permission_taken`, `idempotency_in_flight`; 413 `body_too_large`; 415 `media_type_unsupported`; 422 `invalid_parameters`, `idempotency_key_reused`, `permissions_exhausted`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const permission = await client.permissions.create({ name: 'invoices:read', description: 'See invoices' })
   * ```
   */
  create(input: PermissionsCreateInput, options?: RequestOptions): Promise<Permission>

  /**
   * List the permissions, newest first.
   * `GET /api/v2/permissions`. Requires the scope `read:roles`.
   *
   * @throws ApiError 401 `invalid_token`; 403 `https_required`, `insufficient_scope`, `key_limited_to_organizations`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * for await (const permission of client.permissions.list.all()) console.log(permission)
   * ```
   */
  readonly list: ListMethod<PermissionsListInput, PermissionList, Permission>

  /**
   * Get a permission.
   * `GET /api/v2/permissions/:permission_id`. Requires the scope `read:roles`. etagOf() returns the version of the answer.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`, `key_limited_to_organizations`; 404 `permission_not_found`; 422 `invalid_parameters`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const permission = await client.permissions.get({ permission_id: '0190d2c0-4a5b-7c6d-8e7f-90a1b2c3d4e5' })
   * ```
   */
  get(input: PermissionsGetInput, options?: RequestOptions): Promise<Permission>

  /**
   * Change the description of a permission.
   * `PUT /api/v2/permissions/:permission_id`. Requires the scope `write:roles`. With `ifMatch`, only that version is changed.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`, `key_limited_to_organizations`; 404 `permission_not_found`; 412 `precondition_failed`; 413 `body_too_large`; 415 `media_type_unsupported`; 422 `invalid_parameters`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const permission = await client.permissions.update({
   *   permission_id: '0190d2c0-4a5b-7c6d-8e7f-90a1b2c3d4e5',
   *   description: 'See invoices',
   * })
   * ```
   */
  update(input: PermissionsUpdateInput, options?: RequestOptions): Promise<Permission>

  /**
   * Delete a permission; with force, also from the roles that have it.
   * `DELETE /api/v2/permissions/:permission_id`. Requires the scope `write:roles`. With `ifMatch`, only that version is changed.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`, `key_limited_to_organizations`; 404 `permission_not_found`; 409 `permission_in_use`; 412 `precondition_failed`; 413 `body_too_large`; 415 `media_type_unsupported`; 422 `invalid_parameters`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const permissionDeletion = await client.permissions.delete({ permission_id: '0190d2c0-4a5b-7c6d-8e7f-90a1b2c3d4e5' })
   * ```
   */
  delete(input: PermissionsDeleteInput, options?: RequestOptions): Promise<PermissionDeletion>
}

/** The methods of `client.roles`. */
export interface RolesMethods {
  /**
   * Create a role.
   * `POST /api/v2/roles`. Requires the scope `write:roles`. Sends an Idempotency-Key, so that it can be repeated safely. etagOf() returns the version of the answer.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`, `key_limited_to_organizations`; 409 `role_taken`, `idempotency_in_flight`; 413 `body_too_large`; 415 `media_type_unsupported`; 422 `invalid_parameters`, `idempotency_key_reused`, `roles_exhausted`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const role = await client.roles.create({
   *   name: 'billing_admin',
   *   display_name: 'Billing administrator',
   *   permissions: ['invoices:read', 'invoices:write'],
   * })
   * ```
   */
  create(input: RolesCreateInput, options?: RequestOptions): Promise<Role>

  /**
   * List the roles, newest first.
   * `GET /api/v2/roles`. Requires the scope `read:roles`.
   *
   * @throws ApiError 401 `invalid_token`; 403 `https_required`, `insufficient_scope`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * for await (const role of client.roles.list.all()) console.log(role)
   * ```
   */
  readonly list: ListMethod<RolesListInput, RoleList, Role>

  /**
   * Get a role.
   * `GET /api/v2/roles/:role_id`. Requires the scope `read:roles`. etagOf() returns the version of the answer.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`; 404 `role_not_found`; 422 `invalid_parameters`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const role = await client.roles.get({ role_id: '0190d2c1-5b6c-7d7e-9f80-a1b2c3d4e5f6' })
   * ```
   */
  get(input: RolesGetInput, options?: RequestOptions): Promise<Role>

  /**
   * Change a role.
   * `PUT /api/v2/roles/:role_id`. Requires the scope `write:roles`. With `ifMatch`, only that version is changed.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`, `key_limited_to_organizations`; 404 `role_not_found`; 412 `precondition_failed`; 413 `body_too_large`; 415 `media_type_unsupported`; 422 `invalid_parameters`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const role = await client.roles.update({
   *   role_id: '0190d2c1-5b6c-7d7e-9f80-a1b2c3d4e5f6',
   *   permissions: ['invoices:read'],
   * })
   * ```
   */
  update(input: RolesUpdateInput, options?: RequestOptions): Promise<Role>

  /**
   * Delete a role; with force, also from the users who have it.
   * `DELETE /api/v2/roles/:role_id`. Requires the scope `write:roles`. With `ifMatch`, only that version is changed.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`, `key_limited_to_organizations`; 404 `role_not_found`; 409 `role_in_use`; 412 `precondition_failed`; 413 `body_too_large`; 415 `media_type_unsupported`; 422 `invalid_parameters`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const roleDeletion = await client.roles.delete({ role_id: '0190d2c1-5b6c-7d7e-9f80-a1b2c3d4e5f6' })
   * ```
   */
  delete(input: RolesDeleteInput, options?: RequestOptions): Promise<RoleDeletion>

  /**
   * Get the roles of a user, and what they allow.
   * `GET /api/v2/org/:org_domain/users/:user_id/roles`. Requires the scope `read:roles`. etagOf() returns the version of the answer.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`; 404 `organization_not_found`, `user_not_found`; 422 `invalid_parameters`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const userRoles = await client.roles.getUserRoles({
   *   org_domain: 'awesome-company',
   *   user_id: '0190c8a4-11d2-7a6f-8e3b-7c9d0e1f2a46',
   * })
   * ```
   */
  getUserRoles(input: RolesGetUserRolesInput, options?: RequestOptions): Promise<UserRoles>

  /**
   * Give a user these roles, in place of those that the API has given, and that came with an invitation or by joining.
   * `PUT /api/v2/org/:org_domain/users/:user_id/roles`. Requires the scope `write:roles`. With `ifMatch`, only that version is changed.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`; 404 `organization_not_found`, `user_not_found`; 412 `precondition_failed`; 413 `body_too_large`; 415 `media_type_unsupported`; 422 `invalid_parameters`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const userRoles = await client.roles.setUserRoles({
   *   org_domain: 'awesome-company',
   *   user_id: '0190c8a4-11d2-7a6f-8e3b-7c9d0e1f2a46',
   *   roles: ['billing_admin'],
   * })
   * ```
   */
  setUserRoles(input: RolesSetUserRolesInput, options?: RequestOptions): Promise<UserRoles>
}

/** The methods of `client.accessEvaluation`. */
export interface AccessEvaluationMethods {
  /**
   * Ask whether a user has a permission.
   * `POST /api/v2/org/:org_domain/access/evaluation`. Requires the scope `read:roles`.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`; 404 `organization_not_found`; 413 `body_too_large`; 415 `media_type_unsupported`; 422 `invalid_parameters`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const accessDecision = await client.accessEvaluation.evaluate({
   *   org_domain: 'awesome-company',
   *   subject: { type: 'user', id: '0190c8a4-11d2-7a6f-8e3b-7c9d0e1f2a46' },
   *   action: { name: 'invoices:read' },
   * })
   * ```
   */
  evaluate(input: AccessEvaluationEvaluateInput, options?: RequestOptions): Promise<AccessDecision>

  /**
   * Ask several such questions at once.
   * `POST /api/v2/org/:org_domain/access/evaluations`. Requires the scope `read:roles`.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`; 404 `organization_not_found`; 413 `body_too_large`; 415 `media_type_unsupported`; 422 `invalid_parameters`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const accessDecisions = await client.accessEvaluation.evaluateAll({
   *   org_domain: 'awesome-company',
   *   evaluations: [{ action: { name: 'invoices:read' } }],
   *   subject: { type: 'user', id: '0190c8a4-11d2-7a6f-8e3b-7c9d0e1f2a46' },
   * })
   * ```
   */
  evaluateAll(input: AccessEvaluationEvaluateAllInput, options?: RequestOptions): Promise<AccessDecisions>

  /**
   * Where these questions are asked, for clients that discover it.
   * `GET /.well-known/authzen-configuration/api/v2/org/:org_domain`. Sends no API token.
   *
   * @throws ApiError 400 `malformed_request`; 403 `https_required`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const accessConfiguration = await client.accessEvaluation.configuration({ org_domain: 'awesome-company' })
   * ```
   */
  configuration(
    input: AccessEvaluationConfigurationInput,
    options?: RequestOptions,
  ): Promise<AccessConfiguration>
}

/** The methods of `client.applications`. */
export interface ApplicationsMethods {
  /**
   * Register an application.
   * `POST /api/v2/org/:org_domain/applications`. Requires the scope `write:applications`. Sends an Idempotency-Key, so that it can be repeated safely. etagOf() returns the version of the answer.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`, `key_limited_to_organizations`; 404 `organization_not_found`; 409 `idempotency_in_flight`; 413 `body_too_large`; 415 `media_type_unsupported`; 422 `invalid_parameters`, `idempotency_key_reused`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const application = await client.applications.create({
   *   org_domain: 'awesome-company',
   *   name: 'Storefront',
   *   application_type: 'react',
   *   allowed_origins_cors: ['https://store.example'],
   *   allowed_redirect_urls: ['https://store.example/callback'],
   *   allowed_logout_urls: ['https://store.example/signed-out'],
   *   allowed_web_origins: ['https://store.example'],
   *   description: 'Where customers order',
   *   default_redirect_uri_after_login: 'https://store.example/callback',
   * })
   * ```
   */
  create(input: ApplicationsCreateInput, options?: RequestOptions): Promise<Application>

  /**
   * List the applications that the organization can use, newest first.
   * `GET /api/v2/org/:org_domain/applications`. Requires the scope `read:applications`.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`; 404 `organization_not_found`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * for await (const application of client.applications.list.all({ org_domain: 'awesome-company' })) console.log(application)
   * ```
   */
  readonly list: ListMethod<ApplicationsListInput, ApplicationList, Application>

  /**
   * List the applications of the account and of the organizations that the key may see, newest first.
   * `GET /api/v2/applications`. Requires the scope `read:applications`.
   *
   * @throws ApiError 401 `invalid_token`; 403 `https_required`, `insufficient_scope`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * for await (const application of client.applications.listOfAccount.all()) console.log(application)
   * ```
   */
  readonly listOfAccount: ListMethod<ApplicationsListOfAccountInput, ApplicationList, Application>

  /**
   * Get an application.
   * `GET /api/v2/org/:org_domain/applications/:client_id`. Requires the scope `read:applications`. etagOf() returns the version of the answer.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`; 404 `organization_not_found`, `application_not_found`; 422 `invalid_parameters`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const application = await client.applications.get({
   *   org_domain: 'awesome-company',
   *   client_id: '0190c8b0-3f4e-7d5c-b6a7-98f0e1d2c3b4',
   * })
   * ```
   */
  get(input: ApplicationsGetInput, options?: RequestOptions): Promise<Application | DeletedApplication>

  /**
   * Change an application.
   * `PUT /api/v2/org/:org_domain/applications/:client_id`. Requires the scope `write:applications`. With `ifMatch`, only that version is changed.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`, `key_limited_to_organizations`; 404 `organization_not_found`, `application_not_found`; 412 `precondition_failed`; 413 `body_too_large`; 415 `media_type_unsupported`; 422 `invalid_parameters`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const application = await client.applications.update({
   *   org_domain: 'awesome-company',
   *   client_id: '0190c8b0-3f4e-7d5c-b6a7-98f0e1d2c3b4',
   *   name: 'Storefront',
   *   application_type: 'react',
   *   allowed_origins_cors: ['https://store.example'],
   * })
   * ```
   */
  update(input: ApplicationsUpdateInput, options?: RequestOptions): Promise<Application>

  /**
   * Delete an application; its codes and sessions end immediately.
   * `DELETE /api/v2/org/:org_domain/applications/:client_id`. Requires the scope `write:applications`. With `ifMatch`, only that version is changed.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`, `key_limited_to_organizations`; 404 `organization_not_found`, `application_not_found`; 412 `precondition_failed`; 413 `body_too_large`; 415 `media_type_unsupported`; 422 `invalid_parameters`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const applicationDeletion = await client.applications.delete({
   *   org_domain: 'awesome-company',
   *   client_id: '0190c8b0-3f4e-7d5c-b6a7-98f0e1d2c3b4',
   * })
   * ```
   */
  delete(input: ApplicationsDeleteInput, options?: RequestOptions): Promise<ApplicationDeletion>
}

/** The methods of `client.applicationSecrets`. */
export interface ApplicationSecretsMethods {
  /**
   * Create a secret of an application; only this answer contains it.
   * `POST /api/v2/org/:org_domain/applications/:client_id/secrets`. Requires the scope `write:applications`. Sends an Idempotency-Key, so that it can be repeated safely.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`, `key_limited_to_organizations`; 404 `organization_not_found`, `application_not_found`; 409 `secret_limit_reached`, `idempotency_in_flight`; 413 `body_too_large`; 415 `media_type_unsupported`; 422 `invalid_parameters`, `idempotency_key_reused`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const applicationSecret = await client.applicationSecrets.create({
   *   org_domain: 'awesome-company',
   *   client_id: '0190c8b0-3f4e-7d5c-b6a7-98f0e1d2c3b4',
   *   expires_at: '2099-01-31T00:00:00Z',
   * })
   * ```
   */
  create(input: ApplicationSecretsCreateInput, options?: RequestOptions): Promise<ApplicationSecret>

  /**
   * List the secrets of an application, newest first.
   * `GET /api/v2/org/:org_domain/applications/:client_id/secrets`. Requires the scope `read:applications`.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`; 404 `organization_not_found`, `application_not_found`; 422 `invalid_parameters`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const applicationSecrets = await client.applicationSecrets.list({
   *   org_domain: 'awesome-company',
   *   client_id: '0190c8b0-3f4e-7d5c-b6a7-98f0e1d2c3b4',
   * })
   * ```
   */
  list(input: ApplicationSecretsListInput, options?: RequestOptions): Promise<ApplicationSecrets>

  /**
   * Delete a secret of an application, which is refused from then on.
   * `DELETE /api/v2/org/:org_domain/applications/:client_id/secrets/:secret_id`. Requires the scope `write:applications`.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`, `key_limited_to_organizations`; 404 `organization_not_found`, `application_not_found`, `application_secret_not_found`; 413 `body_too_large`; 415 `media_type_unsupported`; 422 `invalid_parameters`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const applicationSecretDeletion = await client.applicationSecrets.delete({
   *   org_domain: 'awesome-company',
   *   client_id: '0190c8b0-3f4e-7d5c-b6a7-98f0e1d2c3b4',
   *   secret_id: '0190ca31-4d5e-7f60-8a7b-8c9d0e1f2a3b',
   * })
   * ```
   */
  delete(input: ApplicationSecretsDeleteInput, options?: RequestOptions): Promise<ApplicationSecretDeletion>
}

/** The methods of `client.tokenCustomization`. */
export interface TokenCustomizationMethods {
  /**
   * Get sample tokens like those of a user of the organization; no endpoint accepts them.
   * `GET /api/v2/org/:org_domain/token-customization/sample`. Requires the scope `read:token_customization`.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`; 404 `organization_not_found`, `user_not_found`, `application_not_found`; 422 `invalid_parameters`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const jwtSample = await client.tokenCustomization.sample({ org_domain: 'awesome-company' })
   * ```
   */
  sample(input: TokenCustomizationSampleInput, options?: RequestOptions): Promise<JwtSample>

  /**
   * Declare a metadata key.
   * `POST /api/v2/org/:org_domain/token-customization/user-metakey`. Requires the scope `write:token_customization`. Sends an Idempotency-Key, so that it can be repeated safely.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`; 404 `organization_not_found`; 409 `meta_key_taken`, `production_is_up`, `idempotency_in_flight`; 413 `body_too_large`; 415 `media_type_unsupported`; 422 `invalid_parameters`, `idempotency_key_reused`, `meta_keys_exhausted`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const metaKey = await client.tokenCustomization.createMetaKey({
   *   org_domain: 'awesome-company',
   *   name: 'employee_number',
   *   type: 'integer',
   *   required: false,
   * })
   * ```
   */
  createMetaKey(input: TokenCustomizationCreateMetaKeyInput, options?: RequestOptions): Promise<MetaKey>

  /**
   * List the metadata keys, newest first.
   * `GET /api/v2/org/:org_domain/token-customization/user-metakey`. Requires the scope `read:token_customization`.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`; 404 `organization_not_found`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * for await (const metaKey of client.tokenCustomization.listMetaKeys.all({ org_domain: 'awesome-company' })) console.log(metaKey)
   * ```
   */
  readonly listMetaKeys: ListMethod<TokenCustomizationListMetaKeysInput, MetaKeyList, MetaKey>

  /**
   * Delete a metadata key together with its values.
   * `DELETE /api/v2/org/:org_domain/token-customization/user-metakey`. Requires the scope `write:token_customization`.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`; 404 `organization_not_found`, `meta_key_not_found`; 409 `meta_key_in_use`, `production_is_up`; 413 `body_too_large`; 415 `media_type_unsupported`; 422 `invalid_parameters`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const metaKeyDeletion = await client.tokenCustomization.deleteMetaKey({ org_domain: 'awesome-company', key_name: 'Backend of the shop' })
   * ```
   */
  deleteMetaKey(
    input: TokenCustomizationDeleteMetaKeyInput,
    options?: RequestOptions,
  ): Promise<MetaKeyDeletion>

  /**
   * Set a metadata value of a user, replacing any existing one.
   * `PATCH /api/v2/org/:org_domain/token-customization/set-user-metadata`. Requires the scope `write:token_customization`. With `ifMatch`, only that version is changed.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`; 404 `organization_not_found`, `user_not_found`, `meta_key_not_found`; 409 `metadata_managed`; 412 `precondition_failed`; 413 `body_too_large`; 415 `media_type_unsupported`; 422 `invalid_parameters`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const user = await client.tokenCustomization.setUserMetadata({
   *   org_domain: 'awesome-company',
   *   user_id: '0190c8a4-11d2-7a6f-8e3b-7c9d0e1f2a46',
   *   key_name: 'Backend of the shop',
   *   key_value: '1815',
   * })
   * ```
   */
  setUserMetadata(input: TokenCustomizationSetUserMetadataInput, options?: RequestOptions): Promise<User>
}

/** The methods of `client.magicLink`. */
export interface MagicLinkMethods {
  /**
   * Create a single-use link that signs a user in.
   * `POST /api/v2/magic-link-challenge`. Requires the scope `write:magic_links`.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`, `email_domain_not_allowed`, `sso_required`; 404 `organization_not_found`, `user_not_found`, `application_not_found`; 409 `connection_inactive`, `user_inactive`; 413 `body_too_large`; 415 `media_type_unsupported`; 422 `invalid_parameters`, `no_application`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const magicLinkChallenge = await client.magicLink.createChallenge({ user_email: 'ada@awesome.example', org_domain: 'awesome-company' })
   * ```
   */
  createChallenge(input: MagicLinkCreateChallengeInput, options?: RequestOptions): Promise<MagicLinkChallenge>

  /**
   * Get the magic-link connection.
   * `GET /api/v2/org/:org_domain/magic-link-connection`. Requires the scope `read:magic_links`. etagOf() returns the version of the answer.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`; 404 `organization_not_found`; 422 `invalid_parameters`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const magicLinkConnection = await client.magicLink.getConnection({ org_domain: 'awesome-company' })
   * ```
   */
  getConnection(input: MagicLinkGetConnectionInput, options?: RequestOptions): Promise<MagicLinkConnection>

  /**
   * Change the magic-link connection.
   * `PUT /api/v2/org/:org_domain/magic-link-connection`. Requires the scope `write:magic_links`. With `ifMatch`, only that version is changed.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`; 404 `organization_not_found`; 412 `precondition_failed`; 413 `body_too_large`; 415 `media_type_unsupported`; 422 `invalid_parameters`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const magicLinkConnection = await client.magicLink.updateConnection({ org_domain: 'awesome-company', active: true, find_or_create_user: false })
   * ```
   */
  updateConnection(
    input: MagicLinkUpdateConnectionInput,
    options?: RequestOptions,
  ): Promise<MagicLinkConnection>
}

/** The methods of `client.discovery`. */
export interface DiscoveryMethods {
  /**
   * Create a single-use link that proves a mailbox.
   * `POST /api/v2/discovery-challenge`. Requires the scope `write:discovery`.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`, `key_limited_to_organizations`; 404 `application_not_found`; 413 `body_too_large`; 415 `media_type_unsupported`; 422 `invalid_parameters`, `no_application`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const discoveryChallenge = await client.discovery.createChallenge({
   *   user_email: 'ada@awesome.example',
   *   application_id: '0190c8b0-3f4e-7d5c-b6a7-98f0e1d2c3b4',
   * })
   * ```
   */
  createChallenge(input: DiscoveryCreateChallengeInput, options?: RequestOptions): Promise<DiscoveryChallenge>

  /**
   * Exchange the code of a link for the organizations of its address.
   * `POST /api/v2/discovery-challenge/exchange`. Requires the scope `write:discovery`.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`, `key_limited_to_organizations`; 404 `discovery_not_found`; 413 `body_too_large`; 415 `media_type_unsupported`; 422 `invalid_parameters`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const discovery = await client.discovery.exchange({ discovery_code: 'pB7nX2kV9mQ4tZ1cL6wR3yU8eA5sD0fGhJkMxCvBnQ1' })
   * ```
   */
  exchange(input: DiscoveryExchangeInput, options?: RequestOptions): Promise<Discovery>

  /**
   * Enter an organization of a discovery.
   * `POST /api/v2/discovery/enter`. Requires the scope `write:discovery`.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`, `key_limited_to_organizations`; 404 `discovery_not_found`, `organization_not_found`; 413 `body_too_large`; 415 `media_type_unsupported`; 422 `invalid_parameters`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const discoveryEntrance = await client.discovery.enter({
   *   discovery_token: 'Zk3mQ8vT1xY6bN4cR9wE2uP7aS5dF0gHjKlXzV8qW1o',
   *   org_domain: 'awesome-company',
   *   redirect_uri: 'https://store.example/callback',
   * })
   * ```
   */
  enter(input: DiscoveryEnterInput, options?: RequestOptions): Promise<DiscoveryEntrance>
}

/** The methods of `client.password`. */
export interface PasswordMethods {
  /**
   * Enable passwords for the users of an organization.
   * `POST /api/v2/org/:org_domain/password-connection`. Requires the scope `write:passwords`. Sends an Idempotency-Key, so that it can be repeated safely. etagOf() returns the version of the answer.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`; 404 `organization_not_found`; 409 `password_connection_taken`, `idempotency_in_flight`; 413 `body_too_large`; 415 `media_type_unsupported`; 422 `invalid_parameters`, `idempotency_key_reused`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const passwordConnection = await client.password.createConnection({
   *   org_domain: 'awesome-company',
   *   plain_text_min_length: 8,
   *   plain_text_max_length: 128,
   *   pepper_rotation_period: 86400,
   * })
   * ```
   */
  createConnection(
    input: PasswordCreateConnectionInput,
    options?: RequestOptions,
  ): Promise<PasswordConnection>

  /**
   * Get the password connection.
   * `GET /api/v2/org/:org_domain/password-connection`. Requires the scope `read:passwords`. etagOf() returns the version of the answer.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`; 404 `organization_not_found`, `password_connection_not_found`; 422 `invalid_parameters`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const passwordConnection = await client.password.getConnection({ org_domain: 'awesome-company' })
   * ```
   */
  getConnection(input: PasswordGetConnectionInput, options?: RequestOptions): Promise<PasswordConnection>

  /**
   * Change the password connection.
   * `PUT /api/v2/org/:org_domain/password-connection`. Requires the scope `write:passwords`. With `ifMatch`, only that version is changed.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`; 404 `organization_not_found`, `password_connection_not_found`; 412 `precondition_failed`; 413 `body_too_large`; 415 `media_type_unsupported`; 422 `invalid_parameters`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const passwordConnection = await client.password.updateConnection({
   *   org_domain: 'awesome-company',
   *   plain_text_min_length: 8,
   *   plain_text_max_length: 128,
   *   pepper_rotation_period: 86400,
   * })
   * ```
   */
  updateConnection(
    input: PasswordUpdateConnectionInput,
    options?: RequestOptions,
  ): Promise<PasswordConnection>

  /**
   * Start setting a first or forgotten password; the link comes from a magic-link challenge, and you send it.
   * `POST /api/v2/password-request`. Requires the scope `write:passwords`.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`, `email_domain_not_allowed`, `sso_required`, `seats_exhausted`; 404 `organization_not_found`, `user_not_found`, `application_not_found`, `password_connection_not_found`; 409 `connection_inactive`, `user_inactive`; 413 `body_too_large`; 415 `media_type_unsupported`; 422 `invalid_parameters`, `no_application`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const passwordRequest = await client.password.createRequest({
   *   user_email: 'ada@awesome.example',
   *   org_domain: 'awesome-company',
   *   redirect_uri: 'https://store.example/callback',
   * })
   * ```
   */
  createRequest(input: PasswordCreateRequestInput, options?: RequestOptions): Promise<PasswordRequest>

  /**
   * Check the password of a user who signs in.
   * `POST /api/v2/password-challenge`. Requires the scope `write:passwords`.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`, `email_domain_not_allowed`, `sso_required`, `totp_enrollment_required`, `passkey_enrollment_required`; 404 `organization_not_found`, `user_not_found`, `application_not_found`, `password_connection_not_found`; 409 `connection_inactive`, `user_inactive`; 413 `body_too_large`; 415 `media_type_unsupported`; 422 `invalid_parameters`, `no_application`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const passedPasswordChallenge = await client.password.createChallenge({
   *   user_email: 'ada@awesome.example',
   *   plain_text: 'velvet harbour 41 lanterns',
   *   org_domain: 'awesome-company',
   * })
   * ```
   */
  createChallenge(
    input: PasswordCreateChallengeInput,
    options?: RequestOptions,
  ): Promise<PassedPasswordChallenge | RefusedPasswordChallenge>

  /**
   * Set the password of a user with the code obtained through a password request.
   * `POST /api/v2/password`. Requires the scope `write:passwords`.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`; 404 `organization_not_found`, `password_connection_not_found`; 409 `connection_inactive`; 413 `body_too_large`; 415 `media_type_unsupported`; 422 `invalid_parameters`, `password_code_refused`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const password = await client.password.set({
   *   org_domain: 'awesome-company',
   *   user_email: 'ada@awesome.example',
   *   password_code: 'mR8xTq2LwZ0vYc5nPb7uKe1oSi4Hd6Fa9Gj3Qk8Xt0U',
   *   plain_text: 'velvet harbour 41 lanterns',
   * })
   * ```
   */
  set(input: PasswordSetInput, options?: RequestOptions): Promise<Password>
}

/** The methods of `client.totp`. */
export interface TotpMethods {
  /**
   * Get the TOTP connection.
   * `GET /api/v2/org/:org_domain/totp-connection`. Requires the scope `read:totp`. etagOf() returns the version of the answer.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`; 404 `organization_not_found`; 422 `invalid_parameters`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const totpConnection = await client.totp.getConnection({ org_domain: 'awesome-company' })
   * ```
   */
  getConnection(input: TotpGetConnectionInput, options?: RequestOptions): Promise<TotpConnection>

  /**
   * Change the TOTP connection; omitted members stay as they are, initially at their defaults.
   * `POST /api/v2/org/:org_domain/totp-connection`. Requires the scope `write:totp`. Sends an Idempotency-Key, so that it can be repeated safely. etagOf() returns the version of the answer.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`; 404 `organization_not_found`; 409 `idempotency_in_flight`; 413 `body_too_large`; 415 `media_type_unsupported`; 422 `invalid_parameters`, `idempotency_key_reused`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const totpConnection = await client.totp.postConnection({
   *   org_domain: 'awesome-company',
   *   active: true,
   *   method: 'totp_mobile_app',
   *   expiry_in_seconds: 30,
   * })
   * ```
   */
  postConnection(input: TotpPostConnectionInput, options?: RequestOptions): Promise<TotpConnection>

  /**
   * Change the TOTP connection; omitted members stay as they are.
   * `PUT /api/v2/org/:org_domain/totp-connection`. Requires the scope `write:totp`. With `ifMatch`, only that version is changed.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`; 404 `organization_not_found`; 412 `precondition_failed`; 413 `body_too_large`; 415 `media_type_unsupported`; 422 `invalid_parameters`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const totpConnection = await client.totp.updateConnection({
   *   org_domain: 'awesome-company',
   *   active: true,
   *   method: 'totp_mobile_app',
   *   expiry_in_seconds: 30,
   * })
   * ```
   */
  updateConnection(input: TotpUpdateConnectionInput, options?: RequestOptions): Promise<TotpConnection>

  /**
   * Begin the enrolment of a user.
   * `POST /api/v2/org/:org_domain/totp-enrollment/:user_id`. Requires the scope `write:totp`.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`, `totp_inactive`, `phone_number_not_allowed`; 404 `organization_not_found`, `user_not_found`; 409 `totp_enrollment_taken`, `phone_number_missing`; 413 `body_too_large`; 415 `media_type_unsupported`; 422 `invalid_parameters`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const totpEnrollment = await client.totp.enroll({
   *   org_domain: 'awesome-company',
   *   user_id: '0190c8a4-11d2-7a6f-8e3b-7c9d0e1f2a46',
   * })
   * ```
   */
  enroll(input: TotpEnrollInput, options?: RequestOptions): Promise<TotpEnrollment>

  /**
   * Validate the enrolment of a user with their first code.
   * `PUT /api/v2/org/:org_domain/totp-enrollment/validation/:user_id`. Requires the scope `write:totp`.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`, `totp_code_rejected`; 403 `https_required`, `insufficient_scope`; 404 `organization_not_found`, `user_not_found`, `totp_enrollment_not_found`; 413 `body_too_large`; 415 `media_type_unsupported`; 422 `invalid_parameters`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const validatedTotpEnrollment = await client.totp.validateEnrollment({
   *   org_domain: 'awesome-company',
   *   user_id: '0190c8a4-11d2-7a6f-8e3b-7c9d0e1f2a46',
   *   code: 'user.user.create.success',
   * })
   * ```
   */
  validateEnrollment(
    input: TotpValidateEnrollmentInput,
    options?: RequestOptions,
  ): Promise<ValidatedTotpEnrollment>

  /**
   * Remove the validated enrolment of a user; their sessions end, and they are told by e-mail.
   * `DELETE /api/v2/org/:org_domain/totp-enrollment/:user_id`. Requires the scope `write:totp`.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`; 404 `organization_not_found`, `user_not_found`, `totp_enrollment_not_found`; 413 `body_too_large`; 415 `media_type_unsupported`; 422 `invalid_parameters`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const validatedTotpEnrollmentDeletion = await client.totp.removeEnrollment({
   *   org_domain: 'awesome-company',
   *   user_id: '0190c8a4-11d2-7a6f-8e3b-7c9d0e1f2a46',
   * })
   * ```
   */
  removeEnrollment(
    input: TotpRemoveEnrollmentInput,
    options?: RequestOptions,
  ): Promise<ValidatedTotpEnrollmentDeletion>

  /**
   * Request a code from a user; with the method sms it is sent.
   * `POST /api/v2/org/:org_domain/totp-challenge/:user_id`. Requires the scope `write:totp`.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`, `totp_inactive`, `totp_not_enrolled`, `phone_number_unverified`, `phone_number_not_allowed`; 404 `organization_not_found`, `user_not_found`; 409 `user_inactive`; 413 `body_too_large`; 415 `media_type_unsupported`; 422 `invalid_parameters`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const totpChallenge = await client.totp.createChallenge({
   *   org_domain: 'awesome-company',
   *   user_id: '0190c8a4-11d2-7a6f-8e3b-7c9d0e1f2a46',
   * })
   * ```
   */
  createChallenge(input: TotpCreateChallengeInput, options?: RequestOptions): Promise<TotpChallenge>

  /**
   * Verify the code of a user, which completes the sign-in that the challenge belongs to.
   * `PUT /api/v2/org/:org_domain/totp-challenge/validation/:user_id`. Requires the scope `write:totp`.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`, `totp_code_rejected`; 403 `https_required`, `insufficient_scope`, `totp_inactive`, `totp_not_enrolled`, `totp_challenge_not_open`, `totp_locked`; 404 `organization_not_found`, `user_not_found`; 409 `user_inactive`; 413 `body_too_large`; 415 `media_type_unsupported`; 422 `invalid_parameters`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const passedTotpChallenge = await client.totp.validateChallenge({
   *   org_domain: 'awesome-company',
   *   user_id: '0190c8a4-11d2-7a6f-8e3b-7c9d0e1f2a46',
   *   code: 'q3Jc0mVx8n2Zr5tYb7uAe1oPi4Ls6Kd9Fg2Hj5Kl8Zx',
   *   request_id: '0190c8c4-6e8f-7a01-92d3-5e6f708192a3',
   * })
   * ```
   */
  validateChallenge(input: TotpValidateChallengeInput, options?: RequestOptions): Promise<PassedTotpChallenge>
}

/** The methods of `client.passkeys`. */
export interface PasskeysMethods {
  /**
   * Get the passkey connection.
   * `GET /api/v2/org/:org_domain/passkey-connection`. Requires the scope `read:passkeys`. etagOf() returns the version of the answer.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`; 404 `organization_not_found`; 422 `invalid_parameters`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const passkeyConnection = await client.passkeys.getConnection({ org_domain: 'awesome-company' })
   * ```
   */
  getConnection(input: PasskeysGetConnectionInput, options?: RequestOptions): Promise<PasskeyConnection>

  /**
   * Change the passkey connection; omitted members stay as they are.
   * `PUT /api/v2/org/:org_domain/passkey-connection`. Requires the scope `write:passkeys`. With `ifMatch`, only that version is changed.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`; 404 `organization_not_found`; 412 `precondition_failed`; 413 `body_too_large`; 415 `media_type_unsupported`; 422 `invalid_parameters`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const passkeyConnection = await client.passkeys.updateConnection({
   *   org_domain: 'awesome-company',
   *   active: true,
   *   first_factor: true,
   *   synced: true,
   * })
   * ```
   */
  updateConnection(input: PasskeysUpdateConnectionInput, options?: RequestOptions): Promise<PasskeyConnection>

  /**
   * List the passkeys of a user, newest first.
   * `GET /api/v2/org/:org_domain/users/:user_id/passkeys`. Requires the scope `read:passkeys`.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`; 404 `organization_not_found`, `user_not_found`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * for await (const passkey of client.passkeys.list.all({
   *   org_domain: 'awesome-company',
   *   user_id: '0190c8a4-11d2-7a6f-8e3b-7c9d0e1f2a46',
   * })) console.log(passkey)
   * ```
   */
  readonly list: ListMethod<PasskeysListInput, PasskeyList, Passkey>

  /**
   * Let a user who has lost their passkeys add one by a link to their mailbox, for 24 hours; they are told by e-mail.
   * `POST /api/v2/org/:org_domain/users/:user_id/passkey-recovery`. Requires the scope `write:passkeys`.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`; 404 `organization_not_found`, `user_not_found`; 413 `body_too_large`; 415 `media_type_unsupported`; 422 `invalid_parameters`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const passkeyRecovery = await client.passkeys.openRecovery({
   *   org_domain: 'awesome-company',
   *   user_id: '0190c8a4-11d2-7a6f-8e3b-7c9d0e1f2a46',
   *   reason: 'Lost their telephone; confirmed by a call',
   * })
   * ```
   */
  openRecovery(input: PasskeysOpenRecoveryInput, options?: RequestOptions): Promise<PasskeyRecovery>

  /**
   * Get a passkey of a user.
   * `GET /api/v2/org/:org_domain/users/:user_id/passkeys/:passkey_id`. Requires the scope `read:passkeys`. etagOf() returns the version of the answer.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`; 404 `organization_not_found`, `passkey_not_found`; 422 `invalid_parameters`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const passkey = await client.passkeys.get({
   *   org_domain: 'awesome-company',
   *   user_id: '0190c8a4-11d2-7a6f-8e3b-7c9d0e1f2a46',
   *   passkey_id: '0190c8f2-3b4c-7d5e-8f60-718293a4b5c6',
   * })
   * ```
   */
  get(input: PasskeysGetInput, options?: RequestOptions): Promise<Passkey>

  /**
   * Rename a passkey of a user.
   * `PUT /api/v2/org/:org_domain/users/:user_id/passkeys/:passkey_id`. Requires the scope `write:passkeys`. With `ifMatch`, only that version is changed.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`; 404 `organization_not_found`, `passkey_not_found`; 412 `precondition_failed`; 413 `body_too_large`; 415 `media_type_unsupported`; 422 `invalid_parameters`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const passkey = await client.passkeys.update({
   *   org_domain: 'awesome-company',
   *   user_id: '0190c8a4-11d2-7a6f-8e3b-7c9d0e1f2a46',
   *   passkey_id: '0190c8f2-3b4c-7d5e-8f60-718293a4b5c6',
   *   name: 'iCloud Keychain',
   * })
   * ```
   */
  update(input: PasskeysUpdateInput, options?: RequestOptions): Promise<Passkey>

  /**
   * Remove a passkey of a user, also their last way to sign in; their sessions end, and they are told by e-mail.
   * `DELETE /api/v2/org/:org_domain/users/:user_id/passkeys/:passkey_id`. Requires the scope `write:passkeys`. With `ifMatch`, only that version is changed.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`; 404 `organization_not_found`, `passkey_not_found`; 412 `precondition_failed`; 413 `body_too_large`; 415 `media_type_unsupported`; 422 `invalid_parameters`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const passkeyDeletion = await client.passkeys.delete({
   *   org_domain: 'awesome-company',
   *   user_id: '0190c8a4-11d2-7a6f-8e3b-7c9d0e1f2a46',
   *   passkey_id: '0190c8f2-3b4c-7d5e-8f60-718293a4b5c6',
   * })
   * ```
   */
  delete(input: PasskeysDeleteInput, options?: RequestOptions): Promise<PasskeyDeletion>

  /**
   * Ask for a new passkey of a user, on a page of an application.
   * `POST /api/v2/org/:org_domain/passkey-registrations`. Requires the scope `write:passkeys`.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`, `passkeys_inactive`; 404 `organization_not_found`, `user_not_found`, `application_not_found`; 409 `user_inactive`; 413 `body_too_large`; 415 `media_type_unsupported`; 422 `invalid_parameters`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const passkeyRegistration = await client.passkeys.createRegistration({
   *   org_domain: 'awesome-company',
   *   user_id: '0190c8a4-11d2-7a6f-8e3b-7c9d0e1f2a46',
   * })
   * ```
   */
  createRegistration(
    input: PasskeysCreateRegistrationInput,
    options?: RequestOptions,
  ): Promise<PasskeyRegistration>

  /**
   * Add the passkey that a browser has made for a registration, which is good for one answer.
   * `PUT /api/v2/org/:org_domain/passkey-registrations/:registration_id`. Requires the scope `write:passkeys`. etagOf() returns the version of the answer.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`, `passkey_rejected`; 403 `https_required`, `insufficient_scope`, `passkeys_inactive`, `passkey_not_allowed`; 404 `organization_not_found`, `passkey_registration_not_found`; 409 `passkey_taken`, `user_inactive`; 413 `body_too_large`; 415 `media_type_unsupported`; 422 `invalid_parameters`, `passkeys_exhausted`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const passkey = await client.passkeys.completeRegistration({
   *   org_domain: 'awesome-company',
   *   registration_id: '0190c8f3-4c5d-7e6f-9071-8293a4b5c6d7',
   *   credential: {
   *     id: 'W8mTqLp2cR0vYb5nPb7uKe1oSi4Hd6Fa9Gj3Qk8Xt0U',
   *     rawId: 'W8mTqLp2cR0vYb5nPb7uKe1oSi4Hd6Fa9Gj3Qk8Xt0U',
   *     type: 'public-key',
   *     response: {
   *       clientDataJSON: 'eyJ0eXBlIjoid2ViYXV0aG4uY3JlYXRlIn0',
   *       attestationObject: 'o2NmbXRkbm9uZWdhdHRTdG10oGhhdXRoRGF0YVjE',
   *       transports: ['internal'],
   *     },
   *   },
   *   name: 'My phone',
   * })
   * ```
   */
  completeRegistration(input: PasskeysCompleteRegistrationInput, options?: RequestOptions): Promise<Passkey>

  /**
   * Ask for a passkey on a page of an application, whosever it is, or that of a user as their second factor.
   * `POST /api/v2/passkey-challenge`. Requires the scope `write:passkeys`.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`, `passkeys_inactive`; 404 `organization_not_found`, `application_not_found`; 413 `body_too_large`; 415 `media_type_unsupported`; 422 `invalid_parameters`, `no_application`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const openPasskeyChallenge = await client.passkeys.createChallenge({ org_domain: 'awesome-company' })
   * ```
   */
  createChallenge(
    input: PasskeysCreateChallengeInput,
    options?: RequestOptions,
  ): Promise<OpenPasskeyChallenge>

  /**
   * Sign in the user of a passkey by what a browser has answered to a challenge, which is good for one answer.
   * `PUT /api/v2/passkey-challenge/validation`. Requires the scope `write:passkeys`.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`, `passkey_rejected`; 403 `https_required`, `insufficient_scope`; 413 `body_too_large`; 415 `media_type_unsupported`; 422 `invalid_parameters`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const passedPasskeyChallenge = await client.passkeys.validateChallenge({
   *   request_id: '0190c8f4-5d6e-7f70-8182-93a4b5c6d7e8',
   *   credential: {
   *     id: 'W8mTqLp2cR0vYb5nPb7uKe1oSi4Hd6Fa9Gj3Qk8Xt0U',
   *     rawId: 'W8mTqLp2cR0vYb5nPb7uKe1oSi4Hd6Fa9Gj3Qk8Xt0U',
   *     type: 'public-key',
   *     response: {
   *       clientDataJSON: 'eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0',
   *       authenticatorData: 'SZYN5YgOjGh0NBcPZHZgW4_krrmihjLHmVzzuoMdl2MFAAAAAQ',
   *       signature: 'MEUCIQDx0mVx8n2Zr5tYb7uAe1oPi4Ls6Kd9Fg',
   *       userHandle: 'bX2vT9cQ4mK7pL1wN5rS8yH3dF6gJ0aZ-uEiOxCvBnM',
   *     },
   *   },
   * })
   * ```
   */
  validateChallenge(
    input: PasskeysValidateChallengeInput,
    options?: RequestOptions,
  ): Promise<PassedPasskeyChallenge>
}

/** The methods of `client.socialProviders`. */
export interface SocialProvidersMethods {
  /**
   * Add a social provider.
   * `POST /api/v2/social-providers`. Requires the scope `write:social`. Sends an Idempotency-Key, so that it can be repeated safely. etagOf() returns the version of the answer.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`, `key_limited_to_organizations`; 409 `social_provider_taken`, `idempotency_in_flight`; 413 `body_too_large`; 415 `media_type_unsupported`; 422 `invalid_parameters`, `idempotency_key_reused`, `social_providers_exhausted`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const socialProvider = await client.socialProviders.create({
   *   name: 'google',
   *   client_id: '407408718192.apps.googleusercontent.com',
   *   client_secret: 'GOCSPX-2mZ0qT5yVw8xRb3uKj',
   * })
   * ```
   */
  create(input: SocialProvidersCreateInput, options?: RequestOptions): Promise<SocialProvider>

  /**
   * List the social providers, newest first.
   * `GET /api/v2/social-providers`. Requires the scope `read:social`.
   *
   * @throws ApiError 401 `invalid_token`; 403 `https_required`, `insufficient_scope`, `key_limited_to_organizations`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * for await (const socialProvider of client.socialProviders.list.all()) console.log(socialProvider)
   * ```
   */
  readonly list: ListMethod<SocialProvidersListInput, SocialProviderList, SocialProvider>

  /**
   * Get a social provider.
   * `GET /api/v2/social-providers/:provider_id`. Requires the scope `read:social`. etagOf() returns the version of the answer.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`, `key_limited_to_organizations`; 404 `social_provider_not_found`; 422 `invalid_parameters`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const socialProvider = await client.socialProviders.get({ provider_id: '0190d2d0-4a5b-7c6d-8e7f-90a1b2c3d4e5' })
   * ```
   */
  get(input: SocialProvidersGetInput, options?: RequestOptions): Promise<SocialProvider>

  /**
   * Change a social provider.
   * `PUT /api/v2/social-providers/:provider_id`. Requires the scope `write:social`. With `ifMatch`, only that version is changed.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`, `key_limited_to_organizations`; 404 `social_provider_not_found`; 412 `precondition_failed`; 413 `body_too_large`; 415 `media_type_unsupported`; 422 `invalid_parameters`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const socialProvider = await client.socialProviders.update({
   *   provider_id: '0190d2d0-4a5b-7c6d-8e7f-90a1b2c3d4e5',
   *   display_name: 'Google',
   *   active: true,
   * })
   * ```
   */
  update(input: SocialProvidersUpdateInput, options?: RequestOptions): Promise<SocialProvider>

  /**
   * Try a social provider: its settings, and its client, with a code that cannot be.
   * `POST /api/v2/social-providers/:provider_id/check`. Requires the scope `write:social`.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`, `key_limited_to_organizations`; 404 `social_provider_not_found`; 413 `body_too_large`; 415 `media_type_unsupported`; 422 `invalid_parameters`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const socialProviderCheck = await client.socialProviders.check({ provider_id: '0190d2d0-4a5b-7c6d-8e7f-90a1b2c3d4e5' })
   * ```
   */
  check(input: SocialProvidersCheckInput, options?: RequestOptions): Promise<SocialProviderCheck>

  /**
   * Delete a social provider; with force, also one that organizations use.
   * `DELETE /api/v2/social-providers/:provider_id`. Requires the scope `write:social`. With `ifMatch`, only that version is changed.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`, `key_limited_to_organizations`; 404 `social_provider_not_found`; 409 `social_provider_in_use`; 412 `precondition_failed`; 413 `body_too_large`; 415 `media_type_unsupported`; 422 `invalid_parameters`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const socialProviderDeletion = await client.socialProviders.delete({ provider_id: '0190d2d0-4a5b-7c6d-8e7f-90a1b2c3d4e5' })
   * ```
   */
  delete(input: SocialProvidersDeleteInput, options?: RequestOptions): Promise<SocialProviderDeletion>
}

/** The methods of `client.socialConnection`. */
export interface SocialConnectionMethods {
  /**
   * Get the social sign-in of an organization.
   * `GET /api/v2/org/:org_domain/social-connection`. Requires the scope `read:social`. etagOf() returns the version of the answer.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`; 404 `organization_not_found`; 422 `invalid_parameters`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const socialConnection = await client.socialConnection.get({ org_domain: 'awesome-company' })
   * ```
   */
  get(input: SocialConnectionGetInput, options?: RequestOptions): Promise<SocialConnection>

  /**
   * Change the social sign-in of an organization.
   * `PUT /api/v2/org/:org_domain/social-connection`. Requires the scope `write:social`. With `ifMatch`, only that version is changed.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`; 404 `organization_not_found`; 412 `precondition_failed`; 413 `body_too_large`; 415 `media_type_unsupported`; 422 `invalid_parameters`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const socialConnection = await client.socialConnection.update({ org_domain: 'awesome-company', active: true, providers: ['google'] })
   * ```
   */
  update(input: SocialConnectionUpdateInput, options?: RequestOptions): Promise<SocialConnection>
}

/** The methods of `client.identities`. */
export interface IdentitiesMethods {
  /**
   * Unlink an identity from a user; their sessions end, and they are told by e-mail. With force, also their last way to sign in.
   * `DELETE /api/v2/org/:org_domain/users/:user_id/identities/:identity_id`. Requires the scope `write:users`.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`; 404 `organization_not_found`, `identity_not_found`; 409 `last_sign_in_method`; 413 `body_too_large`; 415 `media_type_unsupported`; 422 `invalid_parameters`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const userIdentityDeletion = await client.identities.unlink({
   *   org_domain: 'awesome-company',
   *   user_id: '0190c8a4-11d2-7a6f-8e3b-7c9d0e1f2a46',
   *   identity_id: '0190c8d7-5e6f-7081-92a3-b4c5d6e7f809',
   * })
   * ```
   */
  unlink(input: IdentitiesUnlinkInput, options?: RequestOptions): Promise<UserIdentityDeletion>
}

/** The methods of `client.sessions`. */
export interface SessionsMethods {
  /**
   * List the sessions of a user that can still obtain tokens, latest sign-in first.
   * `GET /api/v2/org/:org_domain/users/:user_id/sessions`. Requires the scope `read:sessions`.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`; 404 `organization_not_found`, `user_not_found`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * for await (const session of client.sessions.list.all({
   *   org_domain: 'awesome-company',
   *   user_id: '0190c8a4-11d2-7a6f-8e3b-7c9d0e1f2a46',
   * })) console.log(session)
   * ```
   */
  readonly list: ListMethod<SessionsListInput, SessionList, Session>

  /**
   * Sign a user out everywhere: end all sessions with their refresh tokens.
   * `DELETE /api/v2/org/:org_domain/users/:user_id/sessions`. Requires the scope `write:sessions`.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`; 404 `organization_not_found`, `user_not_found`; 413 `body_too_large`; 415 `media_type_unsupported`; 422 `invalid_parameters`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const endedSessionsDeletion = await client.sessions.endAll({
   *   org_domain: 'awesome-company',
   *   user_id: '0190c8a4-11d2-7a6f-8e3b-7c9d0e1f2a46',
   * })
   * ```
   */
  endAll(input: SessionsEndAllInput, options?: RequestOptions): Promise<EndedSessionsDeletion>

  /**
   * End a session of a user, with its refresh tokens.
   * `DELETE /api/v2/org/:org_domain/users/:user_id/sessions/:session_id`. Requires the scope `write:sessions`.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`; 404 `organization_not_found`, `session_not_found`; 413 `body_too_large`; 415 `media_type_unsupported`; 422 `invalid_parameters`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const sessionDeletion = await client.sessions.end({
   *   org_domain: 'awesome-company',
   *   user_id: '0190c8a4-11d2-7a6f-8e3b-7c9d0e1f2a46',
   *   session_id: '0190c8e0-1a2b-7c3d-8e4f-5a6b7c8d9e0f',
   * })
   * ```
   */
  end(input: SessionsEndInput, options?: RequestOptions): Promise<SessionDeletion>
}

/** The methods of `client.impersonations`. */
export interface ImpersonationsMethods {
  /**
   * Create an impersonation: the address at which a member of staff signs in as the user.
   * `POST /api/v2/org/:org_domain/users/:user_id/impersonations`. Requires the scope `write:impersonations`. Sends an Idempotency-Key, so that it can be repeated safely.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`, `email_domain_not_allowed`, `impersonation_refused`; 404 `organization_not_found`, `user_not_found`, `application_not_found`; 409 `idempotency_in_flight`; 413 `body_too_large`; 415 `media_type_unsupported`; 422 `invalid_parameters`, `idempotency_key_reused`, `initiate_login_uri_required`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const impersonation = await client.impersonations.create({
   *   org_domain: 'awesome-company',
   *   user_id: '0190c8a4-11d2-7a6f-8e3b-7c9d0e1f2a46',
   *   reason: 'Ticket 4711: the invoices are not shown',
   *   actor: { id: 'staff-7', email: 'grace@acme.example' },
   *   application_id: '0190c8b0-3f4e-7d5c-b6a7-98f0e1d2c3b4',
   *   notify_user: true,
   * })
   * ```
   */
  create(input: ImpersonationsCreateInput, options?: RequestOptions): Promise<Impersonation>

  /**
   * List the impersonations of a user, newest first.
   * `GET /api/v2/org/:org_domain/users/:user_id/impersonations`. Requires the scope `read:impersonations`.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`; 404 `organization_not_found`, `user_not_found`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * for await (const impersonation of client.impersonations.list.all({
   *   org_domain: 'awesome-company',
   *   user_id: '0190c8a4-11d2-7a6f-8e3b-7c9d0e1f2a46',
   * })) console.log(impersonation)
   * ```
   */
  readonly list: ListMethod<ImpersonationsListInput, ImpersonationList, Impersonation>

  /**
   * End an impersonation at once, or before it has started.
   * `DELETE /api/v2/org/:org_domain/users/:user_id/impersonations/:impersonation_id`. Requires the scope `write:impersonations`.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`; 404 `organization_not_found`, `impersonation_not_found`; 413 `body_too_large`; 415 `media_type_unsupported`; 422 `invalid_parameters`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const impersonationDeletion = await client.impersonations.end({
   *   org_domain: 'awesome-company',
   *   user_id: '0190c8a4-11d2-7a6f-8e3b-7c9d0e1f2a46',
   *   impersonation_id: '0190cb10-2a3b-7c4d-8e5f-6a7b8c9d0e1f',
   * })
   * ```
   */
  end(input: ImpersonationsEndInput, options?: RequestOptions): Promise<ImpersonationDeletion>
}

/** The methods of `client.ssoConnections`. */
export interface SsoConnectionsMethods {
  /**
   * Create an SSO connection of an organization.
   * `POST /api/v2/sso-connections`. Requires the scope `write:sso_connections`. Sends an Idempotency-Key, so that it can be repeated safely. etagOf() returns the version of the answer.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`; 404 `organization_not_found`, `application_not_found`; 409 `idempotency_in_flight`; 413 `body_too_large`; 415 `media_type_unsupported`; 422 `invalid_parameters`, `sso_admin_email_missing`, `idempotency_key_reused`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const ssoConnection = await client.ssoConnections.create({
   *   organization_id: '0190c8a2-6b1e-7c3d-9f4a-2b6d8e0f1a35',
   *   user_security_type: 'none',
   *   protocol: 'saml',
   *   provider_type: 'okta',
   * })
   * ```
   */
  create(input: SsoConnectionsCreateInput, options?: RequestOptions): Promise<SsoConnection>

  /**
   * List SSO connections, newest first.
   * `GET /api/v2/sso-connections`. Requires the scope `read:sso_connections`.
   *
   * @throws ApiError 401 `invalid_token`; 403 `https_required`, `insufficient_scope`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * for await (const ssoConnection of client.ssoConnections.list.all()) console.log(ssoConnection)
   * ```
   */
  readonly list: ListMethod<SsoConnectionsListInput, SsoConnectionList, SsoConnection>

  /**
   * Get an SSO connection.
   * `GET /api/v2/sso-connections/:idp_id`. Requires the scope `read:sso_connections`. etagOf() returns the version of the answer.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`; 404 `sso_connection_not_found`; 422 `invalid_parameters`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const ssoConnection = await client.ssoConnections.get({ idp_id: 'awesome_company_5fGh2KqPzX81mTnRw4YdJb' })
   * ```
   */
  get(input: SsoConnectionsGetInput, options?: RequestOptions): Promise<SsoConnection>

  /**
   * Change an SSO connection, or store the metadata of its identity provider.
   * `PUT /api/v2/sso-connections/:idp_id`. Requires the scope `write:sso_connections`. With `ifMatch`, only that version is changed.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`; 404 `sso_connection_not_found`, `default_redirection_not_found`; 412 `precondition_failed`; 413 `body_too_large`; 415 `media_type_unsupported`; 422 `invalid_parameters`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const ssoConnection = await client.ssoConnections.update({
   *   idp_id: 'awesome_company_5fGh2KqPzX81mTnRw4YdJb',
   *   active: true,
   *   user_security_type: 'none',
   *   protocol: 'saml',
   * })
   * ```
   */
  update(input: SsoConnectionsUpdateInput, options?: RequestOptions): Promise<SsoConnection>

  /**
   * Set the redirect target of IdP-initiated sign-ins; earlier ones are kept.
   * `POST /api/v2/sso-connections/:idp_id/default-redirection`. Requires the scope `write:sso_connections`. Sends an Idempotency-Key, so that it can be repeated safely.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`; 404 `application_not_found`, `sso_connection_not_found`; 409 `idempotency_in_flight`; 413 `body_too_large`; 415 `media_type_unsupported`; 422 `invalid_parameters`, `idempotency_key_reused`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const defaultRedirection = await client.ssoConnections.createDefaultRedirection({
   *   idp_id: 'awesome_company_5fGh2KqPzX81mTnRw4YdJb',
   *   application_id: '0190c8b0-3f4e-7d5c-b6a7-98f0e1d2c3b4',
   *   organization_id: '0190c8a2-6b1e-7c3d-9f4a-2b6d8e0f1a35',
   *   uri: 'https://store.example/callback',
   * })
   * ```
   */
  createDefaultRedirection(
    input: SsoConnectionsCreateDefaultRedirectionInput,
    options?: RequestOptions,
  ): Promise<DefaultRedirection>

  /**
   * Get the redirect target of IdP-initiated sign-ins.
   * `GET /api/v2/sso-connections/:idp_id/default-redirection`. Requires the scope `read:sso_connections`.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`; 404 `sso_connection_not_found`, `default_redirection_not_found`; 422 `invalid_parameters`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const defaultRedirection = await client.ssoConnections.getDefaultRedirection({ idp_id: 'awesome_company_5fGh2KqPzX81mTnRw4YdJb' })
   * ```
   */
  getDefaultRedirection(
    input: SsoConnectionsGetDefaultRedirectionInput,
    options?: RequestOptions,
  ): Promise<DefaultRedirection>

  /**
   * Set which users may sign in.
   * `PUT /api/v2/sso-connections/:idp_id/sso-user-policy`. Requires the scope `write:sso_connections`. With `ifMatch`, only that version is changed.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`; 404 `sso_connection_not_found`; 412 `precondition_failed`; 413 `body_too_large`; 415 `media_type_unsupported`; 422 `invalid_parameters`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const ssoConnection = await client.ssoConnections.setUserPolicy({ idp_id: 'awesome_company_5fGh2KqPzX81mTnRw4YdJb', user_security_type: 'none' })
   * ```
   */
  setUserPolicy(input: SsoConnectionsSetUserPolicyInput, options?: RequestOptions): Promise<SsoConnection>

  /**
   * Begin the onboarding of the administrator who sets up the connection.
   * `POST /api/v2/sso-connections/:idp_id/admin-onboarding`. Requires the scope `write:sso_connections`. Sends an Idempotency-Key, so that it can be repeated safely. etagOf() returns the version of the answer.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`; 404 `sso_connection_not_found`; 409 `onboarding_taken`, `idempotency_in_flight`; 413 `body_too_large`; 415 `media_type_unsupported`; 422 `invalid_parameters`, `idempotency_key_reused`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const ssoAdminOnboarding = await client.ssoConnections.createOnboarding({
   *   idp_id: 'awesome_company_5fGh2KqPzX81mTnRw4YdJb',
   *   sso_admin_email: 'grace@awesome.example',
   *   provider_type: 'okta',
   * })
   * ```
   */
  createOnboarding(
    input: SsoConnectionsCreateOnboardingInput,
    options?: RequestOptions,
  ): Promise<SsoAdminOnboarding>

  /**
   * Change the administrator or the provider of the onboarding.
   * `PUT /api/v2/sso-connections/:idp_id/admin-onboarding`. Requires the scope `write:sso_connections`. With `ifMatch`, only that version is changed.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`; 404 `sso_connection_not_found`, `onboarding_not_found`; 412 `precondition_failed`; 413 `body_too_large`; 415 `media_type_unsupported`; 422 `invalid_parameters`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const ssoAdminOnboarding = await client.ssoConnections.updateOnboarding({
   *   idp_id: 'awesome_company_5fGh2KqPzX81mTnRw4YdJb',
   *   sso_admin_email: 'grace@awesome.example',
   *   provider_type: 'okta',
   * })
   * ```
   */
  updateOnboarding(
    input: SsoConnectionsUpdateOnboardingInput,
    options?: RequestOptions,
  ): Promise<SsoAdminOnboarding>

  /**
   * E-mail the onboarding link to the administrator; earlier links become invalid.
   * `POST /api/v2/sso-connections/:idp_id/invite-admin`. Requires the scope `write:sso_connections`. Sends an Idempotency-Key, so that it can be repeated safely.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`; 404 `sso_connection_not_found`; 409 `idempotency_in_flight`; 413 `body_too_large`; 415 `media_type_unsupported`; 422 `invalid_parameters`, `sso_admin_email_missing`, `idempotency_key_reused`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const ssoAdminOnboarding = await client.ssoConnections.inviteAdmin({ idp_id: 'awesome_company_5fGh2KqPzX81mTnRw4YdJb' })
   * ```
   */
  inviteAdmin(input: SsoConnectionsInviteAdminInput, options?: RequestOptions): Promise<SsoAdminOnboarding>

  /**
   * Restart the onboarding; the current metadata stay in use, regardless of who uploaded them.
   * `PATCH /api/v2/sso-connections/:idp_id/reset-onboarding`. Requires the scope `write:sso_connections`. With `ifMatch`, only that version is changed.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`; 404 `sso_connection_not_found`, `onboarding_not_found`; 412 `precondition_failed`; 413 `body_too_large`; 415 `media_type_unsupported`; 422 `invalid_parameters`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const ssoAdminOnboarding = await client.ssoConnections.resetOnboarding({ idp_id: 'awesome_company_5fGh2KqPzX81mTnRw4YdJb' })
   * ```
   */
  resetOnboarding(
    input: SsoConnectionsResetOnboardingInput,
    options?: RequestOptions,
  ): Promise<SsoAdminOnboarding>

  /**
   * Activate an SSO connection.
   * `PATCH /api/v2/sso-connections/:idp_id/activate`. Requires the scope `write:sso_connections`. With `ifMatch`, only that version is changed.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`; 404 `sso_connection_not_found`; 412 `precondition_failed`; 413 `body_too_large`; 415 `media_type_unsupported`; 422 `invalid_parameters`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const ssoConnection = await client.ssoConnections.activate({ idp_id: 'awesome_company_5fGh2KqPzX81mTnRw4YdJb' })
   * ```
   */
  activate(input: SsoConnectionsActivateInput, options?: RequestOptions): Promise<SsoConnection>

  /**
   * Disable an SSO connection; sign-ins with it are refused.
   * `PATCH /api/v2/sso-connections/:idp_id/disable`. Requires the scope `write:sso_connections`. With `ifMatch`, only that version is changed.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`; 404 `sso_connection_not_found`; 412 `precondition_failed`; 413 `body_too_large`; 415 `media_type_unsupported`; 422 `invalid_parameters`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const ssoConnection = await client.ssoConnections.disable({ idp_id: 'awesome_company_5fGh2KqPzX81mTnRw4YdJb' })
   * ```
   */
  disable(input: SsoConnectionsDisableInput, options?: RequestOptions): Promise<SsoConnection>

  /**
   * Make a stored version of the metadata the current one.
   * `PATCH /api/v2/sso-connections/:idp_id/metadata/:version/use`. Requires the scope `write:sso_connections`. With `ifMatch`, only that version is changed.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`; 404 `sso_connection_not_found`, `sso_metadata_not_found`; 412 `precondition_failed`; 413 `body_too_large`; 415 `media_type_unsupported`; 422 `invalid_parameters`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const ssoConnection = await client.ssoConnections.useMetadata({ idp_id: 'awesome_company_5fGh2KqPzX81mTnRw4YdJb', version: 1 })
   * ```
   */
  useMetadata(input: SsoConnectionsUseMetadataInput, options?: RequestOptions): Promise<SsoConnection>

  /**
   * Make a stored OpenID Connect client the current one.
   * `PATCH /api/v2/sso-connections/:idp_id/oidc-clients/:version/use`. Requires the scope `write:sso_connections`. With `ifMatch`, only that version is changed.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`; 404 `sso_connection_not_found`, `sso_oidc_client_not_found`; 412 `precondition_failed`; 413 `body_too_large`; 415 `media_type_unsupported`; 422 `invalid_parameters`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const ssoConnection = await client.ssoConnections.useOidcClient({ idp_id: 'awesome_company_5fGh2KqPzX81mTnRw4YdJb', version: 1 })
   * ```
   */
  useOidcClient(input: SsoConnectionsUseOidcClientInput, options?: RequestOptions): Promise<SsoConnection>

  /**
   * List the login attempts of an SSO connection with the result of each check, newest first.
   * `GET /api/v2/sso-connections/:idp_id/login-traces`. Requires the scope `read:sso_connections`.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`; 404 `sso_connection_not_found`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * for await (const ssoLoginTrace of client.ssoConnections.listLoginTraces.all({ idp_id: 'awesome_company_5fGh2KqPzX81mTnRw4YdJb' })) console.log(ssoLoginTrace)
   * ```
   */
  readonly listLoginTraces: ListMethod<SsoConnectionsListLoginTracesInput, SsoLoginTraceList, SsoLoginTrace>

  /**
   * Create the URL that starts the sign-in of a user with an SSO connection.
   * `POST /api/v2/sso-saml-challenges`. Requires the scope `write:sso_connections`.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`; 404 `organization_not_found`, `application_not_found`, `sso_connection_not_found`; 409 `connection_inactive`, `sso_connection_not_configured`; 413 `body_too_large`; 415 `media_type_unsupported`; 422 `invalid_parameters`, `no_application`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const ssoSamlChallenge = await client.ssoConnections.createSamlChallenge({ org_domain: 'awesome-company' })
   * ```
   */
  createSamlChallenge(
    input?: SsoConnectionsCreateSamlChallengeInput,
    options?: RequestOptions,
  ): Promise<SsoSamlChallenge>

  /**
   * Create the URL that starts the sign-in of a user with an OpenID Connect connection.
   * `POST /api/v2/sso-oauth-challenges`. Requires the scope `write:sso_connections`.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`; 404 `organization_not_found`, `application_not_found`, `sso_connection_not_found`; 409 `connection_inactive`, `sso_connection_not_configured`; 413 `body_too_large`; 415 `media_type_unsupported`; 422 `invalid_parameters`, `no_application`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const ssoOauthChallenge = await client.ssoConnections.createOauthChallenge({ org_domain: 'awesome-company' })
   * ```
   */
  createOauthChallenge(
    input?: SsoConnectionsCreateOauthChallengeInput,
    options?: RequestOptions,
  ): Promise<SsoOauthChallenge>
}

/** The methods of `client.admins`. */
export interface AdminsMethods {
  /**
   * Invite an administrator by e-mail, or invite them again, which invalidates earlier links; a sandbox key invites only to the sandbox.
   * `POST /api/v2/org/:org_domain/admins`. Requires the scope `write:admins`. Sends an Idempotency-Key, so that it can be repeated safely.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`; 404 `organization_not_found`; 409 `idempotency_in_flight`; 413 `body_too_large`; 415 `media_type_unsupported`; 422 `invalid_parameters`, `idempotency_key_reused`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const admin = await client.admins.invite({ org_domain: 'awesome-company', email: 'grace@awesome.example' })
   * ```
   */
  invite(input: AdminsInviteInput, options?: RequestOptions): Promise<Admin>

  /**
   * List the administrators of an organization, newest first.
   * `GET /api/v2/org/:org_domain/admins`. Requires the scope `read:admins`.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`; 404 `organization_not_found`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * for await (const admin of client.admins.list.all({ org_domain: 'awesome-company' })) console.log(admin)
   * ```
   */
  readonly list: ListMethod<AdminsListInput, AdminList, Admin>

  /**
   * Remove an administrator, and end their links and sessions.
   * `DELETE /api/v2/org/:org_domain/admins/:email`. Requires the scope `write:admins`.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`; 404 `organization_not_found`, `admin_not_found`; 409 `production_is_up`; 413 `body_too_large`; 415 `media_type_unsupported`; 422 `invalid_parameters`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const adminDeletion = await client.admins.delete({ org_domain: 'awesome-company', email: 'ada@awesome.example' })
   * ```
   */
  delete(input: AdminsDeleteInput, options?: RequestOptions): Promise<AdminDeletion>
}

/** The methods of `client.directorySync`. */
export interface DirectorySyncMethods {
  /**
   * Let a provider synchronize the users of an organization; only this answer contains its secret.
   * `POST /api/v2/org/:org_domain/directory-sync`. Requires the scope `write:directories`. Sends an Idempotency-Key, so that it can be repeated safely. etagOf() returns the version of the answer.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`; 404 `organization_not_found`; 409 `directory_sync_taken`, `idempotency_in_flight`; 413 `body_too_large`; 415 `media_type_unsupported`; 422 `invalid_parameters`, `idempotency_key_reused`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const directorySync = await client.directorySync.create({ org_domain: 'awesome-company', provider_type: 'entra_id' })
   * ```
   */
  create(input: DirectorySyncCreateInput, options?: RequestOptions): Promise<DirectorySync>

  /**
   * Get the directory of an organization.
   * `GET /api/v2/org/:org_domain/directory-sync`. Requires the scope `read:directories`. etagOf() returns the version of the answer.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`; 404 `organization_not_found`, `directory_sync_not_found`; 422 `invalid_parameters`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const directorySync = await client.directorySync.get({ org_domain: 'awesome-company' })
   * ```
   */
  get(input: DirectorySyncGetInput, options?: RequestOptions): Promise<DirectorySync>

  /**
   * Change the directory of an organization.
   * `PUT /api/v2/org/:org_domain/directory-sync`. Requires the scope `write:directories`. With `ifMatch`, only that version is changed.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`; 404 `organization_not_found`, `directory_sync_not_found`; 412 `precondition_failed`; 413 `body_too_large`; 415 `media_type_unsupported`; 422 `invalid_parameters`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const directorySync = await client.directorySync.update({
   *   org_domain: 'awesome-company',
   *   provider_type: 'entra_id',
   *   active: true,
   *   takes_over_users: false,
   * })
   * ```
   */
  update(input: DirectorySyncUpdateInput, options?: RequestOptions): Promise<DirectorySync>

  /**
   * Delete the directory and its groups; its users remain and are no longer synchronized.
   * `DELETE /api/v2/org/:org_domain/directory-sync`. Requires the scope `write:directories`. With `ifMatch`, only that version is changed.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`; 404 `organization_not_found`, `directory_sync_not_found`; 412 `precondition_failed`; 413 `body_too_large`; 415 `media_type_unsupported`; 422 `invalid_parameters`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const directorySyncDeletion = await client.directorySync.delete({ org_domain: 'awesome-company' })
   * ```
   */
  delete(input: DirectorySyncDeleteInput, options?: RequestOptions): Promise<DirectorySyncDeletion>

  /**
   * Create a new secret; the previous one stays valid for 24 hours.
   * `PUT /api/v2/org/:org_domain/directory-sync/reset`. Requires the scope `write:directories`. With `ifMatch`, only that version is changed.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`; 404 `organization_not_found`, `directory_sync_not_found`; 412 `precondition_failed`; 413 `body_too_large`; 415 `media_type_unsupported`; 422 `invalid_parameters`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const directorySync = await client.directorySync.reset({ org_domain: 'awesome-company' })
   * ```
   */
  reset(input: DirectorySyncResetInput, options?: RequestOptions): Promise<DirectorySync>

  /**
   * List the requests of the provider of a directory in the last seven days, newest first; total is at most 10,000.
   * `GET /api/v2/org/:org_domain/directory-sync/requests`. Requires the scope `read:directories`.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`; 404 `organization_not_found`, `directory_sync_not_found`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * for await (const scimRequest of client.directorySync.listRequests.all({ org_domain: 'awesome-company' })) console.log(scimRequest)
   * ```
   */
  readonly listRequests: ListMethod<DirectorySyncListRequestsInput, ScimRequestList, ScimRequest>
}

/** The methods of `client.relays`. */
export interface RelaysMethods {
  /**
   * Create a relay to a partner.
   * `POST /api/v2/relays`. Requires the scope `write:relays`. Sends an Idempotency-Key, so that it can be repeated safely. etagOf() returns the version of the answer.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`, `key_limited_to_organizations`; 404 `organization_not_found`; 409 `partner_not_open`, `idempotency_in_flight`; 413 `body_too_large`; 415 `media_type_unsupported`; 422 `invalid_parameters`, `idempotency_key_reused`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const relay = await client.relays.create({
   *   partner_domain: 'partner-company',
   *   partner_redirect_uri: 'https://partner.example/callback',
   * })
   * ```
   */
  create(input: RelaysCreateInput, options?: RequestOptions): Promise<Relay>

  /**
   * List relays, newest first.
   * `GET /api/v2/relays`. Requires the scope `read:relays`.
   *
   * @throws ApiError 401 `invalid_token`; 403 `https_required`, `insufficient_scope`, `key_limited_to_organizations`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * for await (const relay of client.relays.list.all()) console.log(relay)
   * ```
   */
  readonly list: ListMethod<RelaysListInput, RelayList, Relay>

  /**
   * Get a relay.
   * `GET /api/v2/relays/:relay_id`. Requires the scope `read:relays`. etagOf() returns the version of the answer.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`, `key_limited_to_organizations`; 404 `relay_not_found`; 422 `invalid_parameters`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const relay = await client.relays.get({ relay_id: '0190c900-4d5e-7f60-a172-839405162738' })
   * ```
   */
  get(input: RelaysGetInput, options?: RequestOptions): Promise<Relay>

  /**
   * Change a relay.
   * `PUT /api/v2/relays/:relay_id`. Requires the scope `write:relays`. With `ifMatch`, only that version is changed.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`, `key_limited_to_organizations`; 404 `relay_not_found`; 409 `partner_not_open`; 412 `precondition_failed`; 413 `body_too_large`; 415 `media_type_unsupported`; 422 `invalid_parameters`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const relay = await client.relays.update({
   *   relay_id: '0190c900-4d5e-7f60-a172-839405162738',
   *   partner_redirect_uri: 'https://partner.example/callback',
   *   active: true,
   * })
   * ```
   */
  update(input: RelaysUpdateInput, options?: RequestOptions): Promise<Relay>

  /**
   * Delete a relay; its open requests become invalid.
   * `DELETE /api/v2/relays/:relay_id`. Requires the scope `write:relays`. With `ifMatch`, only that version is changed.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`, `key_limited_to_organizations`; 404 `relay_not_found`; 412 `precondition_failed`; 413 `body_too_large`; 415 `media_type_unsupported`; 422 `invalid_parameters`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const relayDeletion = await client.relays.delete({ relay_id: '0190c900-4d5e-7f60-a172-839405162738' })
   * ```
   */
  delete(input: RelaysDeleteInput, options?: RequestOptions): Promise<RelayDeletion>

  /**
   * Create the URL that hands a signed-in user over to the partner.
   * `POST /api/v2/relays/:relay_id/request`. Requires the scope `write:relays`.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`, `key_limited_to_organizations`; 404 `relay_not_found`; 409 `relay_inactive`, `partner_not_open`; 413 `body_too_large`; 415 `media_type_unsupported`; 422 `invalid_parameters`, `access_token_refused`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const relayRequest = await client.relays.request({
   *   relay_id: '0190c900-4d5e-7f60-a172-839405162738',
   *   access_token: 'eyJhbGciOiJFUzI1NiIsInR5cCI6ImF0K2p3dCJ9.eyJqdHQiOiJhcGlfa2V5In0.c2lnbmF0dXJl',
   * })
   * ```
   */
  request(input: RelaysRequestInput, options?: RequestOptions): Promise<RelayRequest>
}

/** The methods of `client.events`. */
export interface EventsMethods {
  /**
   * Read the events of the account and environment in order, starting after a position.
   * `GET /api/v2/events`. Requires the scope `read:events`.
   *
   * @throws ApiError 401 `invalid_token`; 403 `https_required`, `insufficient_scope`, `key_limited_to_organizations`; 410 `events_expired`; 422 `invalid_parameters`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const eventPage = await client.events.list()
   * ```
   */
  list(input?: EventsListInput, options?: RequestOptions): Promise<EventPage>

  /**
   * Yields every event of the account in its order, each exactly once, and waits for more.
   *
   * @example
   * ```ts
   * for await (const event of client.events.listen({ after: 'latest', code: 'user.all' })) console.log(event.code)
   * ```
   */
  readonly listen: Listen
}

/** The methods of `client.webhooks`. */
export interface WebhooksMethods {
  /**
   * Create a webhook, which receives events from now on.
   * `POST /api/v2/webhooks`. Requires the scope `write:webhooks`. Sends an Idempotency-Key, so that it can be repeated safely. etagOf() returns the version of the answer.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`, `key_limited_to_organizations`; 409 `idempotency_in_flight`; 413 `body_too_large`; 415 `media_type_unsupported`; 422 `invalid_parameters`, `idempotency_key_reused`, `webhooks_exhausted`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const webhook = await client.webhooks.create({
   *   name: 'Directory of the shop',
   *   target_url: 'https://shop.example/portico/events',
   *   event_codes: ['user.all', 'organization.organization.delete.success'],
   *   active: true,
   *   retry_on_timeout: false,
   * })
   * ```
   */
  create(input: WebhooksCreateInput, options?: RequestOptions): Promise<Webhook>

  /**
   * List webhooks, newest first.
   * `GET /api/v2/webhooks`. Requires the scope `read:webhooks`.
   *
   * @throws ApiError 401 `invalid_token`; 403 `https_required`, `insufficient_scope`, `key_limited_to_organizations`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * for await (const webhook of client.webhooks.list.all()) console.log(webhook)
   * ```
   */
  readonly list: ListMethod<WebhooksListInput, WebhookList, Webhook>

  /**
   * Get a webhook.
   * `GET /api/v2/webhooks/:webhook_id`. Requires the scope `read:webhooks`. etagOf() returns the version of the answer.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`, `key_limited_to_organizations`; 404 `webhook_not_found`; 422 `invalid_parameters`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const webhook = await client.webhooks.get({ webhook_id: '0190c8f0-2b3c-7d4e-8f50-617283940a1b' })
   * ```
   */
  get(input: WebhooksGetInput, options?: RequestOptions): Promise<Webhook>

  /**
   * Change a webhook.
   * `PUT /api/v2/webhooks/:webhook_id`. Requires the scope `write:webhooks`. With `ifMatch`, only that version is changed.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`, `key_limited_to_organizations`; 404 `webhook_not_found`; 412 `precondition_failed`; 413 `body_too_large`; 415 `media_type_unsupported`; 422 `invalid_parameters`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const webhook = await client.webhooks.update({
   *   webhook_id: '0190c8f0-2b3c-7d4e-8f50-617283940a1b',
   *   name: 'Directory of the shop',
   *   target_url: 'https://shop.example/portico/events',
   *   event_codes: ['user.all', 'organization.organization.delete.success'],
   * })
   * ```
   */
  update(input: WebhooksUpdateInput, options?: RequestOptions): Promise<Webhook>

  /**
   * Delete a webhook with its deliveries; nothing more is sent to it.
   * `DELETE /api/v2/webhooks/:webhook_id`. Requires the scope `write:webhooks`. With `ifMatch`, only that version is changed.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`, `key_limited_to_organizations`; 404 `webhook_not_found`; 412 `precondition_failed`; 413 `body_too_large`; 415 `media_type_unsupported`; 422 `invalid_parameters`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const webhookDeletion = await client.webhooks.delete({ webhook_id: '0190c8f0-2b3c-7d4e-8f50-617283940a1b' })
   * ```
   */
  delete(input: WebhooksDeleteInput, options?: RequestOptions): Promise<WebhookDeletion>

  /**
   * Rotate the signature key of a webhook; the previous one also signs, as v0, for 24 hours.
   * `POST /api/v2/webhooks/:webhook_id/rotate-signature-key`. Requires the scope `write:webhooks`. Sends an Idempotency-Key, so that it can be repeated safely. etagOf() returns the version of the answer.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`, `key_limited_to_organizations`; 404 `webhook_not_found`; 409 `idempotency_in_flight`; 413 `body_too_large`; 415 `media_type_unsupported`; 422 `invalid_parameters`, `idempotency_key_reused`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const webhook = await client.webhooks.rotateSignatureKey({ webhook_id: '0190c8f0-2b3c-7d4e-8f50-617283940a1b' })
   * ```
   */
  rotateSignatureKey(input: WebhooksRotateSignatureKeyInput, options?: RequestOptions): Promise<Webhook>

  /**
   * Send a test event to a webhook, active or not.
   * `POST /api/v2/webhooks/:webhook_id/test`. Requires the scope `write:webhooks`. Available only with sandbox keys. Sends an Idempotency-Key, so that it can be repeated safely.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`, `key_limited_to_organizations`, `sandbox_only`; 404 `webhook_not_found`; 409 `idempotency_in_flight`; 413 `body_too_large`; 415 `media_type_unsupported`; 422 `invalid_parameters`, `idempotency_key_reused`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const webhookDelivery = await client.webhooks.test({ webhook_id: '0190c8f0-2b3c-7d4e-8f50-617283940a1b' })
   * ```
   */
  test(input: WebhooksTestInput, options?: RequestOptions): Promise<WebhookDelivery>

  /**
   * List past and pending deliveries to a webhook with attempts and answers, newest first.
   * `GET /api/v2/webhooks/:webhook_id/deliveries`. Requires the scope `read:webhooks`.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`, `key_limited_to_organizations`; 404 `webhook_not_found`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * for await (const webhookDelivery of client.webhooks.listDeliveries.all({ webhook_id: '0190c8f0-2b3c-7d4e-8f50-617283940a1b' })) console.log(webhookDelivery)
   * ```
   */
  readonly listDeliveries: ListMethod<WebhooksListDeliveriesInput, WebhookDeliveryList, WebhookDelivery>

  /**
   * Send an event to a webhook again, regardless of the state of its delivery.
   * `POST /api/v2/webhooks/:webhook_id/deliveries/:delivery_id/redeliver`. Requires the scope `write:webhooks`. Sends an Idempotency-Key, so that it can be repeated safely.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`, `key_limited_to_organizations`; 404 `webhook_not_found`, `delivery_not_found`; 409 `idempotency_in_flight`; 413 `body_too_large`; 415 `media_type_unsupported`; 422 `invalid_parameters`, `idempotency_key_reused`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const webhookDelivery = await client.webhooks.redeliver({
   *   webhook_id: '0190c8f0-2b3c-7d4e-8f50-617283940a1b',
   *   delivery_id: '0190c8f1-1a2b-7c3d-8e4f-5061728394a5',
   * })
   * ```
   */
  redeliver(input: WebhooksRedeliverInput, options?: RequestOptions): Promise<WebhookDelivery>

  /**
   * Send events to a webhook again: all that failed or were lost, or all since a given time.
   * `POST /api/v2/webhooks/:webhook_id/redeliver`. Requires the scope `write:webhooks`. Sends an Idempotency-Key, so that it can be repeated safely.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`, `key_limited_to_organizations`; 404 `webhook_not_found`; 409 `idempotency_in_flight`; 413 `body_too_large`; 415 `media_type_unsupported`; 422 `invalid_parameters`, `idempotency_key_reused`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const webhookRedelivery = await client.webhooks.redeliverAll({ webhook_id: '0190c8f0-2b3c-7d4e-8f50-617283940a1b' })
   * ```
   */
  redeliverAll(input: WebhooksRedeliverAllInput, options?: RequestOptions): Promise<WebhookRedelivery>
}

/** The methods of `client.logEvents`. */
export interface LogEventsMethods {
  /**
   * List log events of sign-ins, newest first.
   * `GET /api/v2/org/:org_domain/log-events`. Requires the scope `read:log_events`.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`; 404 `organization_not_found`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * for await (const logEvent of client.logEvents.list.all({ org_domain: 'awesome-company' })) console.log(logEvent)
   * ```
   */
  readonly list: ListMethod<LogEventsListInput, LogEventList, LogEvent>

  /**
   * List log events of the account and of all its organizations, newest first.
   * `GET /api/v2/log-events`. Requires the scope `read:log_events`.
   *
   * @throws ApiError 401 `invalid_token`; 403 `https_required`, `insufficient_scope`, `key_limited_to_organizations`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * for await (const logEvent of client.logEvents.listOfAccount.all()) console.log(logEvent)
   * ```
   */
  readonly listOfAccount: ListMethod<LogEventsListOfAccountInput, LogEventList, LogEvent>
}

/** The methods of `client.account`. */
export interface AccountMethods {
  /**
   * Get the account of the API key.
   * `GET /api/v2/account`. Requires the scope `read:account`. etagOf() returns the version of the answer.
   *
   * @throws ApiError 401 `invalid_token`; 403 `https_required`, `insufficient_scope`, `key_limited_to_organizations`; 422 `invalid_parameters`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const account = await client.account.get()
   * ```
   */
  get(input?: AccountGetInput, options?: RequestOptions): Promise<Account>

  /**
   * Change the account; its domain is immutable.
   * `PUT /api/v2/account`. Requires the scope `write:account`. With `ifMatch`, only that version is changed.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`, `insufficient_scope`, `key_limited_to_organizations`; 412 `precondition_failed`; 413 `body_too_large`; 415 `media_type_unsupported`; 422 `invalid_parameters`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const account = await client.account.update({
   *   product_name: 'Acme Suite',
   *   color: '#1f6feb',
   *   icon_logo_url: 'https://acme.example/icon.png',
   * })
   * ```
   */
  update(input?: AccountUpdateInput, options?: RequestOptions): Promise<Account>
}

/** The methods of `client.outbox`. */
export interface OutboxMethods {
  /**
   * List the mails and text messages of the sandbox, which are stored instead of sent, newest first.
   * `GET /api/v2/outbox`. Requires the scope `write:magic_links`. Available only with sandbox keys.
   *
   * @throws ApiError 401 `invalid_token`; 403 `https_required`, `insufficient_scope`, `key_limited_to_organizations`, `sandbox_only`; 429 `rate_limited`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * for await (const outboxMessage of client.outbox.list.all()) console.log(outboxMessage)
   * ```
   */
  readonly list: ListMethod<OutboxListInput, OutboxMessageList, OutboxMessage>
}

/** The methods of `client.oauth`. */
export interface OauthMethods {
  /**
   * Get an API token with the client credentials of an API key.
   * `POST /api/v2/oauth/token`. Sends no API token.
   *
   * @throws ApiError 403 `https_required`; 413 `body_too_large`; 415 `media_type_unsupported`; or as any call, see ErrorCodeOf.
   * @throws OAuthError with a code of OAuthErrorCode.
   * @example
   * ```ts
   * const apiToken = await client.oauth.apiToken({
   *   grant_type: 'client_credentials',
   *   client_id: '0190c8a1-5d6e-7f80-9a1b-2c3d4e5f6071',
   *   client_secret: 'keysandbox_…',
   *   domain: 'acme',
   * })
   * ```
   */
  apiToken(input?: OauthApiTokenInput, options?: RequestOptions): Promise<ApiToken>

  /**
   * Exchange an authorization code or a refresh token for tokens of the user; also the client-credentials grant.
   * `POST /oauth/token`. Sends no API token.
   *
   * @throws ApiError 403 `https_required`; 413 `body_too_large`; 415 `media_type_unsupported`; or as any call, see ErrorCodeOf.
   * @throws OAuthError with a code of OAuthErrorCode.
   * @example
   * ```ts
   * const userTokens = await client.oauth.token({
   *   grant_type: 'authorization_code',
   *   client_id: '0190c8b0-3f4e-7d5c-b6a7-98f0e1d2c3b4',
   *   code: 'q3Jc0mVx8n2Zr5tYb7uAe1oPi4Ls6Kd9',
   *   redirect_uri: 'https://store.example/callback',
   * })
   * ```
   */
  token(input?: OauthTokenInput, options?: RequestOptions): Promise<UserTokens | ApiToken>

  /**
   * Token endpoint in the discovery document of an organization.
   * `POST /t/:org_domain/oauth/token`. Sends no API token.
   *
   * @throws ApiError 403 `https_required`; 413 `body_too_large`; 415 `media_type_unsupported`; or as any call, see ErrorCodeOf.
   * @throws OAuthError with a code of OAuthErrorCode.
   * @example
   * ```ts
   * const userTokens = await client.oauth.organizationToken({
   *   org_domain: 'awesome-company',
   *   grant_type: 'authorization_code',
   *   client_id: '0190c8b0-3f4e-7d5c-b6a7-98f0e1d2c3b4',
   *   code: 'q3Jc0mVx8n2Zr5tYb7uAe1oPi4Ls6Kd9',
   *   redirect_uri: 'https://store.example/callback',
   * })
   * ```
   */
  organizationToken(input: OauthOrganizationTokenInput, options?: RequestOptions): Promise<UserTokens>

  /**
   * Token endpoint in the discovery document of an account.
   * `POST /a/:account_domain/oauth/token`. Sends no API token.
   *
   * @throws ApiError 403 `https_required`; 413 `body_too_large`; 415 `media_type_unsupported`; or as any call, see ErrorCodeOf.
   * @throws OAuthError with a code of OAuthErrorCode.
   * @example
   * ```ts
   * const userTokens = await client.oauth.accountToken({
   *   account_domain: 'acme',
   *   grant_type: 'authorization_code',
   *   client_id: '0190c8b0-3f4e-7d5c-b6a7-98f0e1d2c3b4',
   *   code: 'q3Jc0mVx8n2Zr5tYb7uAe1oPi4Ls6Kd9',
   *   redirect_uri: 'https://store.example/callback',
   * })
   * ```
   */
  accountToken(input: OauthAccountTokenInput, options?: RequestOptions): Promise<UserTokens>

  /**
   * Revoke a refresh token or an access token together with its family.
   * `POST /oauth/revoke`. Sends no API token.
   *
   * @throws ApiError 403 `https_required`; 413 `body_too_large`; 415 `media_type_unsupported`; or as any call, see ErrorCodeOf.
   * @throws OAuthError with a code of OAuthErrorCode.
   * @example
   * ```ts
   * const revokedToken = await client.oauth.revoke({
   *   token: 'h5Gt0rYV3wKq8uZx1LmN2c.M2bX9cV7nQ4wE6rT8yU1iO3pA5sD7fG9hJ0kL2zXcVb',
   *   client_id: '0190c8b0-3f4e-7d5c-b6a7-98f0e1d2c3b4',
   * })
   * ```
   */
  revoke(input?: OauthRevokeInput, options?: RequestOptions): Promise<RevokedToken>

  /**
   * Revocation endpoint in the discovery document of an organization.
   * `POST /t/:org_domain/oauth/revoke`. Sends no API token.
   *
   * @throws ApiError 403 `https_required`; 413 `body_too_large`; 415 `media_type_unsupported`; or as any call, see ErrorCodeOf.
   * @throws OAuthError with a code of OAuthErrorCode.
   * @example
   * ```ts
   * const revokedToken = await client.oauth.organizationRevoke({
   *   org_domain: 'awesome-company',
   *   token: 'h5Gt0rYV3wKq8uZx1LmN2c.M2bX9cV7nQ4wE6rT8yU1iO3pA5sD7fG9hJ0kL2zXcVb',
   *   client_id: '0190c8b0-3f4e-7d5c-b6a7-98f0e1d2c3b4',
   * })
   * ```
   */
  organizationRevoke(input: OauthOrganizationRevokeInput, options?: RequestOptions): Promise<RevokedToken>

  /**
   * Revocation endpoint in the discovery document of an account.
   * `POST /a/:account_domain/oauth/revoke`. Sends no API token.
   *
   * @throws ApiError 403 `https_required`; 413 `body_too_large`; 415 `media_type_unsupported`; or as any call, see ErrorCodeOf.
   * @throws OAuthError with a code of OAuthErrorCode.
   * @example
   * ```ts
   * const revokedToken = await client.oauth.accountRevoke({
   *   account_domain: 'acme',
   *   token: 'h5Gt0rYV3wKq8uZx1LmN2c.M2bX9cV7nQ4wE6rT8yU1iO3pA5sD7fG9hJ0kL2zXcVb',
   *   client_id: '0190c8b0-3f4e-7d5c-b6a7-98f0e1d2c3b4',
   * })
   * ```
   */
  accountRevoke(input: OauthAccountRevokeInput, options?: RequestOptions): Promise<RevokedToken>

  /**
   * Get the state of a token of a user; requires an API key with the scope read:sessions.
   * `POST /oauth/introspect`. Sends no API token.
   *
   * @throws ApiError 403 `https_required`; 413 `body_too_large`; 415 `media_type_unsupported`; or as any call, see ErrorCodeOf.
   * @throws OAuthError with a code of OAuthErrorCode.
   * @example
   * ```ts
   * const introspection = await client.oauth.introspect({
   *   token: 'h5Gt0rYV3wKq8uZx1LmN2c.M2bX9cV7nQ4wE6rT8yU1iO3pA5sD7fG9hJ0kL2zXcVb',
   *   token_type_hint: 'refresh_token',
   *   client_id: '0190c8a1-5d6e-7f80-9a1b-2c3d4e5f6071',
   *   client_secret: 'keysandbox_…',
   * })
   * ```
   */
  introspect(input?: OauthIntrospectInput, options?: RequestOptions): Promise<Introspection>

  /**
   * Introspection endpoint in the discovery document of an organization.
   * `POST /t/:org_domain/oauth/introspect`. Sends no API token.
   *
   * @throws ApiError 403 `https_required`; 413 `body_too_large`; 415 `media_type_unsupported`; or as any call, see ErrorCodeOf.
   * @throws OAuthError with a code of OAuthErrorCode.
   * @example
   * ```ts
   * const introspection = await client.oauth.organizationIntrospect({
   *   org_domain: 'awesome-company',
   *   token: 'h5Gt0rYV3wKq8uZx1LmN2c.M2bX9cV7nQ4wE6rT8yU1iO3pA5sD7fG9hJ0kL2zXcVb',
   *   token_type_hint: 'refresh_token',
   *   client_id: '0190c8a1-5d6e-7f80-9a1b-2c3d4e5f6071',
   *   client_secret: 'keysandbox_…',
   * })
   * ```
   */
  organizationIntrospect(
    input: OauthOrganizationIntrospectInput,
    options?: RequestOptions,
  ): Promise<Introspection>

  /**
   * Introspection endpoint in the discovery document of an account.
   * `POST /a/:account_domain/oauth/introspect`. Sends no API token.
   *
   * @throws ApiError 403 `https_required`; 413 `body_too_large`; 415 `media_type_unsupported`; or as any call, see ErrorCodeOf.
   * @throws OAuthError with a code of OAuthErrorCode.
   * @example
   * ```ts
   * const introspection = await client.oauth.accountIntrospect({
   *   account_domain: 'acme',
   *   token: 'h5Gt0rYV3wKq8uZx1LmN2c.M2bX9cV7nQ4wE6rT8yU1iO3pA5sD7fG9hJ0kL2zXcVb',
   *   token_type_hint: 'refresh_token',
   *   client_id: '0190c8a1-5d6e-7f80-9a1b-2c3d4e5f6071',
   *   client_secret: 'keysandbox_…',
   * })
   * ```
   */
  accountIntrospect(input: OauthAccountIntrospectInput, options?: RequestOptions): Promise<Introspection>
}

/** The methods of `client.oidc`. */
export interface OidcMethods {
  /**
   * Provider metadata of the organization.
   * `GET /t/:org_domain/.well-known/openid-configuration`. Sends no API token.
   *
   * @throws ApiError 400 `malformed_request`; 403 `https_required`; 404 `organization_not_found`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const providerMetadata = await client.oidc.discovery({ org_domain: 'awesome-company' })
   * ```
   */
  discovery(input: OidcDiscoveryInput, options?: RequestOptions): Promise<ProviderMetadata>

  /**
   * The same, at the address of RFC 8414 section 5.
   * `GET /.well-known/openid-configuration/t/:org_domain`. Sends no API token.
   *
   * @throws ApiError 400 `malformed_request`; 403 `https_required`; 404 `organization_not_found`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const providerMetadata = await client.oidc.discoveryAtRoot({ org_domain: 'awesome-company' })
   * ```
   */
  discoveryAtRoot(input: OidcDiscoveryAtRootInput, options?: RequestOptions): Promise<ProviderMetadata>

  /**
   * The same, for OAuth clients that append the well-known path to the issuer.
   * `GET /t/:org_domain/.well-known/oauth-authorization-server`. Sends no API token.
   *
   * @throws ApiError 400 `malformed_request`; 403 `https_required`; 404 `organization_not_found`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const providerMetadata = await client.oidc.serverMetadata({ org_domain: 'awesome-company' })
   * ```
   */
  serverMetadata(input: OidcServerMetadataInput, options?: RequestOptions): Promise<ProviderMetadata>

  /**
   * The same, at the address of RFC 8414 section 3.1.
   * `GET /.well-known/oauth-authorization-server/t/:org_domain`. Sends no API token.
   *
   * @throws ApiError 400 `malformed_request`; 403 `https_required`; 404 `organization_not_found`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const providerMetadata = await client.oidc.serverMetadataAtRoot({ org_domain: 'awesome-company' })
   * ```
   */
  serverMetadataAtRoot(
    input: OidcServerMetadataAtRootInput,
    options?: RequestOptions,
  ): Promise<ProviderMetadata>

  /**
   * Provider metadata of the account, one issuer for all of its organizations.
   * `GET /a/:account_domain/.well-known/openid-configuration`. Sends no API token.
   *
   * @throws ApiError 400 `malformed_request`; 403 `https_required`; 404 `account_not_found`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const providerMetadata = await client.oidc.accountDiscovery({ account_domain: 'acme' })
   * ```
   */
  accountDiscovery(input: OidcAccountDiscoveryInput, options?: RequestOptions): Promise<ProviderMetadata>

  /**
   * The same, at the address of RFC 8414 section 5.
   * `GET /.well-known/openid-configuration/a/:account_domain`. Sends no API token.
   *
   * @throws ApiError 400 `malformed_request`; 403 `https_required`; 404 `account_not_found`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const providerMetadata = await client.oidc.accountDiscoveryAtRoot({ account_domain: 'acme' })
   * ```
   */
  accountDiscoveryAtRoot(
    input: OidcAccountDiscoveryAtRootInput,
    options?: RequestOptions,
  ): Promise<ProviderMetadata>

  /**
   * The same, for OAuth clients that append the well-known path to the issuer.
   * `GET /a/:account_domain/.well-known/oauth-authorization-server`. Sends no API token.
   *
   * @throws ApiError 400 `malformed_request`; 403 `https_required`; 404 `account_not_found`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const providerMetadata = await client.oidc.accountServerMetadata({ account_domain: 'acme' })
   * ```
   */
  accountServerMetadata(
    input: OidcAccountServerMetadataInput,
    options?: RequestOptions,
  ): Promise<ProviderMetadata>

  /**
   * The same, at the address of RFC 8414 section 3.1.
   * `GET /.well-known/oauth-authorization-server/a/:account_domain`. Sends no API token.
   *
   * @throws ApiError 400 `malformed_request`; 403 `https_required`; 404 `account_not_found`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const providerMetadata = await client.oidc.accountServerMetadataAtRoot({ account_domain: 'acme' })
   * ```
   */
  accountServerMetadataAtRoot(
    input: OidcAccountServerMetadataAtRootInput,
    options?: RequestOptions,
  ): Promise<ProviderMetadata>

  /**
   * Public keys of the organization, of both environments.
   * `GET /t/:org_domain/.well-known/jwks.json`. Sends no API token.
   *
   * @throws ApiError 400 `malformed_request`; 403 `https_required`; 404 `organization_not_found`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const keySet = await client.oidc.keySet({ org_domain: 'awesome-company' })
   * ```
   */
  keySet(input: OidcKeySetInput, options?: RequestOptions): Promise<KeySet>

  /**
   * Public keys of the account as an issuer, of both environments; not those of its organizations.
   * `GET /a/:account_domain/.well-known/jwks.json`. Sends no API token.
   *
   * @throws ApiError 400 `malformed_request`; 403 `https_required`; 404 `account_not_found`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const keySet = await client.oidc.accountKeySet({ account_domain: 'acme' })
   * ```
   */
  accountKeySet(input: OidcAccountKeySetInput, options?: RequestOptions): Promise<KeySet>

  /**
   * Get the claims about the user of the access token that is sent as the bearer token.
   * `GET /t/:org_domain/userinfo`. Sends no API token.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`; 404 `organization_not_found`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const userInfo = await client.oidc.userInfo({ org_domain: 'awesome-company' })
   * ```
   */
  userInfo(input: OidcUserInfoInput, options?: RequestOptions): Promise<UserInfo>

  /**
   * Get the same claims with POST, also with the access token in a form.
   * `POST /t/:org_domain/userinfo`. Sends no API token.
   *
   * @throws ApiError 401 `invalid_token`; 403 `https_required`; 404 `organization_not_found`; 413 `body_too_large`; 415 `media_type_unsupported`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @throws OAuthError with a code of OAuthErrorCode.
   * @example
   * ```ts
   * const userInfo = await client.oidc.postUserInfo({ org_domain: 'awesome-company' })
   * ```
   */
  postUserInfo(input: OidcPostUserInfoInput, options?: RequestOptions): Promise<UserInfo>

  /**
   * Get the same claims, of a user of any organization of the account.
   * `GET /a/:account_domain/userinfo`. Sends no API token.
   *
   * @throws ApiError 400 `malformed_request`; 401 `invalid_token`; 403 `https_required`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @example
   * ```ts
   * const userInfo = await client.oidc.accountUserInfo({ account_domain: 'acme' })
   * ```
   */
  accountUserInfo(input: OidcAccountUserInfoInput, options?: RequestOptions): Promise<UserInfo>

  /**
   * Get the same claims with POST, also with the access token in a form.
   * `POST /a/:account_domain/userinfo`. Sends no API token.
   *
   * @throws ApiError 401 `invalid_token`; 403 `https_required`; 413 `body_too_large`; 415 `media_type_unsupported`; 503 `unavailable`; or as any call, see ErrorCodeOf.
   * @throws OAuthError with a code of OAuthErrorCode.
   * @example
   * ```ts
   * const userInfo = await client.oidc.postAccountUserInfo({ account_domain: 'acme' })
   * ```
   */
  postAccountUserInfo(input: OidcPostAccountUserInfoInput, options?: RequestOptions): Promise<UserInfo>
}

/** The operations of the service, by resource. */
export interface Client {
  readonly organizations: OrganizationsMethods
  readonly organizationPolicy: OrganizationPolicyMethods
  readonly invitations: InvitationsMethods
  readonly joinRequests: JoinRequestsMethods
  readonly domains: DomainsMethods
  readonly users: UsersMethods
  readonly permissions: PermissionsMethods
  readonly roles: RolesMethods
  readonly accessEvaluation: AccessEvaluationMethods
  readonly applications: ApplicationsMethods
  readonly applicationSecrets: ApplicationSecretsMethods
  readonly tokenCustomization: TokenCustomizationMethods
  readonly magicLink: MagicLinkMethods
  readonly discovery: DiscoveryMethods
  readonly password: PasswordMethods
  readonly totp: TotpMethods
  readonly passkeys: PasskeysMethods
  readonly socialProviders: SocialProvidersMethods
  readonly socialConnection: SocialConnectionMethods
  readonly identities: IdentitiesMethods
  readonly sessions: SessionsMethods
  readonly impersonations: ImpersonationsMethods
  readonly ssoConnections: SsoConnectionsMethods
  readonly admins: AdminsMethods
  readonly directorySync: DirectorySyncMethods
  readonly relays: RelaysMethods
  readonly events: EventsMethods
  readonly webhooks: WebhooksMethods
  readonly logEvents: LogEventsMethods
  readonly account: AccountMethods
  readonly outbox: OutboxMethods
  readonly oauth: OauthMethods
  readonly oidc: OidcMethods
}

/** Method, path, and flags: b takes a body, f as a form, i carries an Idempotency-Key, l is a list, o sends no API token. */
export type RouteRow = readonly [method: string, path: string, flags: string]

export const routeTable = /* @__PURE__ */ readRoutes<OperationName>({
  organizations: `/api/v2/organizations list GETl create POSTbi
/api/v2/organizations/:org_domain get GET update PUTb delete DELETE`,
  organizationPolicy: `/api/v2/org/:org_domain/policy get GET update PUTb`,
  invitations: `/api/v2/org/:org_domain/invitations create POSTbi list GETl
/api/v2/org/:org_domain/invitations/:invitation_id get GET update PUTb
/api/v2/org/:org_domain/invitations/:invitation_id/resend resend POSTi
/api/v2/org/:org_domain/invitations/:invitation_id/revoke revoke PATCH`,
  joinRequests: `/api/v2/org/:org_domain/join-requests list GETl
/api/v2/org/:org_domain/join-requests/:join_request_id get GET
/api/v2/org/:org_domain/join-requests/:join_request_id/approve approve PATCHb
/api/v2/org/:org_domain/join-requests/:join_request_id/deny deny PATCH`,
  domains: `/api/v2/org/:org_domain/domains create POSTbi list GETl
/api/v2/org/:org_domain/domains/:domain_id get GET update PUTb delete DELETE
/api/v2/org/:org_domain/domains/:domain_id/check check POSTi`,
  users: `/api/v2/org/:org_domain/users create POSTbi list GETl
/api/v2/org/:org_domain/users/:user_id get GET update PUTb delete DELETE
/api/v2/org/:org_domain/user-by-email/:user_email getByEmail GET
/api/v2/org/:org_domain/users/:user_id/add-metadata addMetadata PUTb
/api/v2/org/:org_domain/users/:user_id/remove-metadata removeMetadata PUTb`,
  permissions: `/api/v2/permissions create POSTbi list GETl
/api/v2/permissions/:permission_id get GET update PUTb delete DELETEb`,
  roles: `/api/v2/roles create POSTbi list GETl
/api/v2/roles/:role_id get GET update PUTb delete DELETEb
/api/v2/org/:org_domain/users/:user_id/roles getUserRoles GET setUserRoles PUTb`,
  accessEvaluation: `/api/v2/org/:org_domain/access/evaluation evaluate POSTb
/api/v2/org/:org_domain/access/evaluations evaluateAll POSTb
/.well-known/authzen-configuration/api/v2/org/:org_domain configuration GETo`,
  applications: `/api/v2/org/:org_domain/applications create POSTbi list GETl
/api/v2/applications listOfAccount GETl
/api/v2/org/:org_domain/applications/:client_id get GET update PUTb delete DELETE`,
  applicationSecrets: `/api/v2/org/:org_domain/applications/:client_id/secrets create POSTbi list GET
/api/v2/org/:org_domain/applications/:client_id/secrets/:secret_id delete DELETE`,
  tokenCustomization: `/api/v2/org/:org_domain/token-customization/sample sample GET
/api/v2/org/:org_domain/token-customization/user-metakey createMetaKey POSTbi listMetaKeys GETl deleteMetaKey DELETEb
/api/v2/org/:org_domain/token-customization/set-user-metadata setUserMetadata PATCHb`,
  magicLink: `/api/v2/magic-link-challenge createChallenge POSTb
/api/v2/org/:org_domain/magic-link-connection getConnection GET updateConnection PUTb`,
  discovery: `/api/v2/discovery-challenge createChallenge POSTb
/api/v2/discovery-challenge/exchange exchange POSTb
/api/v2/discovery/enter enter POSTb`,
  password: `/api/v2/org/:org_domain/password-connection createConnection POSTbi getConnection GET updateConnection PUTb
/api/v2/password-request createRequest POSTb
/api/v2/password-challenge createChallenge POSTb
/api/v2/password set POSTb`,
  totp: `/api/v2/org/:org_domain/totp-connection getConnection GET postConnection POSTbi updateConnection PUTb
/api/v2/org/:org_domain/totp-enrollment/:user_id enroll POSTb removeEnrollment DELETE
/api/v2/org/:org_domain/totp-enrollment/validation/:user_id validateEnrollment PUTb
/api/v2/org/:org_domain/totp-challenge/:user_id createChallenge POSTb
/api/v2/org/:org_domain/totp-challenge/validation/:user_id validateChallenge PUTb`,
  passkeys: `/api/v2/org/:org_domain/passkey-connection getConnection GET updateConnection PUTb
/api/v2/org/:org_domain/users/:user_id/passkeys list GETl
/api/v2/org/:org_domain/users/:user_id/passkey-recovery openRecovery POSTb
/api/v2/org/:org_domain/users/:user_id/passkeys/:passkey_id get GET update PUTb delete DELETE
/api/v2/org/:org_domain/passkey-registrations createRegistration POSTb
/api/v2/org/:org_domain/passkey-registrations/:registration_id completeRegistration PUTb
/api/v2/passkey-challenge createChallenge POSTb
/api/v2/passkey-challenge/validation validateChallenge PUTb`,
  socialProviders: `/api/v2/social-providers create POSTbi list GETl
/api/v2/social-providers/:provider_id get GET update PUTb delete DELETEb
/api/v2/social-providers/:provider_id/check check POST`,
  socialConnection: `/api/v2/org/:org_domain/social-connection get GET update PUTb`,
  identities: `/api/v2/org/:org_domain/users/:user_id/identities/:identity_id unlink DELETEb`,
  sessions: `/api/v2/org/:org_domain/users/:user_id/sessions list GETl endAll DELETE
/api/v2/org/:org_domain/users/:user_id/sessions/:session_id end DELETE`,
  impersonations: `/api/v2/org/:org_domain/users/:user_id/impersonations create POSTbi list GETl
/api/v2/org/:org_domain/users/:user_id/impersonations/:impersonation_id end DELETE`,
  ssoConnections: `/api/v2/sso-connections create POSTbi list GETl
/api/v2/sso-connections/:idp_id get GET update PUTb
/api/v2/sso-connections/:idp_id/default-redirection createDefaultRedirection POSTbi getDefaultRedirection GET
/api/v2/sso-connections/:idp_id/sso-user-policy setUserPolicy PUTb
/api/v2/sso-connections/:idp_id/admin-onboarding createOnboarding POSTbi updateOnboarding PUTb
/api/v2/sso-connections/:idp_id/invite-admin inviteAdmin POSTi
/api/v2/sso-connections/:idp_id/reset-onboarding resetOnboarding PATCH
/api/v2/sso-connections/:idp_id/activate activate PATCH
/api/v2/sso-connections/:idp_id/disable disable PATCH
/api/v2/sso-connections/:idp_id/metadata/:version/use useMetadata PATCH
/api/v2/sso-connections/:idp_id/oidc-clients/:version/use useOidcClient PATCH
/api/v2/sso-connections/:idp_id/login-traces listLoginTraces GETl
/api/v2/sso-saml-challenges createSamlChallenge POSTb
/api/v2/sso-oauth-challenges createOauthChallenge POSTb`,
  admins: `/api/v2/org/:org_domain/admins invite POSTbi list GETl
/api/v2/org/:org_domain/admins/:email delete DELETE`,
  directorySync: `/api/v2/org/:org_domain/directory-sync create POSTbi get GET update PUTb delete DELETE
/api/v2/org/:org_domain/directory-sync/reset reset PUT
/api/v2/org/:org_domain/directory-sync/requests listRequests GETl`,
  relays: `/api/v2/relays create POSTbi list GETl
/api/v2/relays/:relay_id get GET update PUTb delete DELETE
/api/v2/relays/:relay_id/request request POSTb`,
  events: `/api/v2/events list GET`,
  webhooks: `/api/v2/webhooks create POSTbi list GETl
/api/v2/webhooks/:webhook_id get GET update PUTb delete DELETE
/api/v2/webhooks/:webhook_id/rotate-signature-key rotateSignatureKey POSTi
/api/v2/webhooks/:webhook_id/test test POSTi
/api/v2/webhooks/:webhook_id/deliveries listDeliveries GETl
/api/v2/webhooks/:webhook_id/deliveries/:delivery_id/redeliver redeliver POSTi
/api/v2/webhooks/:webhook_id/redeliver redeliverAll POSTbi`,
  logEvents: `/api/v2/org/:org_domain/log-events list GETl
/api/v2/log-events listOfAccount GETl`,
  account: `/api/v2/account get GET update PUTb`,
  outbox: `/api/v2/outbox list GETl`,
  oauth: `/api/v2/oauth/token apiToken POSTbfo
/oauth/token token POSTbfo
/t/:org_domain/oauth/token organizationToken POSTbfo
/a/:account_domain/oauth/token accountToken POSTbfo
/oauth/revoke revoke POSTbfo
/t/:org_domain/oauth/revoke organizationRevoke POSTbfo
/a/:account_domain/oauth/revoke accountRevoke POSTbfo
/oauth/introspect introspect POSTbfo
/t/:org_domain/oauth/introspect organizationIntrospect POSTbfo
/a/:account_domain/oauth/introspect accountIntrospect POSTbfo`,
  oidc: `/t/:org_domain/.well-known/openid-configuration discovery GETo
/.well-known/openid-configuration/t/:org_domain discoveryAtRoot GETo
/t/:org_domain/.well-known/oauth-authorization-server serverMetadata GETo
/.well-known/oauth-authorization-server/t/:org_domain serverMetadataAtRoot GETo
/a/:account_domain/.well-known/openid-configuration accountDiscovery GETo
/.well-known/openid-configuration/a/:account_domain accountDiscoveryAtRoot GETo
/a/:account_domain/.well-known/oauth-authorization-server accountServerMetadata GETo
/.well-known/oauth-authorization-server/a/:account_domain accountServerMetadataAtRoot GETo
/t/:org_domain/.well-known/jwks.json keySet GETo
/a/:account_domain/.well-known/jwks.json accountKeySet GETo
/t/:org_domain/userinfo userInfo GETo postUserInfo POSTbfo
/a/:account_domain/userinfo accountUserInfo GETo postAccountUserInfo POSTbfo`,
})

/** Issues the token that operations are called with. */
export const apiTokenOperation = 'oauth.apiToken'

/** Reads events in their order. */
export const eventStreamOperation = 'events.list'

/** Tells whether a user has a permission. */
export const accessEvaluationOperation = 'accessEvaluation.evaluate'

/** Of the keys that verify the tokens of an organization. */
export const keySetPath = '/t/:org_domain/.well-known/jwks.json'

/** Of the issuer of these tokens. */
export const issuerPath = '/t/:org_domain'

/** Of an account as an issuer. */
export const accountIssuerPath = '/a/:account_domain'

/** Of the domain of an organization or account. */
export const slugPattern = '^[a-z0-9]+(?:-[a-z0-9]+)*$'

/** Characters of such a domain. */
export const maxSlugLength = 120
