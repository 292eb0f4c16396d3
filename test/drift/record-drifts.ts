import { unnoticed } from './consequences.js'
import { client, documents, type Drift } from './drift.js'

const users = 'contract/src/resources/users.ts'

/** Edits of a record. */
export const recordDrifts: readonly Drift[] = [
  {
    name: 'a field without an example',
    edits: [
      {
        file: users,
        find: "avatar_hexa_color: z.string().describe('# and six hexadecimal digits, drawn at creation'),",
        replace: `job_title: z.string().nullable(),
    avatar_hexa_color: z.string(),`,
      },
    ],
    compile: [
      'contract/src/resources/users.ts',
      'sdk/src/conformance.ts',
      'server/src/directory/users/record.ts',
    ],
    stale: [...documents, 'sdk/src/generated.ts'],
    tests: [
      'the example of User fits the record, which keeps all of it and adds nothing',
      'the example of UserDeletion fits the record, which keeps all of it and adds nothing',
      'the example of UserList fits the record, which keeps all of it and adds nothing',
      'the event codes user.user.create.success has an event whose example fits it, and has no secret',
      'the event codes user.user.update.success has an event whose example fits it, and has no secret',
      'the event codes user.user.delete.success has an event whose example fits it, and has no secret',
      'the event codes user.metadata.set.success has an event whose example fits it, and has no secret',
      'the event codes user.metadata.remove.success has an event whose example fits it, and has no secret',
    ],
    gate: {
      ...unnoticed,
      additive: ['User job_title is new'],
      documentation: ['User avatar_hexa_color has another description'],
    },
  },
  {
    name: 'a field',
    edits: [
      {
        file: users,
        find: "avatar_hexa_color: z.string().describe('# and six hexadecimal digits, drawn at creation'),",
        replace: `job_title: z.string().nullable(),
    avatar_hexa_color: z.string(),`,
      },
      {
        file: users,
        find: "avatar_hexa_color: '#6d28d9',",
        replace: `job_title: null,
    avatar_hexa_color: '#6d28d9',`,
      },
    ],
    compile: ['sdk/src/conformance.ts', 'server/src/directory/users/record.ts'],
    stale: [...documents, ...client],
    tests: [],
    gate: {
      ...unnoticed,
      additive: ['User job_title is new'],
      documentation: [
        'Event has another example',
        'User has another example',
        'User avatar_hexa_color has another description',
        'UserDeletion has another example',
        'UserList has another example',
        'UserMetadataRemoveSuccessEvent has another example',
        'UserMetadataSetSuccessEvent has another example',
        'UserUserCreateSuccessEvent has another example',
        'UserUserDeleteSuccessEvent has another example',
        'UserUserUpdateSuccessEvent has another example',
      ],
    },
    // The console shows it, and has no French name for it.
    service: [{ file: 'server/src/console/resources.test.ts', title: 'in French every member has its name' }],
  },
  {
    name: 'another name of a field',
    edits: [
      { file: users, find: 'avatar_hexa_color: z.string()', replace: 'avatar_color: z.string()' },
      { file: users, find: "avatar_hexa_color: '#6d28d9'", replace: "avatar_color: '#6d28d9'" },
    ],
    compile: ['sdk/src/conformance.ts', 'server/src/directory/users/record.ts'],
    stale: [...documents, ...client],
    tests: [],
    gate: {
      ...unnoticed,
      breaking: ['User avatar_hexa_color is gone'],
      additive: ['User avatar_color is new'],
      documentation: [
        'Event has another example',
        'User has another example',
        'UserDeletion has another example',
        'UserList has another example',
        'UserMetadataRemoveSuccessEvent has another example',
        'UserMetadataSetSuccessEvent has another example',
        'UserUserCreateSuccessEvent has another example',
        'UserUserDeleteSuccessEvent has another example',
        'UserUserUpdateSuccessEvent has another example',
      ],
    },
  },
  {
    name: 'a field less',
    edits: [
      {
        file: 'contract/src/resources/applications.ts',
        find: 'default_logout_url: z.string().nullable(),',
        replace: '',
      },
    ],
    compile: [
      'contract/src/resources/applications.ts',
      'sdk/src/conformance.ts',
      'server/src/directory/applications/applications.ts',
      'server/src/directory/applications/redirects.ts',
    ],
    stale: [...documents, 'sdk/src/generated.ts'],
    tests: [
      'the example of Application fits the record, which keeps all of it and adds nothing',
      'the example of ApplicationApplicationCreateSuccessEvent fits the record, which keeps all of it and adds nothing',
      'the example of ApplicationApplicationDeleteSuccessEvent fits the record, which keeps all of it and adds nothing',
      'the example of ApplicationApplicationUpdateSuccessEvent fits the record, which keeps all of it and adds nothing',
      'the example of ApplicationDeletion fits the record, which keeps all of it and adds nothing',
      'the example of ApplicationList fits the record, which keeps all of it and adds nothing',
      'the event codes application.application.create.success has an event whose example fits it, and has no secret',
      'the event codes application.application.update.success has an event whose example fits it, and has no secret',
      'the event codes application.application.delete.success has an event whose example fits it, and has no secret',
    ],
    gate: { ...unnoticed, breaking: ['Application default_logout_url is gone'] },
    service: [
      {
        file: 'test/drift/released-sdk.test.ts',
        title: 'the released SDK applications.get answers what was released',
      },
    ],
  },
  {
    name: 'a field that may be null',
    edits: [
      {
        file: users,
        find: 'avatar_hexa_color: z.string()',
        replace: 'avatar_hexa_color: z.string().nullable()',
      },
    ],
    compile: ['sdk/src/conformance.ts'],
    stale: [...documents, 'sdk/src/generated.ts'],
    tests: [],
    gate: { ...unnoticed, breaking: ['User avatar_hexa_color may be null now'] },
  },
  {
    name: 'a secret that is not marked as one',
    edits: [
      {
        file: 'contract/src/resources/magic-link.ts',
        find: 'magic_link: secret(z.string().nullable())',
        replace: 'magic_link: z.string().nullable()',
      },
      // The canary looks for names, and this one has it, too.
      {
        file: 'contract/src/resources/discovery.ts',
        find: 'magic_link: secret(z.string().nullable())',
        replace: 'magic_link: z.string().nullable()',
      },
    ],
    compile: [],
    stale: [...documents, 'sdk/src/generated.ts'],
    tests: [
      'the example of MagicLinkChallengeConsumeSuccessEvent fits the record, which keeps all of it and adds nothing',
      'the example of MagicLinkChallengeCreateSuccessEvent fits the record, which keeps all of it and adds nothing',
      'the example of MagicLinkChallengeData fits the record, which keeps all of it and adds nothing',
      'the event codes magic_link.challenge.create.success has an event whose example fits it, and has no secret',
      'the event codes magic_link.challenge.consume.success has an event whose example fits it, and has no secret',
    ],
    gate: {
      ...unnoticed,
      breaking: [
        'DiscoveryChallenge magic_link is not marked secret any more',
        'MagicLinkChallenge magic_link is not marked secret any more',
      ],
      documentation: [
        'MagicLinkChallengeConsumeSuccessEvent has another example',
        'MagicLinkChallengeCreateSuccessEvent has another example',
        'MagicLinkChallengeData has another example',
      ],
    },
    service: [
      {
        file: 'test/api/canary.test.ts',
        title: 'every field that the contract marks secret has values here',
      },
    ],
  },
  {
    name: 'another type of a field',
    edits: [
      { file: users, find: 'avatar_hexa_color: z.string()', replace: 'avatar_hexa_color: z.int()' },
      { file: users, find: "avatar_hexa_color: '#6d28d9'", replace: 'avatar_hexa_color: 7_153_881' },
    ],
    compile: ['sdk/src/conformance.ts', 'server/src/directory/users/record.ts'],
    stale: [...documents, ...client],
    tests: [],
    gate: {
      ...unnoticed,
      breaking: ['User avatar_hexa_color is integer now, and was string'],
      documentation: [
        'Event has another example',
        'User has another example',
        'UserDeletion has another example',
        'UserList has another example',
        'UserMetadataRemoveSuccessEvent has another example',
        'UserMetadataSetSuccessEvent has another example',
        'UserUserCreateSuccessEvent has another example',
        'UserUserDeleteSuccessEvent has another example',
        'UserUserUpdateSuccessEvent has another example',
      ],
    },
  },
  {
    name: 'an example that does not fit',
    edits: [{ file: users, find: "avatar_hexa_color: '#6d28d9'", replace: 'avatar_hexa_color: 7' }],
    compile: ['contract/src/resources/users.ts'],
    stale: [...documents, 'sdk/src/generated-examples.ts'],
    tests: [
      'the example of User fits the record, which keeps all of it and adds nothing',
      'the example of UserDeletion fits the record, which keeps all of it and adds nothing',
      'the example of UserList fits the record, which keeps all of it and adds nothing',
      'the event codes user.user.create.success has an event whose example fits it, and has no secret',
      'the event codes user.user.update.success has an event whose example fits it, and has no secret',
      'the event codes user.user.delete.success has an event whose example fits it, and has no secret',
      'the event codes user.metadata.set.success has an event whose example fits it, and has no secret',
      'the event codes user.metadata.remove.success has an event whose example fits it, and has no secret',
    ],
    gate: {
      ...unnoticed,
      documentation: [
        'Event has another example',
        'User has another example',
        'UserDeletion has another example',
        'UserList has another example',
        'UserMetadataRemoveSuccessEvent has another example',
        'UserMetadataSetSuccessEvent has another example',
        'UserUserCreateSuccessEvent has another example',
        'UserUserDeleteSuccessEvent has another example',
        'UserUserUpdateSuccessEvent has another example',
      ],
    },
  },
  {
    name: 'another description',
    edits: [
      {
        file: users,
        find: '# and six hexadecimal digits, drawn at creation',
        replace: '# and six hexadecimal digits',
      },
    ],
    compile: [],
    stale: [...documents, 'sdk/src/generated.ts'],
    tests: [],
    gate: { ...unnoticed, documentation: ['User avatar_hexa_color has another description'] },
  },
  {
    name: 'a field that will go',
    edits: [
      {
        file: users,
        find: "import { z } from 'zod/v4'",
        replace: "import { z } from 'zod/v4'\nimport { deprecated } from '../core/deprecation.js'",
      },
      {
        file: users,
        find: "avatar_hexa_color: z.string().describe('# and six hexadecimal digits, drawn at creation'),",
        replace: `avatar_hexa_color: deprecated(z.string().describe('# and six hexadecimal digits, drawn at creation'), {
      since: '2027-01-01',
      sunset: '2028-01-01',
      instead: 'profile.picture',
    }),`,
      },
    ],
    compile: [],
    stale: [...documents, 'sdk/src/generated.ts'],
    tests: [],
    gate: {
      ...unnoticed,
      additive: ['User avatar_hexa_color is deprecated'],
      documentation: ['User avatar_hexa_color has another description'],
    },
  },
]
