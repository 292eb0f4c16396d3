/**
 * Words by which readers look for a place of the site, which the text there may not use: names of products, of laws, and
 * of other vendors' features. Each place of the first column has to be there.
 */
export const topics: Readonly<Record<string, string>> = {
  '/readme.html':
    'what is Portico SSO pricing SSO price SSO cost SSO tax pricing price cost free license compare comparison alternative versus vs WorkOS Auth0 Clerk Keycloak Zitadel Stytch open source why',
  '/guides/start.html': 'quickstart quick start getting started install tutorial hello world begin npm',
  '/guides/curl.html':
    'curl python python client requests http rest shell bash client credentials access token API',
  '/guides/environments.html':
    'multi-tenant multi-tenancy multitenancy tenant tenants tenancy organization workspace team B2B isolation data model sandbox staging',
  '/guides/environments.html#api-key': 'API key scopes client credentials secret',
  '/guides/testing.html':
    'mock test emulator unit test integration test offline vitest jest fixtures CI without a network local development',
  '/guides/sign-in.html':
    'login page hosted login universal login sign in employees customers OIDC OpenID Connect provider authorize PKCE OAuth authentication',
  '/guides/sign-in.html#2-choose-how-people-sign-in':
    'sign up signup self registration register find_or_create_user',
  '/guides/front-door.html':
    'organization picker organization switcher discovery home realm discovery one login for all tenants account issuer',
  '/guides/password.html': 'forgot password reset password change password hashing argon2 breached bcrypt',
  '/guides/magic-link.html': 'passwordless email login email sign-in link by mail one-time link',
  '/guides/totp.html':
    '2FA MFA two-step verification two-factor multi-factor authentication second factor authenticator app OTP one-time password code SMS recovery codes',
  '/guides/passkeys.html':
    'passkey passkeys webauthn FIDO2 security key yubikey biometrics face ID touch ID passwordless',
  '/guides/account.html':
    'user profile page self-service account settings change password my account edit profile user portal',
  '/guides/sessions.html': 'list of devices revoke session',
  '/guides/sign-out.html': 'logout log out single logout SLO back-channel front-channel end session',
  '/guides/tokens.html': 'JWT access token ID token claims JWKS',
  '/guides/tokens.html#verify': 'verify JWT validate token signature check token',
  '/guides/tokens.html#with-another-language': 'java go golang php ruby rust c# .NET spring verify token',
  '/guides/tokens.html#metadata-in-tokens': 'custom claims user metadata custom attributes custom fields',
  '/guides/tokens.html#refresh': 'refresh token rotation offline_access',
  '/guides/client-secrets.html': 'client secret private_key_jwt confidential client',
  '/guides/client-libraries.html':
    'next-auth Auth.js NextAuth passport better-auth openid-client mod_auth_openidc Authlib mobile native iOS Android Flutter Grafana',
  '/guides/sessions-in-your-app.html':
    'cookie sessions backend for frontend BFF node middleware SDK login in my app',
  '/guides/sessions-in-your-app.html#express': 'express express.js middleware',
  '/guides/sessions-in-your-app.html#hono': 'hono',
  '/guides/sessions-in-your-app.html#nextjs-15-and-16':
    'nextjs next.js app router middleware proxy react server components',
  '/examples/spa-and-api.html': 'SPA single page application react vue angular browser frontend',
  '/guides/protect-a-route.html':
    'protect API route middleware authorization fastify bearer backend guard verify token python',
  '/guides/impersonation.html': 'impersonate login as user act as support staff',
  '/guides/branding.html': 'theme theming white label logo colors customize login page appearance css',
  '/guides/branding.html#the-language': 'i18n l10n translations translation localization languages French',
  '/guides/sso.html':
    'SAML SSO SAML 2.0 single sign-on enterprise connection Okta Azure AD Entra ID OneLogin federation',
  '/guides/domains.html': 'domain verification verify domain verified domains DNS TXT record prove ownership',
  '/guides/domains.html#require-single-sign-on': 'enforce SSO require SSO force SSO only SSO',
  '/guides/oidc-connections.html': 'OIDC enterprise connection Google Workspace Microsoft',
  '/guides/directory-sync.html':
    'SCIM SCIM SCIM 2.0 user provisioning deprovisioning directory sync offboarding joiner leaver groups',
  '/guides/onboarding.html':
    'admin portal self-service SSO set up by the customer self serve IT administrator',
  '/guides/sso-troubleshooting.html': 'login failed debug SSO error invalid signature audience',
  '/guides/events.html': 'audit log audit trail activity log history SIEM event stream',
  '/guides/webhooks.html': 'webhook callback notifications signature HMAC standard webhooks',
  '/guides/import.html':
    'migrate migration move from Auth0 Cognito Firebase Keycloak Clerk export import users bulk password hashes bcrypt',
  '/guides/privacy.html':
    'GDPR DSGVO RGPD CCPA right to be forgotten erase delete personal data export data protection retention data residency PII',
  '/guides/promotion.html':
    'infrastructure as code terraform YAML configuration sandbox to production gitops',
  '/guides/relays.html': 'token exchange partner cross organization handover',
  '/guides/deploy.html':
    'kubernetes k8s helm docker container image compose on-premise self-host self-hosted systemd nginx hosting',
  '/guides/sizes.html':
    'capacity planning sizing how many users how large requirements hardware CPU memory cores',
  '/guides/operate.html': 'production settings environment variables configuration operations',
  '/guides/operate.html#limits': 'rate limit throttling too many requests',
  '/guides/operate.html#mail': 'SMTP email provider sendgrid mailgun postmark SES email sending',
  '/guides/operate.html#several-processes':
    'high availability HA scaling cluster horizontal zero downtime several instances multiple instances replicas stateless load balancer',
  '/guides/operate.html#backup-and-restore': 'backup restore disaster recovery',
  '/guides/operate.html#upgrade': 'upgrade update version migration rolling',
  '/guides/operate.html#signing-keys': 'key rotation rotate keys rotate signing keys JWKS rotation',
  '/guides/operate.html#master-keys': 'master key rotation rotate master key encryption at rest KMS',
  '/guides/operate.html#monitoring':
    'monitoring uptime health check prometheus grafana metrics alerts observability',
  '/guides/operate.html#traces': 'OpenTelemetry tracing traces spans OTLP jaeger tempo honeycomb traceparent',
  '/guides/certification.html': 'OpenID certified certification',
  '/benchmarks.html': 'performance latency throughput benchmark speed',
  '/security.html': 'report vulnerability security policy disclosure',
  '/changelog.html': 'release notes changes what is new',
  '/reference.html': 'OpenAPI swagger postman REST API reference pagination idempotency',
  '/guides/password.html#what-a-password-must-be':
    'password policy password rules complexity strength breached pwned',
  '/guides/password.html#limits-and-lock-out': 'account lockout brute force locked out',
  '/guides/sso.html#connect-okta-entra-id-or-another':
    'Okta connect Okta Okta SAML Okta SSO set up Okta configure Entra ID Azure OneLogin ACS URL audience entity ID SP metadata',
  '/guides/directory-sync.html#connect-okta-entra-id-or-another':
    'Okta SCIM Entra Azure OneLogin JumpCloud PingOne set up provisioning token base URL secret credentials header authentication',
  '/guides/testing.html#in-ci': 'CI continuous integration GitHub Actions GitLab pipeline test in CI',
  '/guides/sessions.html#when-a-session-is-stolen':
    'stolen session hijacking hijacked session theft stolen cookie stolen token stolen refresh token leaked token compromised account attacker device binding DPoP',
  '/guides/sso.html#which-users-a-connection-signs-in':
    'JIT provisioning just-in-time account linking domains',
  '/guides/sso.html#when-certificates-change':
    'certificate rotation expired certificate renew signing certificate',
  '/guides/sign-in.html#1-register-the-application':
    'CORS redirect URI callback URL allowed origins register client',
  '/guides/sign-in.html#ask-for-a-second-factor': 'step-up authentication acr reauthenticate',
  '/guides/sign-in.html#keep-people-signed-in': 'remember me stay signed in silent login',
  '/guides/sessions.html#how-long':
    'session timeout idle timeout session expired session lifetime session length expire',
  '/guides/sessions-in-your-app.html#the-cookie': 'cookie size cookie too large encrypted cookie',
  '/guides/webhooks.html#deliveries-and-retries': 'webhook retries delivery retry schedule',
  '/guides/events.html#log-events': 'login history sign-in log who signed in',
  '/guides/start.html#how-it-runs': 'windows macos node version port in use background CLI command line',
  '/reference/users.html#users.update': 'disable user deactivate user block user suspend user change user',
  '/reference/users.html#users.delete': 'delete user remove user',
  '/reference/users.html#users.create': 'create user add user',
  '/guides/operate.html#text-messages': 'SMS provider twilio text messages',
  '/guides/social.html':
    'social login google login sign in with google sign in with microsoft consumer B2C OAuth providers github login sign in with apple apple ID',
  '/guides/not-there.html#facebook-and-x': 'facebook login twitter login sign in with X',
  '/guides/roles.html':
    'permissions permission RBAC roles role-based access control authorization entitlements AuthZEN',
  '/guides/fine-grained.html':
    'FGA fine-grained ReBAC relationship tuples Zanzibar OpenFGA engine object permissions',
  '/guides/not-there.html#policies-about-objects': 'ABAC policies policy language',
  '/guides/invitations.html':
    'invite invitation invitations members teammates teammate colleague seats seat limit membership',
  '/guides/not-there.html#invitations-by-members':
    'invite by users member invites self-service bulk invitation',
  '/guides/console.html':
    'admin dashboard dashboard admin console console UI back office backoffice admin panel management console user management screen support tool staff operators why can a user not sign in cannot log in unlock user',
  '/guides/not-there.html#hosting': 'cloud hosted managed service SaaS region',
  '/guides/not-there.html#attestations':
    'SOC 2 SOC2 ISO 27001 HIPAA compliance certificate audit report FedRAMP',
  '/guides/not-there.html#ldap-and-kerberos': 'LDAP active directory kerberos',
  '/guides/not-there.html#saml-identity-provider': 'IdP for other applications',
  '/guides/not-there.html#keys-and-tokens-for-machines-of-your-customers':
    'M2M machine-to-machine machine to machine service account device flow API keys for customers',
  '/guides/not-there.html#other-languages': 'SDK java go golang php ruby .NET library',
  '/guides/not-there.html#ready-made-components':
    'react components UI kit widget user button sign-in component',
  '/guides/not-there.html#texts-markup-and-domains-of-the-pages':
    'custom domain vanity domain custom CSS email templates custom texts',
  '/guides/not-there.html#events-older-than-90-days': 'retention archive keep events longer',
  '/guides/not-there.html#bot-detection': 'captcha bot fraud risk radar device fingerprint turnstile',
  '/guides/not-there.html#other-databases': 'mysql sqlite mariadb mongodb cockroachdb database postgres',
}
