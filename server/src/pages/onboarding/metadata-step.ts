import { findShownVersion } from '../../sso/onboarding/metadata-version.js'
import { isNameShared } from '../../sso/onboarding/shared-name.js'
import { warningsOf } from '../../sso/connections/metadata-warnings.js'
import { confirmUpload, findUpload, keepUpload, maxMetadataBytes } from '../../sso/onboarding/upload.js'
import { MetadataFault, type IdpMetadata } from '../../sso/saml/metadata.js'
import type { Tutorial } from '../../sso/tutorials/tutorial.js'
import type { UploadFault } from '../texts/en/sso-setup.js'
import type { MetadataView } from './metadata-summary.js'
import { reviewPage } from './review.js'
import {
  viewOf,
  type OnboardingOutcome,
  type OnboardingRequest,
  type OnboardingStep,
} from './onboarding-request.js'
import { confirmKeptClient, showClientReview } from './client-step.js'
import { samlTutorialOf } from '../../sso/tutorials/tutorials.js'
import { uploadPage, type WrongUpload } from './upload.js'

/** The action that the router sets when the form is too large. */
export const tooLarge = 'too_large'

/** The upload of metadata. */
export const metadataStep: OnboardingStep = {
  show: (request) => showUpload(request),
  actions: { upload, [tooLarge]: (request) => showUpload(request, { at: 'file', fault: 'too_large' }) },
}

/** Confirms uploaded metadata or a client. */
export const reviewStep: OnboardingStep = {
  show: (request) => (isOidc(request) ? showClientReview(request) : showReview(request)),
  actions: { confirm: (request) => (isOidc(request) ? confirmKeptClient(request) : confirm(request)) },
}

function isOidc({ connection }: OnboardingRequest): boolean {
  return connection.protocol === 'oidc'
}

/** The tutorial that ends with metadata; else the page to redirect to. The built-in provider comes with metadata. */
function tutorialOf({ connection }: OnboardingRequest): Tutorial | { readonly goTo: string } {
  const { state, providerType, protocol } = connection
  if (protocol === 'oidc') return { goTo: 'client' }
  if (providerType === null || state === 'not_initialized') return { goTo: 'provider' }
  if (providerType === 'test') return { goTo: 'test' }
  return samlTutorialOf(providerType) ?? { goTo: 'provider' }
}

/** @param wrong The fault and its field; pasted text is shown again for correction. */
async function showUpload(request: OnboardingRequest, wrong?: WrongUpload): Promise<OnboardingOutcome> {
  const { deps, connection, field } = request
  const tutorial = tutorialOf(request)
  if ('goTo' in tutorial) return tutorial
  const version = await findShownVersion(deps, connection)
  const stored = version && { ...(await toView(request, version)), isCurrent: version.isCurrent }
  const pasted = wrong === undefined ? '' : field('xml')
  const page = uploadPage({ ...viewOf(request, 'metadata'), tutorial, stored, wrong, pasted })
  return { page, ...(wrong !== undefined && { status: wrong.fault === 'too_large' ? 413 : 422 }) }
}

async function upload(request: OnboardingRequest): Promise<OnboardingOutcome> {
  const { deps, session, connection, field } = request
  const tutorial = tutorialOf(request)
  if ('goTo' in tutorial) return tutorial
  // An empty file is ignored when text was pasted.
  const at = field('file') === '' && field('xml').trim() !== '' ? 'xml' : 'file'
  const xml = field(at)
  const refuse = (fault: UploadFault) => showUpload(request, { at, fault })
  if (xml.trim() === '') return refuse(field('file_name') === '' ? 'missing' : 'empty')
  if (Buffer.byteLength(xml) > maxMetadataBytes) return refuse('too_large')
  try {
    await keepUpload(deps, session, connection, xml)
  } catch (error) {
    if (!(error instanceof MetadataFault)) throw error
    return refuse(error.code)
  }
  return { goTo: 'review' }
}

async function showReview(request: OnboardingRequest): Promise<OnboardingOutcome> {
  const { deps, session, connection } = request
  const tutorial = tutorialOf(request)
  if ('goTo' in tutorial) return tutorial
  const waiting = await findUpload(deps, session, connection)
  if (waiting === undefined) return { goTo: 'metadata' }
  const { uploadId, metadata } = waiting
  const willWait = connection.currentVersion !== null
  return {
    page: reviewPage({
      ...viewOf(request, 'metadata'),
      uploadId,
      metadata: await toView(request, metadata),
      willWait,
    }),
  }
}

async function confirm(request: OnboardingRequest): Promise<OnboardingOutcome> {
  const { deps, session, connection, field, requestId } = request
  const stored = await confirmUpload(deps, session, connection, { uploadId: field('upload_id'), requestId })
  return stored === undefined ? showUpload(request, { at: 'file', fault: 'over' }) : { goTo: 'test' }
}

async function toView({ deps, connection }: OnboardingRequest, metadata: IdpMetadata): Promise<MetadataView> {
  const { entityId, redirectUrl, postUrl, certificates, validUntil } = metadata
  const isShared = await isNameShared(deps, connection, 'sso_metadata_versions', entityId)
  const warnings = warningsOf(metadata, { isShared, at: deps.now() })
  return { entityId, redirectUrl, postUrl, certificates, validUntil, warnings }
}
