import { ssoCheckNames, ssoChecks, type Mender, type SsoCheck } from '@portico/contract/sso-checks'
import type { MetadataWarning } from '@portico/contract/sso-records'
import { metadataFaults, type MetadataFaultCode } from '../../../sso/saml/metadata.js'

export type UploadFault = MetadataFaultCode | 'missing' | 'empty' | 'over'

/** The checks of the contract, by their names. */
type CheckTexts = Readonly<Record<SsoCheck, { readonly demands: string; readonly remedy: string }>>

const uploadFaults: Readonly<Record<UploadFault, string>> = {
  ...metadataFaults,
  missing: 'Choose a file, or paste the XML.',
  empty: 'This file is empty. Export the metadata again, and check that the file has content.',
  over: 'This metadata was already replaced or saved. Upload it again.',
  too_large: 'This is too large: the metadata of an identity provider has at most 512,000 characters.',
}

/** The words of what comes after the tutorial: metadata, the test, and the end. */
export const ssoSetup = {
  upload: {
    heading: 'Upload the metadata of your identity provider',
    sentence:
      'It tells us where to send your users and which signatures to trust. Nothing is used until you have reviewed it.',
    where: 'Where to find it:',
    file: 'Metadata file',
    fileHint: (name: string) => `An XML file, usually called ${name}.`,
    or: 'or',
    paste: 'Paste the XML',
    button: 'Check the metadata',
    stored: 'Current metadata',
    replace: 'Replace it',
    faults: uploadFaults,
  },
  review: {
    heading: 'Is this your identity provider?',
    sentence: 'We found these details in the file. Compare them with your console.',
    entityId: 'Entity ID',
    host: 'Your users sign in at',
    certificate: (index: number) => `Signing certificate ${index}`,
    subject: 'Name',
    fingerprint: 'SHA-256 fingerprint',
    expires: 'Valid until',
    validUntil: 'The file is valid until',
    confirm: 'Yes, use this metadata',
    other: 'Choose a different file',
    inUse: 'In use',
    waits: 'Saved and used for tests. The people who invited you need to activate it.',
    willWait:
      'The connection already has metadata in use. The new metadata is saved and used for your tests until the people who invited you activate it.',
    warnings: {
      metadata_expired: 'The file has passed its expiry date. Export it again if you can.',
      certificate_expired:
        'A signing certificate has expired. We accept it, but your identity provider may stop using it.',
      certificate_expires_soon:
        'A signing certificate expires within 30 days. Upload the metadata again as soon as there is a new certificate.',
      entity_id_shared:
        'Another connection uses metadata with the same entity ID. This is only correct if both are for the same identity provider.',
    } satisfies Record<MetadataWarning, string>,
  },
  test: {
    heading: 'Test the sign-in',
    sentence:
      'We send you to your identity provider to sign in and bring you back here. You will then see every check that we made.',
    dryRun: 'This is only a test: no account is created, and nobody is signed in.',
    button: 'Start the test',
    again: 'Test again',
    skip: 'Continue without a test',
    earlier: 'Previous tests',
    outcomes: { arrived: 'Not finished', success: 'Passed', failed: 'Failed' },
    toIdentityProvider: 'Continue to your identity provider',
    noMetadata: 'Upload the metadata first.',
  },
  testResult: {
    headings: {
      arrived: 'The test is not finished',
      success: 'The test has passed',
      failed: 'The test has failed',
    },
    success: 'Your identity provider is set up correctly.',
    failed: 'The response from your identity provider failed this check:',
    arrived: 'We received the response, but your browser did not return with it. Start the test again.',
    demanded: 'Requirement',
    expected: 'Expected',
    received: 'Received',
    whoMends: 'Who can fix it',
    menders: {
      identity_provider: 'You, in the console of your identity provider.',
      operator: 'The people who invited you, or you if the metadata is the cause.',
      user: 'The user who signs in.',
      nobody: 'Nobody: start again.',
    } satisfies Record<Mender, string>,
    how: 'How to fix it',
    checks: (count: number) => `All ${count} checks, in order`,
    passed: 'Passed',
    refused: 'Failed',
    person: 'User who would sign in',
    nameId: 'NameID',
    email: 'E-mail address',
    givenName: 'Given name',
    familyName: 'Family name',
    nothing: 'Nothing',
    attributes: 'Attributes received',
    noAttributes: 'No attributes received.',
    name: 'Name',
    value: 'Value',
    reference: (requestId: string) => `Reference: ${requestId}`,
  },
  done: {
    heading: 'You are all set',
    sentence: 'Your identity provider is connected, and a test has passed.',
    /** No test has passed: nobody knows yet whether sign-ins work. */
    untested: {
      heading: 'Saved, not tested yet',
      sentence:
        'The metadata of your identity provider is saved. Run a test to make sure that your users can sign in; it takes a minute.',
    },
    next: 'What happens next',
    steps: {
      told: 'The people who invited you can see that you are done, and the results of your tests.',
      waits: 'They need to activate the metadata that you uploaded last.',
      active: 'The connection is active: your users now sign in with your identity provider.',
      inactive: 'They activate the connection. From then on, your users can sign in.',
    },
    rollover:
      'When your identity provider gets a new signing certificate, come back through your invitation and upload the metadata again: the old and the new one work side by side.',
    look: 'Review everything again',
  },
  // Of all checks, so that no name is missing.
  checkTexts: Object.fromEntries(
    ssoCheckNames.map((name) => [name, { demands: ssoChecks[name].demands, remedy: ssoChecks[name].remedy }]),
  ) as CheckTexts,
}

export type SsoSetupTexts = typeof ssoSetup
