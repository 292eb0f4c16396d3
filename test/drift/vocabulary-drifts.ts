import { eventSelectors } from '@portico/contract/event-catalog'
import { unnoticed } from './consequences.js'
import { client, documents, type Drift } from './drift.js'

const users = 'contract/src/resources/users.ts'
const codes = eventSelectors.length

/** Edits of codes, events and claims. */
export const vocabularyDrifts: readonly Drift[] = [
  {
    name: 'an error code that no operation answers',
    edits: [
      {
        file: 'contract/src/core/errors.ts',
        find: 'email_taken: {',
        replace: `phone_taken: {
    status: 409,
    message: 'Another user has this telephone number.',
    remedy: 'Choose another.',
  },
  email_taken: {`,
      },
    ],
    compile: [],
    stale: [...documents, 'docs/errors.md', ...client],
    tests: ['the error codes are all answered by some route, but for those answered outside routes'],
    gate: { ...unnoticed, additive: ['phone_taken is a new error code'] },
  },
  {
    name: 'an error code more of an operation, which it never answers',
    edits: [
      {
        file: users,
        find: "{ 200: z.union([User, DeletedUser]) }, ...inOrganization, 'user_not_found',",
        replace:
          "{ 200: z.union([User, DeletedUser]) }, ...inOrganization, 'user_not_found', 'user_inactive',",
      },
    ],
    compile: ['sdk/src/conformance.ts'],
    stale: [...documents, 'docs/errors.md', ...client],
    tests: [],
    gate: { ...unnoticed, additive: ['users.get error user_inactive is answered, too'] },
    service: [
      {
        file: 'test/api/declared-errors.test.ts',
        title: 'users.get answers user_inactive, as it declares',
      },
    ],
  },
  {
    name: 'an error code less of an operation, which it still answers',
    edits: [
      {
        file: users,
        find: "{ 201: User }, 'organization_not_found', 'email_taken',",
        replace: "{ 201: User }, 'organization_not_found',",
      },
    ],
    compile: ['sdk/src/conformance.ts'],
    stale: [...documents, 'docs/errors.md', ...client],
    tests: [],
    gate: { ...unnoticed, breaking: ['users.create error email_taken is answered no longer'] },
    service: [
      {
        file: 'test/api/users.test.ts',
        title:
          'e-mail addresses are unique in any case, per organization and environment, and kept as they were written',
      },
    ],
  },
  {
    name: 'a status less of an operation, which it still answers',
    edits: [
      {
        file: users,
        find: "reading({ 200: User }, ...inOrganization, 'user_not_found', 'invalid_parameters')",
        replace: "reading({ 200: User }, 'malformed_request', 'invalid_parameters')",
      },
    ],
    compile: ['sdk/src/conformance.ts'],
    stale: [...documents, 'docs/errors.md', ...client],
    tests: [],
    gate: {
      ...unnoticed,
      breaking: [
        'users.getByEmail error organization_not_found is answered no longer',
        'users.getByEmail error user_not_found is answered no longer',
      ],
    },
    service: [
      {
        file: 'test/api/every-route.test.ts',
        title:
          'users.getByEmail 404: what another tenant has is answered as what does not exist, and stays as it is',
      },
    ],
  },
  {
    name: 'an event less',
    edits: [{ file: users, find: "emits: ['user.user.create.success'],", replace: 'emits: [],' }],
    compile: [],
    stale: [...documents, 'docs/events.md'],
    tests: ['users.create emits events when it writes, and only then'],
    gate: { ...unnoticed, breaking: ['users.create emits user.user.create.success no longer'] },
    service: [
      {
        file: 'test/api/every-route.test.ts',
        title: 'users.create emits the events it declares with each success, and none otherwise',
      },
    ],
  },
  {
    name: 'an event code that nothing emits',
    edits: [
      {
        file: 'contract/src/events/event-catalog.ts',
        find: "'user.user.update.success': {",
        replace: `'user.user.block.success': { tells: 'A user was blocked.', data: User },
  'user.user.update.success': {`,
      },
    ],
    compile: ['sdk/src/conformance.ts'],
    stale: [...documents, 'docs/events.md', 'sdk/src/generated.ts', 'sdk/src/index.ts'],
    tests: ['the event codes are each emitted by some route, or said to come from elsewhere'],
    gate: {
      ...unnoticed,
      additive: [
        'events.list query.code may be "user.user.block.success"',
        `webhooks.create body.event_codes has maxItems ${codes + 1}, and had ${codes}`,
        'webhooks.create body.event_codes[] may be "user.user.block.success"',
        `webhooks.update body.event_codes has maxItems ${codes + 1}, and had ${codes}`,
        'webhooks.update body.event_codes[] may be "user.user.block.success"',
        'webhooks.listDeliveries query.event_code may be "user.user.block.success"',
        'Event may be UserUserBlockSuccessEvent now',
        'UserUserBlockSuccessEvent is a new record',
        'user.user.block.success is a new event code',
      ],
    },
  },
  {
    name: 'another status of an error code',
    edits: [
      {
        file: 'contract/src/core/errors.ts',
        find: 'email_taken: { status: 409,',
        replace: 'email_taken: { status: 422,',
      },
    ],
    compile: [],
    stale: [...documents, 'docs/errors.md', ...client],
    tests: [],
    gate: { ...unnoticed, breaking: ['email_taken is answered with 422, and was with 409'] },
    service: [
      {
        file: 'test/api/declared-errors.test.ts',
        title: 'users.create answers email_taken, as it declares',
      },
    ],
  },
  {
    name: 'another wording of an error code',
    edits: [
      {
        file: 'contract/src/core/errors.ts',
        find: 'Update that user, or choose another address.',
        replace: 'Choose another address.',
      },
    ],
    compile: [],
    stale: [...documents, 'docs/errors.md'],
    tests: [],
    gate: { ...unnoticed, documentation: ['email_taken remedy has other words'] },
  },
  {
    name: 'a claim that tokens always have, and nothing writes',
    edits: [
      {
        file: 'contract/src/protocols/token-claims.ts',
        find: 'email: personal(z.string()),',
        replace: 'email: personal(z.string()),\n  email_digest: z.string(),',
      },
      {
        file: 'contract/src/protocols/token-claims.ts',
        find: "email: 'ada@awesome.example',",
        replace: "email: 'ada@awesome.example',\n  email_digest: 'q1MKE-RZ',",
      },
    ],
    compile: ['sdk/src/conformance.ts', 'server/src/tokens/claims.ts'],
    stale: ['sdk/src/generated.ts'],
    tests: [],
    gate: {
      ...unnoticed,
      additive: ['AccessTokenClaims email_digest is new', 'IdTokenClaims email_digest is new'],
      documentation: ['AccessTokenClaims has another example', 'IdTokenClaims has another example'],
    },
    service: [
      {
        file: 'test/protocols/oauth-token.test.ts',
        title:
          'the exchange of a code 200: the access_token has the claims that the contract declares, and no other',
      },
      {
        file: 'test/protocols/oauth-token.test.ts',
        title:
          'the exchange of a code 200: the id_token has the claims that the contract declares, and no other',
      },
    ],
  },
]
