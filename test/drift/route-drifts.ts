import { unnoticed } from './consequences.js'
import { client, documents, type Drift } from './drift.js'

const users = 'contract/src/resources/users.ts'

/** Edits of a route. */
export const routeDrifts: readonly Drift[] = [
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
    compile: ['sdk/src/conformance.ts', 'server/src/directory/users/routes.ts'],
    stale: [...documents, 'docs/errors.md', 'docs/events.md', ...client],
    tests: [],
    gate: { ...unnoticed, additive: ['users.touch is new'] },
    service: [
      {
        file: 'server/src/console/resources.test.ts',
        title: 'every operation with a scope has a screen, or a reason why not',
      },
    ],
  },
  {
    name: 'another status of a success',
    edits: [{ file: users, find: '{ 201: User }', replace: '{ 200: User }' }],
    compile: ['server/src/directory/users/routes.ts'],
    stale: [...documents, 'sdk/src/generated-examples.ts'],
    tests: [],
    gate: { ...unnoticed, breaking: ['users.create status is 200, and was 201'] },
    service: [
      {
        file: 'test/api/users.test.ts',
        title: 'round trip writing what the example shows and reading it back gives the example’s values',
      },
    ],
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
    stale: [...documents, 'sdk/src/generated.ts'],
    tests: [],
    gate: {
      ...unnoticed,
      breaking: [
        'users.getByEmail path is /api/v2/org/:org_domain/users/by-email/:user_email, and was /api/v2/org/:org_domain/user-by-email/:user_email',
      ],
    },
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
    stale: [...documents, 'sdk/src/generated.ts'],
    tests: [],
    gate: { ...unnoticed, breaking: ['users.create scope is write:organizations, and was write:users'] },
  },
  {
    name: 'another name of a method',
    edits: [{ file: users, find: 'getByEmail: {', replace: 'findByEmail: {' }],
    compile: ['sdk/src/conformance.ts', 'server/src/directory/users/routes.ts'],
    stale: [...documents, 'docs/errors.md', ...client],
    tests: [],
    gate: {
      ...unnoticed,
      breaking: ['users.getByEmail is called users.findByEmail now'],
      additive: ['users.findByEmail is new'],
    },
  },
  {
    name: 'a route less',
    edits: [
      {
        file: users,
        find: `getByEmail: {
      method: 'GET',
      path: '/api/v2/org/:org_domain/user-by-email/:user_email',
      summary: 'Get a user by e-mail address',
      pathParams: OrganizationPath.extend({ user_email: pathEmail() }),
      query: OneUserQuery,
      responses: reading({ 200: User }, ...inOrganization, 'user_not_found', 'invalid_parameters'),
      metadata: access({ tag, scope: 'read:users', versioned: 'answers' }),
    },`,
        replace: '',
      },
    ],
    compile: ['sdk/src/conformance.ts', 'server/src/directory/users/routes.ts'],
    stale: [...documents, 'docs/errors.md', ...client],
    tests: [],
    gate: { ...unnoticed, breaking: ['users.getByEmail is gone'] },
    service: [
      {
        file: 'test/drift/released-sdk.test.ts',
        title: 'the released SDK users.getByEmail answers what was released',
      },
    ],
  },
  {
    name: 'a route that will go',
    edits: [
      {
        file: users,
        find: `responses: reading({ 200: User }, ...inOrganization, 'user_not_found', 'invalid_parameters'),
      metadata: access({ tag, scope: 'read:users', versioned: 'answers' }),`,
        replace: `responses: reading({ 200: User }, ...inOrganization, 'user_not_found', 'invalid_parameters'),
      metadata: access({
        tag,
        scope: 'read:users',
        versioned: 'answers',
        deprecated: { since: '2027-01-01', sunset: '2028-01-01', instead: 'users.list' },
      }),`,
      },
    ],
    compile: [],
    stale: [...documents, 'sdk/src/generated.ts'],
    tests: [],
    gate: {
      ...unnoticed,
      additive: [
        'users.getByEmail is deprecated',
        'users.getByEmail header Deprecation is new',
        'users.getByEmail header Sunset is new',
        'users.getByEmail header Link is new',
      ],
    },
    holds: [
      {
        file: 'test/api/every-route.test.ts',
        title: 'users.getByEmail answers its declared success with exactly what the contract declares',
      },
    ],
  },
  {
    name: 'an organization’s route that is the account’s',
    edits: [
      {
        file: users,
        find: "metadata: access({ tag, scope: 'read:users' }),",
        replace: "metadata: access({ tag, scope: 'read:users', reach: 'account' }),",
      },
    ],
    compile: [],
    stale: [...documents],
    tests: [
      'users.list declares the parameters of its path, and no other',
      'users.list declares that it refuses keys limited to organizations when it acts on the whole account',
    ],
    gate: { ...unnoticed, breaking: ['users.list reach is account, and was organization'] },
    service: [
      {
        file: 'test/api/every-route.test.ts',
        title:
          'users.list serves a key that is limited to the organization, unless it acts on the whole account',
      },
    ],
  },
]
