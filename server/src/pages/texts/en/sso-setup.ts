import { ssoCheckNames, ssoChecks, type Mender, type SsoCheck } from '@portico/contract/sso-checks'
import type { MetadataWarning } from '@portico/contract/sso-records'
import { metadataFaults, type MetadataFaultCode } from '../../../sso/saml/metadata.js'

export type UploadFault = MetadataFaultCode | 'missing' | 'empty' | 'over'

/** The checks of the contract, by their names. */
type CheckTexts = Readonly<Record<SsoCheck, { readonly demands: string; readonly remedy: string }>>

const uploadFaults: Readonly<Record<UploadFault, string>> = {
  ...metadataFaults,
  missing: 'Choose a file, or paste the XML.',
  empty: 'This file is empty. Export the metadata again, and look whether there is something in the file.',
  over: 'These metadata were replaced or stored already. Upload them again.',
  too_large: 'This is too large: metadata of one identity provider have at most 512,000 characters.',
}

/** The words of what comes after the tutorial: metadata, the test, and the end. */
export const ssoSetup = {
  upload: {
    heading: 'Upload the metadata of your identity provider',
    sentence:
      'They tell us where to send your people and which signatures to trust. Nothing is in use before you have looked at them.',
    where: 'Where to find them:',
    file: 'Metadata file',
    fileHint: (name: string) => `An XML file, mostly called ${name}.`,
    or: 'or',
    paste: 'Paste the XML',
    button: 'Read the metadata',
    stored: 'Uploaded so far',
    replace: 'Replace them',
    faults: uploadFaults,
  },
  review: {
    heading: 'Is this your identity provider?',
    sentence: 'This is what we read in the file. Compare it with your console.',
    entityId: 'Entity ID',
    host: 'Your people sign in at',
    certificate: (index: number) => `Signing certificate ${index}`,
    subject: 'Name',
    fingerprint: 'SHA-256 fingerprint',
    expires: 'Valid until',
    validUntil: 'The file says that it is valid until',
    confirm: 'Yes, use these metadata',
    other: 'Choose another file',
    inUse: 'In use',
    waits: 'Stored, and used for tests. The people who invited you have to put them into use.',
    willWait:
      'The connection has metadata in use already. These are stored beside them and used for your tests, until the people who invited you put them into use.',
    warnings: {
      metadata_expired: 'The file says that it is not valid any more. Export it again if you can.',
      certificate_expired:
        'A signing certificate has expired. It is taken all the same, but your identity provider may stop using it.',
      certificate_expires_soon:
        'A signing certificate expires within 30 days. Upload the metadata again as soon as there is a new one.',
      entity_id_shared:
        'Another connection has metadata with the same entity ID. That is right only if both are for the same identity provider.',
    } satisfies Record<MetadataWarning, string>,
  },
  test: {
    heading: 'Test the sign-in',
    sentence:
      'You are sent to your identity provider, sign in there, and come back here. You then see each thing that we have checked.',
    dryRun: 'It is a dry run: nobody gets an account, and nobody is signed in.',
    button: 'Begin the test',
    again: 'Test again',
    skip: 'Go on without a test',
    earlier: 'Tests so far',
    outcomes: { arrived: 'Not finished', success: 'Passed', failed: 'Failed' },
    toIdentityProvider: 'Continue to your identity provider',
    noMetadata: 'Upload the metadata first: without them nobody can be asked.',
  },
  testResult: {
    headings: {
      arrived: 'The test is not finished',
      success: 'The test has passed',
      failed: 'The test has failed',
    },
    success: 'Your identity provider and we understand each other.',
    failed: 'The answer of your identity provider was refused by this check:',
    arrived: 'The answer has arrived, and the browser has not come back with it. Begin the test again.',
    demanded: 'What must be true',
    expected: 'Expected',
    received: 'Received',
    whoMends: 'Who can mend it',
    menders: {
      identity_provider: 'You, in the console of your identity provider.',
      operator: 'The people who invited you; or you, where it is about metadata.',
      user: 'Whoever signs in.',
      nobody: 'Nobody: begin anew.',
    } satisfies Record<Mender, string>,
    how: 'How',
    checks: (count: number) => `All ${count} checks, in their order`,
    passed: 'Passed',
    refused: 'Failed',
    person: 'Who would sign in',
    nameId: 'NameID',
    email: 'E-mail address',
    givenName: 'Given name',
    familyName: 'Family name',
    nothing: 'Nothing',
    attributes: 'Attributes that arrived',
    noAttributes: 'No attribute arrived.',
    name: 'Name',
    value: 'Value',
    reference: (requestId: string) => `Reference: ${requestId}`,
  },
  done: {
    heading: 'That is all from you',
    sentence: 'Your identity provider is connected, and a test has passed. Thank you.',
    /** No test has passed: nobody knows yet whether sign-ins work. */
    untested: {
      heading: 'Stored, not tested yet',
      sentence:
        'The metadata of your identity provider are stored. Whether your people can sign in, only a test shows; it takes a minute.',
    },
    next: 'What happens next',
    steps: {
      told: 'The people who invited you see that you are done, and what your tests have shown.',
      waits: 'They have to put the metadata into use that you uploaded last.',
      active: 'The connection is switched on: your people sign in at your identity provider.',
      inactive: 'They switch the connection on; from then on your people can sign in.',
    },
    rollover:
      'When your identity provider gets another signing certificate, come back by your invitation and upload the metadata again: old and new work side by side.',
    look: 'Look at everything again',
  },
  // Of all checks, so that no name is missing.
  checkTexts: Object.fromEntries(
    ssoCheckNames.map((name) => [name, { demands: ssoChecks[name].demands, remedy: ssoChecks[name].remedy }]),
  ) as CheckTexts,
}

export type SsoSetupTexts = typeof ssoSetup
