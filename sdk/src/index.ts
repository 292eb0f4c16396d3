export { createClient, type ClientOptions } from './client.js'
export type { Clock } from './clock.js'
export type { RequestOptions } from './request-options.js'
export type { ListMethod } from './pages.js'
export { etagOf } from './etag.js'
export { ApiError, ConnectionError, isApiError, OAuthError, type ErrorCodeOf } from './api-error.js'
export {
  createVerifier,
  verifyAccessToken,
  type IdTokenExpectations,
  type Verifier,
  type VerifierOptions,
} from './verify-access-token.js'
export { TokenError, type TokenErrorCode } from './token-error.js'
export type { AccessTokenClaims, IdTokenClaims } from './token-claims.js'
export { openMagicLink, type OpenedLink } from './open-link.js'
export type {
  Client,
  ErrorCode,
  OAuthErrorCode,
  OperationName,
  Operations,
  UndeclaredErrorCode,
} from './generated.js'
// Every record; a test says so when one is missing.
export type {
  Address,
  ApiToken,
  Application,
  ApplicationDeletion,
  ApplicationList,
  ClaimTree,
  DeletedApplication,
  DeletedOrganization,
  DeletedUser,
  FieldError,
  Identity,
  JsonValue,
  JsonWebKey,
  JwtSample,
  KeySet,
  MagicLinkChallenge,
  MagicLinkConnection,
  MetaData,
  MetaKey,
  MetaKeyDeletion,
  MetaKeyList,
  Organization,
  OrganizationDeletion,
  OrganizationEnvironment,
  OrganizationList,
  OrganizationStatus,
  OutboxMessage,
  OutboxMessageList,
  Pagination,
  PhoneNumber,
  Profile,
  ProviderMetadata,
  User,
  UserDeletion,
  UserList,
  UserTokens,
} from './generated.js'
