import { ssoChecks, type SsoCheck } from '@portico/contract/sso-checks'
import { metadataWarnings, type MetadataWarning } from '@portico/contract/sso-records'
import { providerTypes } from '@portico/contract/sso-onboarding'
import { oidcTutorials, samlTutorials } from '../../sso/tutorials/tutorials.js'
import { errorPage } from '../frame/error.js'
import type { GalleryNames, GalleryPage } from '../gallery.given.js'
import type { Frame } from '../frame/layout.js'
import { onboardingPhases, type OnboardingPhase } from '../texts/en/onboarding.js'
import { adminCodePage } from './admin-code.js'
import { clientPage } from './client.js'
import { clientReviewPage } from './client-review.js'
import { connectionsPage } from './connections.js'
import { directoryStates } from './directory/gallery.given.js'
import { donePage } from './done.js'
import { emailDomainsStates } from './email-domains/gallery.given.js'
import { invitationPage } from './invitation.js'
import { joinRequestsStates } from './join-requests/gallery.given.js'
import type { MetadataView } from './metadata-summary.js'
import type { OnboardingView } from './onboarding-frame.js'
import { protocolPage } from './protocol.js'
import { providerPage } from './provider.js'
import { reviewPage } from './review.js'
import { rolesStates } from './roles/gallery.given.js'
import { testResultPage } from './test-result.js'
import { testPage } from './test-sign-in.js'
import { tutorialPage } from './tutorial.js'
import { uploadPage } from './upload.js'

const idpId = 'awesome_company_5fGh2KqPzX81mTnRw4YdJb'
const base = `/onboarding/${idpId}`
const form = { action: `${base}/provider?ui_locales=en`, csrf: 'c'.repeat(43) }
const acsUrl = `https://auth.example/saml/${idpId}/acs`
const entityId = `https://auth.example/saml/${idpId}/metadata`
const at = new Date('2026-03-14T12:00:00Z')
const minute = 60

const values = {
  acs_url: acsUrl,
  entity_id: entityId,
  metadata_url: entityId,
  acs_url_pattern: `^${acsUrl.replace(/[./]/g, '\\$&')}$`,
  name_id_format: 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress',
  redirect_uri: `https://auth.example/oidc/${idpId}/callback`,
  scopes: 'openid email profile',
}

function page(name: string, html: string): GalleryPage {
  return { name: `onboarding-${name}`, html }
}

/** Every page of the onboarding in every state, in one language. */
export function onboardingStates(organizationFrame: Frame, names: GalleryNames): GalleryPage[] {
  const frame = { ...organizationFrame, url: `${base}/provider` }
  const { texts } = frame
  return [
    ...arrivalStates(frame, names),
    ...providerStates(frame, names),
    ...tutorialStates(frame, names),
    ...metadataStates(frame, names),
    ...testStates(frame, names),
    ...clientStates(frame, names),
    ...directoryStates(frame, names),
    ...emailDomainsStates(frame, names),
    ...joinRequestsStates(frame, names),
    ...rolesStates(frame, names, base),
    page('dead', errorPage(frame, texts.deadInvitation)),
    page('not-invited', errorPage(frame, texts.notInvited)),
    page('declined', errorPage(frame, texts.declined)),
    page('left', errorPage(frame, texts.leftOnboarding)),
    page('no-connection', errorPage(frame, texts.noSuchConnection)),
  ]
}

function viewOf(frame: Frame, { email }: GalleryNames, phase: OnboardingPhase): OnboardingView {
  const reached = onboardingPhases.slice(0, onboardingPhases.indexOf(phase) + 2)
  return { frame, form, email, base, listUrl: undefined, protocol: 'saml', phase, reachable: reached }
}

function arrivalStates(frame: Frame, { email, organization }: GalleryNames): GalleryPage[] {
  const invitation = {
    frame,
    form,
    token: 't',
    email,
    organizationName: organization,
    serviceName: organization,
    isForJoinRequests: false,
  }
  const code = { frame, form, email, isResent: false }
  return [
    page('invitation', invitationPage(invitation)),
    page('invitation-join-requests', invitationPage({ ...invitation, isForJoinRequests: true })),
    page('invitation-wait', invitationPage({ ...invitation, retryAfterSeconds: 8 * minute })),
    page('code', adminCodePage(code)),
    page('code-resent', adminCodePage({ ...code, isResent: true })),
    ...(['missing', 'wrong_code', 'code_over', 'too_many', 'too_many_mails'] as const).map((fault) =>
      page(`code-${fault}`, adminCodePage({ ...code, fault, retryAfterSeconds: 8 * minute })),
    ),
  ]
}

function providerStates(frame: Frame, names: GalleryNames): GalleryPage[] {
  const view = {
    ...viewOf(frame, names, 'provider'),
    providers: providerTypes,
    chosen: null,
    isFixed: false,
    serviceName: undefined,
  }
  const connections = [
    { idpId, environment: 'production', state: 'xml_provided', providerType: 'okta' },
    { idpId: `${idpId}2`, environment: 'sandbox', state: 'not_initialized', providerType: null },
  ] as const
  const list = {
    frame: { ...frame, url: '/onboarding' },
    form: { ...form, action: '/onboarding' },
    email: names.email,
    directories: [],
    domainsOf: ['sandbox'],
    joinRequestsOf: [],
  } as const
  return [
    page('connections', connectionsPage({ ...list, connections })),
    page('connections-none', connectionsPage({ ...list, connections: [] })),
    page(
      'connections-directory',
      connectionsPage({
        ...list,
        connections,
        directories: [
          { environment: 'production', providerType: 'okta' },
          { environment: 'sandbox', providerType: 'entra_id' },
        ],
        domainsOf: ['production', 'sandbox'],
        joinRequestsOf: ['production'],
      }),
    ),
    page('provider', providerPage(view)),
    page('provider-chosen', providerPage({ ...view, chosen: 'okta', listUrl: '/onboarding' })),
    page('provider-fixed', providerPage({ ...view, chosen: 'okta', isFixed: true })),
    page('protocol', protocolPage({ ...view, providerType: 'entra_id' })),
    page('protocol-fixed', protocolPage({ ...view, providerType: 'google_workspace', isFixed: true })),
  ]
}

function tutorialStates(frame: Frame, names: GalleryNames): GalleryPage[] {
  const view = { ...viewOf(frame, names, 'tutorial'), values }
  const ofSaml = Object.values(samlTutorials).flatMap((tutorial) =>
    tutorial.steps.map((_, step) =>
      page(`tutorial-${tutorial.id}-${step}`, tutorialPage({ ...view, tutorial, step })),
    ),
  )
  const ofOidc = Object.values(oidcTutorials).flatMap((tutorial) =>
    tutorial.steps.map((_, step) =>
      page(
        `tutorial-oidc-${tutorial.id}-${step}`,
        tutorialPage({ ...view, protocol: 'oidc', tutorial, step }),
      ),
    ),
  )
  return [...ofSaml, ...ofOidc]
}

function clientStates(frame: Frame, names: GalleryNames): GalleryPage[] {
  const issuer = 'https://login.microsoftonline.example/0190c8a2-6b1e-7c3d-9f4a-2b6d8e0f1a34/v2.0'
  const clientId = '8f14e45f-ceea-467f-9d2e-1a2b3c4d5e6f'
  const view = { ...viewOf(frame, names, 'metadata'), protocol: 'oidc' } as const
  const typed = { issuer: '', clientId: '' }
  const client = { ...view, tutorial: oidcTutorials.entra_id, stored: undefined, typed }
  const stored = { issuer, clientId, isCurrent: true }
  const review = {
    ...view,
    uploadId: 'u',
    issuer,
    clientId,
    authorizationEndpoint: 'https://login.microsoftonline.example/0190c8a2-6b1e/oauth2/v2.0/authorize',
    warnings: [],
    willWait: false,
  }
  const warnings = ['other_host', 'issuer_shared', 'in_clear'] as const
  const found = 'must be the issuer of its discovery document, to the letter, which has https://id.example/'
  // Keys of the table.
  const faults = Object.keys(frame.texts.client.faults) as (keyof typeof frame.texts.client.faults)[]
  const done = { ...view, phase: 'done', isActive: true, isWaiting: true, isTested: false } as const
  return [
    page('client', clientPage(client)),
    page('client-stored', clientPage({ ...client, stored })),
    page('client-waiting', clientPage({ ...client, stored: { ...stored, isCurrent: false } })),
    ...faults.map((fault) =>
      page(`client-${fault}`, clientPage({ ...client, typed: { issuer, clientId }, fault })),
    ),
    page(
      'client-found',
      clientPage({ ...client, typed: { issuer, clientId }, fault: 'issuer_mismatch', found }),
    ),
    page('client-review', clientReviewPage(review)),
    page('client-review-warnings', clientReviewPage({ ...review, warnings, willWait: true })),
    page('test-no-client', testPage({ ...view, phase: 'test', hasMetadata: false, tests: [], now: at })),
    page(
      'done-client',
      donePage({
        ...done,
        directoryUrl: '/onboarding/directory-sync/production',
        domainsUrl: '/onboarding/email-domains/production',
        rolesUrl: `${base}/roles`,
      }),
    ),
  ]
}

function metadataStates(frame: Frame, names: GalleryNames): GalleryPage[] {
  const metadata: MetadataView = {
    entityId: 'https://sts.windows.example/0190c8a2-6b1e-7c3d-9f4a-2b6d8e0f1a34/',
    redirectUrl: 'https://login.idp.example/0190c8a2-6b1e/saml2',
    postUrl: null,
    certificates: [
      {
        pem: '',
        fingerprint_sha256: '5d3f9a0b7c1e2d4f6a8b0c9d1e3f5a7b9c0d2e4f6a8b1c3d5e7f90a1b2c3d4e5',
        subject: 'CN=Federated SSO Certificate',
        not_before: '2025-01-01T00:00:00.000Z',
        not_after: '2028-01-01T00:00:00.000Z',
      },
    ],
    validUntil: null,
    warnings: [],
  }
  // Keys of the table.
  const warnings = Object.keys(metadataWarnings) as MetadataWarning[]
  const view = viewOf(frame, names, 'metadata')
  const upload = { ...view, tutorial: samlTutorials.entra_id, stored: undefined }
  const faults = Object.keys(frame.texts.upload.faults) as (keyof typeof frame.texts.upload.faults)[]
  const review = { ...view, uploadId: 'u', metadata, willWait: false }
  return [
    page('metadata', uploadPage(upload)),
    page('metadata-stored', uploadPage({ ...upload, stored: { ...metadata, isCurrent: true } })),
    page('metadata-waiting', uploadPage({ ...upload, stored: { ...metadata, isCurrent: false } })),
    ...faults.map((fault) =>
      page(`metadata-${fault}`, uploadPage({ ...upload, wrong: { at: 'file', fault } })),
    ),
    page(
      'metadata-pasted',
      uploadPage({ ...upload, wrong: { at: 'xml', fault: 'not_xml' }, pasted: '<EntityDescriptor' }),
    ),
    page('review', reviewPage(review)),
    page(
      'review-warnings',
      reviewPage({ ...review, metadata: { ...metadata, warnings, validUntil: at }, willWait: true }),
    ),
  ]
}

function testStates(frame: Frame, names: GalleryNames): GalleryPage[] {
  const view = viewOf(frame, names, 'test')
  const tests = (['success', 'failed', 'arrived'] as const).map((outcome, index) => ({
    id: `0190c8a2-6b1e-7c3d-9f4a-2b6d8e0f1a3${index}`,
    outcome,
    at: new Date(at.getTime() - (index + 1) * 3_600_000),
  }))
  const test = { ...view, hasMetadata: true, tests: [], now: at }
  const person = { nameId: names.email, email: names.email, givenName: 'Ada', familyName: null }
  const attributes = {
    'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress': [names.email],
    'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/givenname': ['Ada'],
    groups: ['Engineering', names.organization],
  }
  const result = {
    ...view,
    checks: checksUpTo('replay'),
    failed: undefined,
    person,
    attributes,
    requestId: '0190c8a2',
  }
  const done = {
    ...viewOf(frame, names, 'done'),
    isActive: false,
    isWaiting: false,
    isTested: true,
    directoryUrl: undefined,
    domainsUrl: undefined,
    rolesUrl: undefined,
  }
  return [
    page('test', testPage(test)),
    page('test-earlier', testPage({ ...test, tests })),
    page('test-no-metadata', testPage({ ...test, hasMetadata: false })),
    page('result-success', testResultPage({ ...result, outcome: 'success' })),
    page('result-arrived', testResultPage({ ...result, outcome: 'arrived' })),
    page('result-empty', testResultPage({ ...result, outcome: 'success', attributes: {} })),
    ...(['audience', 'signature', 'browser', 'in_response_to'] as const).map((name) =>
      page(`result-${name}`, testResultPage({ ...result, ...failureOf(name) })),
    ),
    page('done', donePage(done)),
    page('done-active', donePage({ ...done, isActive: true })),
    page('done-untested', donePage({ ...done, isActive: true, isTested: false })),
    page('done-waiting', donePage({ ...done, isWaiting: true, isTested: false })),
  ]
}

function failureOf(name: SsoCheck) {
  const checks = checksUpTo(name)
  const last = { name, passed: false, expected: entityId, received: 'https://auth.example' }
  return {
    outcome: 'failed' as const,
    checks: [...checks.slice(0, -1), last],
    failed: { name, mender: ssoChecks[name].mender },
    attributes: null,
  }
}

function checksUpTo(last: SsoCheck) {
  // Keys of the table, in their order.
  const all = Object.keys(ssoChecks) as SsoCheck[]
  return all
    .slice(0, all.indexOf(last) + 1)
    .map((name) => ({ name, passed: true, expected: null, received: null }))
}
