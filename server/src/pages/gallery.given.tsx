import { displayName } from '../platform/display-name.js'
import { choosePage } from './views/choose.js'
import { continuePage } from './views/continue.js'
import { consentPage } from './views/consent.js'
import { enrollCodePage, enrollPage } from './views/enroll.js'
import { errorPage } from './frame/error.js'
import { formPostPage } from './views/form-post.js'
import { identifierPage } from './views/identifier.js'
import type { Frame } from './frame/layout.js'
import { emailLinkPage } from './views/email-link.js'
import { linkAccountPage } from './views/link-account.js'
import { proveAddressPage } from './views/prove-address.js'
import { socialProviderPage } from './views/social-provider.js'
import { testProviderPage } from './views/test-provider.js'
import { impersonationPage } from './views/impersonation.js'
import { invitationPage, otherAddressPage, otherSessionPage } from './views/invitation.js'
import { linkCodePage } from './views/link-code.js'
import { linkSentPage } from './views/link-sent.js'
import { identityProviderPage, returnPage } from './views/identity-provider.js'
import { magicLinkPage } from './views/magic-link.js'
import { onboardingStates } from './onboarding/gallery.given.js'
import { passwordPage } from './views/password.js'
import { readyPage, signedInPage } from './views/ready.js'
import { recoveryCodesPage } from './views/recovery-codes.js'
import { passwordSetPage, setPasswordPage } from './views/set-password.js'
import { accountPageStates } from './account/gallery.given.js'
import { sessionsPage, type SessionView } from './views/sessions.js'
import { accountDeletedPage } from './views/account-delete.js'
import { forgetPage, signedOutPage, signOutPage } from './views/sign-out.js'
import { testIdpPage } from './views/test-idp.js'
import { onceShown } from './steps/user-flow.js'
import type { PageTexts } from './texts/en.js'
import { blockedPasskeyPage } from './views/blocked-passkey.js'
import { offerPasskeyPage } from './views/offer-passkey.js'
import { passkeyCodePage } from './views/passkey-code.js'
import { secondFactorPasskeyPage } from './views/second-factor-passkey.js'
import { totpPage } from './views/totp.js'

/** A page in one of its states. */
export interface GalleryPage {
  readonly name: string
  readonly html: string
}

/** Names that accounts and organizations have chosen. */
export interface GalleryNames {
  readonly organization: string
  readonly application: string
  readonly email: string
  readonly phone: string
}

export const usualNames: GalleryNames = {
  organization: 'Awesome company',
  application: 'Storefront',
  email: 'ada.lovelace@awesome.example',
  phone: '••••\u00a042',
}

/** Names of maximum length, and in other scripts. */
export const longNames: GalleryNames = {
  organization: 'Société internationale des chemins de fer et de la navigation réunis',
  application: 'Donaudampfschifffahrtsgesellschaftskapitänspatentverwaltungsanwendung',
  email: `${'maximiliane-konstantinopolitanska'.repeat(2)}@${'verwaltung.'.repeat(5)}awesome.example`.slice(
    -254,
  ),
  phone: '••••\u00a0••••\u00a0••••\u00a042',
}

/** Hostile names. */
export const hostileNames: GalleryNames = {
  organization: '"><script>alert(1)</script><b>\u202eevil\u2066',
  application: "'><img src=x onerror=alert(2)>\u202e\n{{7*7}}",
  email: '"<script>alert(3)</script>"@evil.example\u202emoc',
  phone: '<u>42</u>\u202e',
}

const galleryAt = new Date('2026-03-14T12:00:00Z')

/** The frame of a gallery page: a fully branded organization, but without a logo. */
export function galleryFrame(
  texts: PageTexts,
  names: GalleryNames,
  organization: Partial<NonNullable<Frame['organization']>> = {},
): Frame {
  return {
    texts,
    organization: {
      domain: 'awesome-company',
      name: names.organization,
      product_name: null,
      locale: null,
      icon_logo_url: null,
      inline_logo_url: null,
      terms_of_service_url: 'https://awesome.example/terms',
      privacy_policy_url: 'https://awesome.example/privacy',
      ...organization,
    },
    isSandbox: false,
    productName: 'Portico',
    styleUrl: '/assets/x/pages.css',
    scriptUrl: '/assets/x/pages.js',
    passkeyScriptUrl: '/assets/x/passkey.js',
    fontUrl: '/assets/x/inter-latin.woff2',
    url: '/t/awesome-company/sign-in/1',
  }
}

/** Every page in every state, in one language. */
export function galleryOf(frame: Frame, names: GalleryNames): GalleryPage[] {
  return [
    ...identifierStates(frame, names),
    ...passwordStates(frame, names),
    ...linkStates(frame, names),
    ...chooseStates(frame, names),
    ...setPasswordStates(frame, names),
    ...socialStates(frame, names),
    ...totpStates(frame, names),
    ...enrollStates(frame, names),
    ...recoveryStates(frame, names),
    ...sessionStates(frame, names),
    ...testIdpStates(frame),
    ...errorStates(frame, names),
    ...onboardingStates(frame, names),
  ]
}

const form = { action: '/t/awesome-company/sign-in/1?ui_locales=en', csrf: 'c'.repeat(43) }
const uri =
  'otpauth://totp/Awesome%20company:ada.lovelace%40awesome.example?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=Awesome%20company'
const minute = 60

function page(name: string, html: string): GalleryPage {
  return { name, html }
}

/** One page for each fault with a text. */
function faultStates<Key extends string>(
  name: string,
  faults: Readonly<Record<Key, unknown>>,
  render: (fault: Key) => string,
): GalleryPage[] {
  // The keys of an object that is written out in the texts are those of its type.
  return (Object.keys(faults) as Key[]).map((fault) => page(`${name}-${fault}`, render(fault)))
}

function identifierStates(frame: Frame, { email, application }: GalleryNames): GalleryPage[] {
  const view = { frame, form, email: null, maySignUp: false }
  return [
    page('identifier', identifierPage({ ...view, applicationName: application })),
    page('identifier-plain', identifierPage(view)),
    page('identifier-account', identifierPage({ ...view, toAccount: 'visit' })),
    page('identifier-account-change', identifierPage({ ...view, email, toAccount: 'change' })),
    page('identifier-passkey', identifierPage({ ...view, passkeyOptions: { challenge: 'x' } })),
    page('identifier-sign-up', identifierPage({ ...view, maySignUp: true, applicationName: application })),
    ...faultStates('identifier', frame.texts.identifier.faults, (fault) =>
      identifierPage({ ...view, email, applicationName: application, fault, retryAfterSeconds: 15 * minute }),
    ),
  ]
}

function passwordStates(frame: Frame, { email }: GalleryNames): GalleryPage[] {
  const view = { frame, form, email, mayMailLink: true, isPasswordNew: false }
  return [
    page('password', passwordPage(view)),
    page('password-only', passwordPage({ ...view, mayMailLink: false })),
    page('password-new', passwordPage({ ...view, isPasswordNew: true })),
    ...faultStates('password', frame.texts.password.faults, (fault) =>
      passwordPage({ ...view, fault, retryAfterSeconds: 15 * minute }),
    ),
  ]
}

function linkStates(frame: Frame, { email, application, organization }: GalleryNames): GalleryPage[] {
  const view = { frame, form, email, purpose: 'sign_in', isCodeAsked: false } as const
  const link = {
    frame,
    email,
    organizationName: organization,
    action: form.action,
    token: 't',
    csrf: form.csrf,
  }
  return [
    page('link-sent', linkSentPage(view)),
    page('link-sent-password', linkSentPage({ ...view, purpose: 'password' })),
    page('link-sent-resent', linkSentPage({ ...view, isResent: true })),
    page('link-sent-code', linkSentPage({ ...view, isCodeAsked: true })),
    ...faultStates('link-sent', frame.texts.linkSent.faults, (fault) =>
      linkSentPage({ ...view, isCodeAsked: fault !== 'too_many_mails', fault }),
    ),
    page(
      'link-code',
      linkCodePage({ frame: onceShown(frame), code: '294751', applicationName: application }),
    ),
    page('email-link', emailLinkPage({ frame, form, email, organizationName: organization, token: 't' })),
    page('magic-link', magicLinkPage({ ...link, purpose: 'sign_in' })),
    page('magic-link-password', magicLinkPage({ ...link, purpose: 'password' })),
    page('magic-link-elsewhere', magicLinkPage({ ...link, purpose: 'sign_in', isOtherBrowser: true })),
  ]
}

function chooseStates(frame: Frame, { email, application, organization }: GalleryNames): GalleryPage[] {
  const choices = [
    { domain: 'awesome-company', name: organization, logoUrl: null, lastUsedAt: galleryAt },
    { domain: 'other-company', name: 'Other company', logoUrl: null, lastUsedAt: null },
    { domain: 'asked-company', name: 'Asked company', logoUrl: null, lastUsedAt: null, mayOnlyAsk: true },
  ]
  const sessions = {
    choices: choices.map((choice) => ({ ...choice, email, lastUsedAt: galleryAt })),
    round: 0,
    now: galleryAt,
  }
  const identifierView = { frame, form, email: null, maySignUp: false, applicationName: application }
  const ofView = { email, applicationName: application, choices, isLong: false, round: 0, refusal: undefined }
  const view = { frame, form, ...ofView, now: galleryAt }
  return [
    page('choose', choosePage(view)),
    page('choose-long', choosePage({ ...view, isLong: true })),
    page('choose-refused', choosePage({ ...view, refusal: 'not_offered' })),
    page('choose-none', choosePage({ ...view, choices: [] })),
    page('identifier-sessions', identifierPage({ ...identifierView, sessions })),
    page(
      'continue',
      continuePage({
        ...{ frame, form, token: 't', email },
        ...{ organizationName: organization, applicationName: application },
      }),
    ),
    page(
      'password-elsewhere',
      passwordPage({
        frame: {
          ...frame,
          elsewhere: { label: frame.texts.accountSignIn.elsewhere, url: '/a/acme/sign-in/1' },
        },
        ...{ form, email, mayMailLink: true, isPasswordNew: false },
      }),
    ),
  ]
}

function setPasswordStates(frame: Frame, { email, application, organization }: GalleryNames): GalleryPage[] {
  const view = {
    frame,
    form,
    email,
    minLength: 8,
    maxLength: 1024,
    asked: 'by_link',
    passwordCode: 'p',
  } as const
  return [
    page('set-password', setPasswordPage(view)),
    ...(['renewal', 'offer'] as const).map((asked) =>
      page(`set-password-${asked}`, setPasswordPage({ ...view, asked, passwordCode: undefined })),
    ),
    ...faultStates('set-password', { wrong_length: '', ...frame.texts.setPassword.faults }, (fault) =>
      setPasswordPage({ ...view, fault, retryAfterSeconds: minute }),
    ),
    page('password-set', passwordSetPage({ frame })),
    ...[undefined, '/t/awesome-company/sign-in/0190c8a4'].map((nextUrl) =>
      page(
        nextUrl === undefined ? 'password-set-passkeys' : 'password-set-passkeys-next',
        passwordSetPage({ frame, kept: { names: ['iPhone', 'YubiKey'], ownPage: '/account', nextUrl } }),
      ),
    ),
    page('ready', readyPage({ frame, form, applicationName: application })),
    page('signed-in', signedInPage({ frame, applicationName: application, url: 'https://awesome.example/' })),
    page('signed-in-alone', signedInPage({ frame, applicationName: application, url: null })),
    page('form-post', formPostPage({ frame, action: answerAddress, parameters: answer })),
    ...consentStates(frame, { email, application }),
    ...impersonationStates(frame, { email, application }),
    ...invitationStates(frame, { email, organization }),
    ...ssoStates(frame),
  ]
}

function consentStates(
  frame: Frame,
  { email, application }: Pick<GalleryNames, 'email' | 'application'>,
): GalleryPage[] {
  const user = { id: '0190c8b0-3f4e-7d5c-b6a7-98f0e1d2c3b4', email }
  const view = { frame, form, user, applicationName: application, scopes: ['openid', 'email'] }
  return [
    page(
      'consent',
      consentPage({
        ...view,
        redirectUri: answerAddress,
        scopes: Object.keys(frame.texts.consent.abilities),
      }),
    ),
    page('consent-loopback', consentPage({ ...view, redirectUri: 'http://127.0.0.1:3000/callback' })),
    page('consent-app', consentPage({ ...view, redirectUri: 'com.example.store:/callback' })),
  ]
}

function impersonationStates(
  frame: Frame,
  { email: userEmail, application: applicationName }: Pick<GalleryNames, 'email' | 'application'>,
): GalleryPage[] {
  const impersonation = {
    userEmail,
    applicationName,
    actor: 'staff-7 (grace@acme.example)',
    reason: `Ticket 4711: </dl><script>alert(1)</script> ${'is not shown '.repeat(35)}`,
    minutes: 15,
    isUserNotified: true,
  }
  return [
    page('impersonation', impersonationPage({ frame, form, impersonation, token: 't' })),
    page('impersonation-dead', errorPage(frame, frame.texts.deadImpersonation)),
  ]
}

function invitationStates(
  frame: Frame,
  { email, organization: organizationName }: Pick<GalleryNames, 'email' | 'organization'>,
): GalleryPage[] {
  const view = { frame, form, email, organizationName, isStaff: false }
  return [
    page('invitation', invitationPage(view)),
    page('invitation-to-console', invitationPage({ ...view, isStaff: true })),
    page('invitation-other-session', otherSessionPage({ ...view, sessionEmail: 'grace@awesome.example' })),
    page(
      'invitation-other-session-to-console',
      otherSessionPage({ ...view, isStaff: true, sessionEmail: 'grace@awesome.example' }),
    ),
    page(
      'invitation-other-address',
      otherAddressPage({ frame, asserted: 'grace@awesome.example', invited: email, reference: 'r' }),
    ),
    page('invitation-dead', errorPage(frame, frame.texts.deadInvitation)),
    page('invitation-accepted', errorPage(frame, frame.texts.acceptedInvitation)),
  ]
}

const answerAddress = 'https://store.example/callback?shop=1&lang=en'
/** An answer to an application; the state is the application's own, and may be anything printable. */
const answer = {
  code: 'c'.repeat(43),
  state: `"><img src=x onerror=alert(1)>'&`,
  iss: 'https://auth.example/t/a',
}

/** The pages between this service and an identity provider; the other site's form is tested in saml-sign-in. */
function ssoStates(frame: Frame): GalleryPage[] {
  const { texts } = frame
  const sentences = [
    'ssoRefused',
    'ssoTooLarge',
    'ssoTooMany',
    'ssoUnavailable',
    'deadSsoLink',
    'unknownConnection',
  ] as const
  const connections = [{ idpId: 'awesome_company_1' }]
  const url = '/t/awesome-company/sign-in/x/identity-provider'
  return [
    page('identifier-sso', identifierPage({ frame, form, email: null, maySignUp: false, connections })),
    page('identity-provider', identityProviderPage({ frame, form, url, isAsked: true })),
    page('sso-return', returnPage({ frame, url: '/t/awesome-company/sign-in/x' })),
    ...sentences.map((name) => page(name, errorPage(frame, texts[name], { reference: '0190c8a2' }))),
  ]
}

function socialStates(frame: Frame, { email, organization, application }: GalleryNames): GalleryPage[] {
  const { texts } = frame
  const url = '/t/awesome-company/sign-in/x/social'
  const socialProviders = [
    { name: 'google', displayName: 'Google' },
    { name: 'own', displayName: organization },
  ]
  const lastProvider = 'google'
  const identifier = { frame, form, email: null, maySignUp: true, socialProviders, lastProvider }
  const proof = { frame, form, email }
  const link = { frame, form, email, provider: organization, hasPassword: true, hasLink: true }
  const choice = { subject: 'ada', email, isEmailVerified: true, fault: 'none' } as const
  const sentences = ['socialRefused', 'socialUnavailable', 'unknownSocialProvider'] as const
  return [
    page('identifier-social', identifierPage(identifier)),
    page(
      'identifier-every-method',
      identifierPage({
        ...{ frame, form, email: null, maySignUp: false, applicationName: application },
        socialProviders: [
          { name: 'google', displayName: 'Google' },
          { name: 'microsoft', displayName: 'Microsoft' },
        ],
        passkeyOptions: { challenge: 'x' },
      }),
    ),
    page('identifier-social-denied', identifierPage({ ...identifier, isSocialDenied: true })),
    page('identifier-social-only', identifierPage({ ...identifier, isAddressAsked: false })),
    page('social-provider', socialProviderPage({ frame, form, url, isAsked: true, provider: organization })),
    page('prove-address', proveAddressPage(proof)),
    page('prove-address-resent', proveAddressPage({ ...proof, isResent: true })),
    page('prove-address-unnamed', proveAddressPage({ ...proof, email: null })),
    ...faultStates('prove-address', texts.proveAddress.faults, (fault) =>
      proveAddressPage({
        ...proof,
        fault,
        ...(namingFaults.includes(fault) && { email: null, typed: email }),
      }),
    ),
    page('link-account', linkAccountPage(link)),
    page('link-account-link-only', linkAccountPage({ ...link, hasPassword: false })),
    page(
      'link-account-passkey',
      linkAccountPage({ ...link, hasPassword: false, hasLink: false, passkeyOptions: { challenge: 'x' } }),
    ),
    page('link-account-no-way', linkAccountPage({ ...link, hasPassword: false, hasLink: false })),
    ...faultStates('link-account', texts.password.faults, (fault) => linkAccountPage({ ...link, fault })),
    page('test-provider', testProviderPage({ frame, form, ...choice, isInvalid: false })),
    page('test-provider-invalid', testProviderPage({ frame, form, ...choice, isInvalid: true })),
    ...sentences.map((name) => page(name, errorPage(frame, texts[name], { reference: '0190c8a2' }))),
  ]
}

/** Faults of an address, before a code is sent to it. */
const namingFaults: readonly string[] = ['missing', 'invalid', 'not_allowed']

function totpStates(frame: Frame, { phone, application: applicationName }: GalleryNames): GalleryPage[] {
  const view = { frame, form, way: 'app', sentTo: null } as const
  const elsewhere = { label: frame.texts.account.back, url: '/t/awesome-company/account' }
  const ofAccount = { ...frame, elsewhere }
  const passkey = { frame, form, options: { challenge: 'x' }, hasRecoveryCodes: false }
  const code = { frame, form, hasPasskey: true, retryAfterSeconds: 5 * minute }
  return [
    page('totp-app', totpPage(view)),
    page('totp-sms-unsent', totpPage({ ...view, way: 'sms' })),
    page('totp-sms', totpPage({ ...view, way: 'sms', sentTo: phone })),
    page('totp-app-passkey', totpPage({ ...view, passkeyOptions: { challenge: 'x' } })),
    page(
      'totp-passkey-first',
      totpPage({ ...view, passkeyOptions: { challenge: 'x' }, isPasskeyFirst: true }),
    ),
    page('totp-passkey-blocked', blockedPasskeyPage({ frame, form, hasRecoveryCodes: false })),
    page('totp-passkey-blocked-codes', blockedPasskeyPage({ frame, form, hasRecoveryCodes: true })),
    page(
      'totp-passkey-blocked-demanded',
      blockedPasskeyPage({ frame, form, hasRecoveryCodes: false, applicationName }),
    ),
    page('totp-passkey', secondFactorPasskeyPage(passkey)),
    page('totp-passkey-demanded', secondFactorPasskeyPage({ ...passkey, applicationName })),
    page(
      'totp-passkey-account-change',
      secondFactorPasskeyPage({ ...passkey, frame: ofAccount, isForChange: true }),
    ),
    page('totp-app-account-change', totpPage({ ...view, frame: ofAccount })),
    page('totp-passkey-codes', secondFactorPasskeyPage({ ...passkey, hasRecoveryCodes: true })),
    page('totp-passkey-recovery', passkeyCodePage({ frame, form, hasPasskey: true })),
    page('totp-passkey-recovery-blocked', passkeyCodePage({ frame, form, hasPasskey: false })),
    page('totp-passkey-recovery-wrong_code', passkeyCodePage({ ...code, fault: 'wrong_code' })),
    page('totp-passkey-recovery-too_many', passkeyCodePage({ ...code, fault: 'too_many' })),
    page('totp-recovery', totpPage({ ...view, way: 'recovery' })),
    page('totp-recovery-wrong_code', totpPage({ ...view, way: 'recovery', fault: 'wrong_code' })),
    ...faultStates('totp-app', frame.texts.totp.faults, (fault) =>
      totpPage({ ...view, fault, retryAfterSeconds: 5 * minute }),
    ),
    page('totp-sms-not_sent', totpPage({ ...view, way: 'sms', fault: 'not_sent' })),
  ]
}

function enrollStates(frame: Frame, { phone, application }: GalleryNames): GalleryPage[] {
  const demanded = 'by_application' as const
  const demand = { demanded, applicationName: application }
  const view = { frame, form, method: 'totp_mobile_app', sentTo: null, ...demand } as const
  const sms = { ...view, method: 'sms', sentTo: phone } as const
  const until = new Date(Date.UTC(2026, 11, 24))
  return [
    page('enroll-app', enrollPage(view)),
    page('enroll-app-later', enrollPage({ ...view, demanded: { until } })),
    page('enroll-app-not_now', enrollPage({ ...view, demanded: { until: null }, fault: 'not_now' })),
    page('enroll-sms', enrollPage(sms)),
    page('enroll-sms-no_phone', enrollPage({ ...sms, sentTo: null, fault: 'no_phone' })),
    page('enroll-app-passkey', enrollPage({ ...view, passkeyOptions: { challenge: 'x' } })),
    page('enroll-passkey', enrollPage({ ...view, method: undefined, passkeyOptions: { challenge: 'x' } })),
    page(
      'enroll-passkey-alone',
      enrollPage({
        ...{ ...view, method: undefined, passkeyOptions: { challenge: 'x' } },
        demanded: 'passkey_by_application',
      }),
    ),
    page(
      'enroll-passkey-later',
      enrollPage({ ...view, method: undefined, demanded: { until }, passkeyOptions: { challenge: 'x' } }),
    ),
    page(
      'enroll-passkey-recovery',
      enrollPage({
        ...{ ...view, method: undefined, passkeyOptions: { challenge: 'x' } },
        demanded: { recoveredBy: 'operator', isPostponable: true },
      }),
    ),
    page(
      'enroll-passkey-recovery-code',
      enrollPage({
        ...{ ...view, method: undefined, passkeyOptions: { challenge: 'x' } },
        demanded: { recoveredBy: 'code', isPostponable: false },
      }),
    ),
    page('offer-passkey', offerPasskeyPage({ frame, form, options: { challenge: 'x' } })),
    page(
      'offer-passkey-refused',
      offerPasskeyPage({ frame, form, options: { challenge: 'x' }, fault: 'refused' }),
    ),
    page('enroll-app-over', enrollPage({ ...view, fault: 'over' })),
    page('enroll-code-app', enrollCodePage({ ...view, frame: onceShown(frame), uri })),
    page('enroll-code-sms', enrollCodePage({ ...sms, frame: onceShown(frame), uri: null })),
    ...faultStates('enroll-code-app', frame.texts.enroll.faults, (fault) =>
      enrollCodePage({ ...view, frame: onceShown(frame), uri, fault, retryAfterSeconds: 5 * minute }),
    ),
  ]
}

function recoveryStates(frame: Frame, { email }: GalleryNames): GalleryPage[] {
  const of = 'phone'
  const codes = ['mzxw6ytboi', 'gezdgnbvgy', '3tqojqgezd', 'krugs4zani', 'onxw2zlu62']
  const made = { codes, email, at: galleryAt }
  return [
    page('recovery-codes', recoveryCodesPage({ frame: onceShown(frame), form, of, made })),
    page('recovery-codes-passkey', recoveryCodesPage({ frame: onceShown(frame), form, of: 'passkey', made })),
    page('recovery-codes-gone', recoveryCodesPage({ frame, form, of, made: null })),
    page(
      'recovery-codes-not_acknowledged',
      recoveryCodesPage({ frame, form, of, made, fault: 'not_acknowledged' }),
    ),
  ]
}

const userAgents = [
  'Mozilla/5.0 (X11; Linux x86_64; rv:148.0) Gecko/20100101 Firefox/148.0',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (Linux; Android 16; SM-S931B) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/30.0 Chrome/146.0.0.0 Mobile Safari/537.36',
  null,
]

function sessionStates(frame: Frame, { email, application }: GalleryNames): GalleryPage[] {
  const sessions = userAgents.map((device, index): SessionView => ({
    id: `0190c8a2-6b1e-7c3d-9f4a-2b6d8e0f1a${index}0`,
    isCurrent: index === 0,
    device,
    applicationName: index === 3 ? null : application,
    authenticatedAt: new Date(galleryAt.getTime() - (index + 1) ** 3 * 3_600_000),
    lastUsedAt: new Date(galleryAt.getTime() - index ** 4 * minute * 1000),
  }))
  const view = { frame, form, email, now: galleryAt }
  return [
    page('sessions', sessionsPage({ ...view, sessions, isOnlyOne: false })),
    page('sessions-only-one', sessionsPage({ ...view, sessions: sessions.slice(0, 1), isOnlyOne: true })),
    page('sign-out', signOutPage({ frame, form, emails: [email] })),
    page('forget', forgetPage({ frame, form, emails: [email] })),
    page('signed-out', signedOutPage({ frame })),
    page('account-deleted', accountDeletedPage({ frame })),
    ...accountPageStates(frame, form, email).map(([name, html]) => page(name, html)),
  ]
}

function testIdpStates(frame: Frame): GalleryPage[] {
  const view = { frame: { ...frame, isSandbox: true }, form, samlRequest: 'c2FtbA==', relayState: '' }
  const invalid = { ...view, email: 'ada@', fault: 'expired', isInvalid: true } as const
  return [
    page('test-idp', testIdpPage({ ...view, email: '', fault: 'none', isInvalid: false })),
    page('test-idp-invalid', testIdpPage(invalid)),
    page('error-no-test-idp', errorPage(view.frame, frame.texts.noTestIdp)),
  ]
}

function errorStates(frame: Frame, { application }: GalleryNames): GalleryPage[] {
  const { texts } = frame
  const reference = '0190c8a2-6b1e-7c3d-9f4a'
  const nowhere = { ...frame, organization: undefined }
  return [
    page('error-dead-link', errorPage(frame, texts.deadLink, { reference })),
    page(
      'error-flow-over',
      errorPage(frame, texts.flowOver, {
        reference,
        back: { label: texts.backTo(displayName(application)), url: 'https://awesome.example/' },
      }),
    ),
    page('error-other-browser', errorPage(frame, texts.otherBrowser, { reference })),
    page('error-no-way', errorPage(frame, texts.noWayToSignIn, { reference })),
    page('error-refused', errorPage({ ...frame, isSandbox: true }, texts.signInRefused, { reference })),
    page('error-too-many', errorPage(frame, texts.tooMany, { reference })),
    page('error-unreadable', errorPage(nowhere, texts.unreadable, { reference })),
    page(
      'error-invalid-request',
      errorPage({ ...frame, isSandbox: true }, texts.invalidRequest, {
        reference,
        detail: 'redirect_uri must be one of the allowed_redirect_urls of this application, to the letter.',
      }),
    ),
    page(
      'error-failure',
      errorPage(nowhere, texts.failure, { reference, back: { label: texts.tryAgain, url: '/t/x' } }),
    ),
  ]
}
