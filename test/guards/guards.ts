import type { Guard } from './guard.js'
import { passkeyGuards } from './passkey-guards.js'
import { passkeyCodeGuards } from './passkey-code-guards.js'
import { passkeyPromptGuards } from './passkey-prompt-guards.js'
import { passkeyRecoveryGuards } from './passkey-recovery-guards.js'
import { passkeyRequirementGuards } from './passkey-requirement-guards.js'
import { phrGuards } from './phr-guards.js'
import { accountEmailGuards } from './account-email-guards.js'
import { accountPageGuards } from './account-page-guards.js'
import { accountListGuards } from './account-list-guards.js'
import { accountSignInGuards } from './account-sign-in-guards.js'
import { authorizeGuards } from './authorize-guards.js'
import { browserSessionGuards } from './browser-session-guards.js'
import { cellGuards } from './cell-guards.js'
import { changeGuards } from './change-guards.js'
import { clientGuards } from './client-guards.js'
import { codeGuards } from './code-guards.js'
import { consoleGuards } from './console-guards.js'
import { screenGuards } from './screen-guards.js'
import { directoryGuards } from './directory-guards.js'
import { discoveryGuards } from './discovery-guards.js'
import { domainGuards } from './domain-guards.js'
import { erasureGuards } from './erasure-guards.js'
import { flowGuards } from './flow-guards.js'
import { flowLinkGuards } from './flow-link-guards.js'
import { flowSecondFactorGuards } from './flow-second-factor-guards.js'
import { hashGuards } from './hash-guards.js'
import { impersonationGuards } from './impersonation-guards.js'
import { limitGuards } from './limit-guards.js'
import { membershipGuards } from './membership-guards.js'
import { oidcGuards } from './oidc-guards.js'
import { socialGuards } from './social-guards.js'
import { socialLinkingGuards } from './social-linking-guards.js'
import { onboardingGuards } from './onboarding-guards.js'
import { outboundGuards } from './outbound-guards.js'
import { outageGuards } from './outage-guards.js'
import { passwordGuards } from './password-guards.js'
import { presentedTokenGuards } from './presented-token-guards.js'
import { promotionGuards } from './promotion-guards.js'
import { refreshGuards } from './refresh-guards.js'
import { relayGuards } from './relay-guards.js'
import { replicaGuards } from './replica-guards.js'
import { roleGuards } from './role-guards.js'
import { roleMappingGuards } from './role-mapping-guards.js'
import { roleRulesGuards } from './role-rules-guards.js'
import { samlArrivalGuards } from './saml-arrival-guards.js'
import { samlAssertionGuards } from './saml-assertion-guards.js'
import { samlDocumentGuards } from './saml-document-guards.js'
import { samlProofGuards } from './saml-proof-guards.js'
import { samlRequestGuards } from './saml-request-guards.js'
import { samlUserGuards } from './saml-user-guards.js'
import { sessionCookieGuards } from './session-cookie-guards.js'
import { sessionLayerGuards } from './session-layer-guards.js'
import { signatureGuards } from './signature-guards.js'
import { staffGuards } from './staff-guards.js'
import { ssoConnectionGuards } from './sso-connection-guards.js'
import { totpGuards } from './totp-guards.js'
import { traceGuards } from './trace-guards.js'
import { verifierGuards } from './verifier-guards.js'
import { webhookGuards } from './webhook-guards.js'

/** Every predicate that refuses access, with the test that notices its removal. */
export const guards: readonly Guard[] = [
  ...cellGuards,
  ...changeGuards,
  ...flowLinkGuards,
  ...flowSecondFactorGuards,
  ...passwordGuards,
  ...clientGuards,
  ...codeGuards,
  ...consoleGuards,
  ...screenGuards,
  ...staffGuards,
  ...directoryGuards,
  ...discoveryGuards,
  ...domainGuards,
  ...refreshGuards,
  ...presentedTokenGuards,
  ...promotionGuards,
  ...roleGuards,
  ...roleMappingGuards,
  ...outageGuards,
  ...replicaGuards,
  ...outboundGuards,
  ...signatureGuards,
  ...webhookGuards,
  ...sessionCookieGuards,
  ...sessionLayerGuards,
  ...relayGuards,
  ...erasureGuards,
  ...limitGuards,
  ...hashGuards,
  ...accountEmailGuards,
  ...accountPageGuards,
  ...passkeyGuards,
  ...passkeyCodeGuards,
  ...passkeyPromptGuards,
  ...passkeyRecoveryGuards,
  ...passkeyRequirementGuards,
  ...phrGuards,
  ...totpGuards,
  ...accountListGuards,
  ...accountSignInGuards,
  ...authorizeGuards,
  ...browserSessionGuards,
  ...flowGuards,
  ...impersonationGuards,
  ...samlRequestGuards,
  ...samlArrivalGuards,
  ...samlUserGuards,
  ...samlDocumentGuards,
  ...samlProofGuards,
  ...samlAssertionGuards,
  ...membershipGuards,
  ...oidcGuards,
  ...onboardingGuards,
  ...roleRulesGuards,
  ...socialGuards,
  ...socialLinkingGuards,
  ...ssoConnectionGuards,
  ...traceGuards,
  ...verifierGuards,
]
