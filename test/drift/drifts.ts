import { routeTests } from '../guards/guard.js'
import type { Edit } from '../guards/repository-copy.js'
import type { NamedTest } from '../guards/vitest-run.js'
import type { Consequences } from './consequences.js'
import { roundTrip } from './newcomer.js'

/** An edit of the contract, and exactly what goes red. */
export interface Drift extends Consequences {
  readonly name: string
  readonly edits: readonly Edit[]
  /** Tests of the service that go red as well. */
  readonly service?: readonly NamedTest[]
}

const users = 'contract/src/users.ts'

export const drifts: readonly Drift[] = [
  {
    name: 'a field without an example',
    edits: [
      {
        file: users,
        find: "avatar_hexa_color: z.string().describe('# and six hexadecimal digits, drawn at creation'),",
        replace: 'job_title: z.string().nullable(),\n    avatar_hexa_color: z.string(),',
      },
    ],
    compile: ['contract/src/users.ts', 'sdk/src/conformance.ts', 'server/src/users/record.ts'],
    stale: ['docs/openapi-3.0.json', 'docs/openapi.json', 'sdk/src/generated.ts'],
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
  },
  {
    name: 'a field',
    edits: [
      {
        file: users,
        find: "avatar_hexa_color: z.string().describe('# and six hexadecimal digits, drawn at creation'),",
        replace: 'job_title: z.string().nullable(),\n    avatar_hexa_color: z.string(),',
      },
      {
        file: users,
        find: "avatar_hexa_color: '#6d28d9',",
        replace: "job_title: null,\n    avatar_hexa_color: '#6d28d9',",
      },
    ],
    compile: ['sdk/src/conformance.ts', 'server/src/users/record.ts'],
    stale: [
      'docs/openapi-3.0.json',
      'docs/openapi.json',
      'sdk/src/generated-examples.ts',
      'sdk/src/generated.ts',
    ],
    tests: [],
  },
  {
    name: 'another name of a field',
    edits: [
      {
        file: users,
        find: 'avatar_hexa_color: z.string()',
        replace: 'avatar_color: z.string()',
      },
      { file: users, find: "avatar_hexa_color: '#6d28d9'", replace: "avatar_color: '#6d28d9'" },
    ],
    compile: ['sdk/src/conformance.ts', 'server/src/users/record.ts'],
    stale: [
      'docs/openapi-3.0.json',
      'docs/openapi.json',
      'sdk/src/generated-examples.ts',
      'sdk/src/generated.ts',
    ],
    tests: [],
  },
  {
    name: 'a field less',
    edits: [
      {
        file: 'contract/src/applications.ts',
        find: 'default_logout_url: z.string().nullable(),',
        replace: '',
      },
    ],
    compile: [
      'contract/src/applications.ts',
      'sdk/src/conformance.ts',
      'server/src/applications/applications.ts',
      'server/src/applications/record.ts',
      'server/src/applications/redirects.ts',
    ],
    stale: ['docs/openapi-3.0.json', 'docs/openapi.json', 'sdk/src/generated.ts'],
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
    stale: ['docs/openapi-3.0.json', 'docs/openapi.json', 'sdk/src/generated.ts'],
    tests: [],
  },
  {
    name: 'an error code that no operation answers',
    edits: [
      {
        file: 'contract/src/errors.ts',
        find: 'email_taken: {',
        replace:
          "phone_taken: {\n    status: 409,\n    message: 'Another user has this telephone number.',\n    remedy: 'Choose another.',\n  },\n  email_taken: {",
      },
    ],
    compile: [],
    stale: [
      'docs/errors.md',
      'docs/openapi-3.0.json',
      'docs/openapi.json',
      'sdk/src/generated-examples.ts',
      'sdk/src/generated.ts',
    ],
    tests: ['the error codes are all answered by some route, but for those answered outside routes'],
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
    stale: [
      'docs/errors.md',
      'docs/openapi-3.0.json',
      'docs/openapi.json',
      'sdk/src/generated-examples.ts',
      'sdk/src/generated.ts',
    ],
    tests: [],
    service: [routeTests('users.get').refuses('user_inactive')],
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
    stale: [
      'docs/errors.md',
      'docs/openapi-3.0.json',
      'docs/openapi.json',
      'sdk/src/generated-examples.ts',
      'sdk/src/generated.ts',
    ],
    tests: [],
    service: [
      {
        file: 'test/contract/users.test.ts',
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
    stale: [
      'docs/errors.md',
      'docs/openapi-3.0.json',
      'docs/openapi.json',
      'sdk/src/generated-examples.ts',
      'sdk/src/generated.ts',
    ],
    tests: [],
    service: [routeTests('users.getByEmail').hidesForeign],
  },
  {
    name: 'a route more',
    edits: [
      {
        file: users,
        find: 'export const users = c.router({',
        replace: `export const users = c.router({
  touch: {
    method: 'PUT',
    path: '/api/v2/org/:org_domain/users/:user_id/touch',
    summary: 'Touch a user',
    pathParams: UserPath,
    body: z.strictObject({}),
    responses: changing({ 200: User }, 'organization_not_found', 'user_not_found'),
    metadata: access({ tag, scope: 'write:users', emits: ['user.user.update.success'] }),
  },`,
      },
    ],
    compile: ['sdk/src/conformance.ts', 'server/src/users/routes.ts'],
    stale: [
      'docs/errors.md',
      'docs/events.md',
      'docs/openapi-3.0.json',
      'docs/openapi.json',
      'sdk/src/generated-examples.ts',
      'sdk/src/generated.ts',
    ],
    tests: [],
  },
  {
    name: 'another status of a success',
    edits: [{ file: users, find: '{ 201: User }', replace: '{ 200: User }' }],
    compile: ['server/src/users/routes.ts'],
    stale: ['docs/openapi-3.0.json', 'docs/openapi.json', 'sdk/src/generated-examples.ts'],
    tests: [],
    service: [roundTrip],
  },
  {
    name: 'another path',
    edits: [
      {
        file: users,
        find: '/api/v2/org/:org_domain/user-by-email/:user_email',
        replace: '/api/v2/org/:org_domain/users/by-email/:user_email',
      },
    ],
    compile: [],
    stale: ['docs/openapi-3.0.json', 'docs/openapi.json', 'sdk/src/generated.ts'],
    tests: [],
  },
  {
    name: 'another scope',
    edits: [
      {
        file: users,
        find: "scope: 'write:users', emits: ['user.user.create.success'],",
        replace: "scope: 'write:organizations', emits: ['user.user.create.success'],",
      },
    ],
    compile: [],
    stale: ['docs/openapi-3.0.json', 'docs/openapi.json', 'sdk/src/generated.ts'],
    tests: [],
  },
  {
    name: 'an event less',
    edits: [
      {
        file: users,
        find: "emits: ['user.user.create.success'],",
        replace: 'emits: [],',
      },
    ],
    compile: [],
    stale: ['docs/events.md', 'docs/openapi-3.0.json', 'docs/openapi.json'],
    tests: ['users.create emits events when it writes, and only then'],
    service: [
      {
        file: 'test/contract/every-route.test.ts',
        title: 'users.create emits the events it declares with each success, and none otherwise',
      },
    ],
  },
  {
    name: 'a secret that is not marked as one',
    edits: [
      {
        file: 'contract/src/magic-link.ts',
        find: 'magic_link: secret(z.string().nullable())',
        replace: 'magic_link: z.string().nullable()',
      },
    ],
    compile: [],
    stale: ['docs/openapi-3.0.json', 'docs/openapi.json', 'sdk/src/generated.ts'],
    tests: [
      'the example of MagicLinkChallengeConsumeSuccessEvent fits the record, which keeps all of it and adds nothing',
      'the example of MagicLinkChallengeCreateSuccessEvent fits the record, which keeps all of it and adds nothing',
      'the example of MagicLinkChallengeData fits the record, which keeps all of it and adds nothing',
      'the event codes magic_link.challenge.create.success has an event whose example fits it, and has no secret',
      'the event codes magic_link.challenge.consume.success has an event whose example fits it, and has no secret',
    ],
    service: [
      {
        file: 'test/contract/canary.test.ts',
        title: 'every field that the contract marks secret has values here',
      },
    ],
  },
  {
    name: 'a member of a body that no operation stores',
    edits: [
      {
        file: 'contract/src/user-input.ts',
        find: 'active: flag().optional(),',
        replace: 'active: flag().optional(),\n  job_title: text(100).nullish(),',
      },
    ],
    compile: ['sdk/src/conformance.ts', 'server/src/users/change-user.ts', 'server/src/users/record.ts'],
    stale: ['docs/openapi-3.0.json', 'docs/openapi.json', 'sdk/src/generated.ts'],
    tests: [],
  },
]
