import { queryParametersOf, routes } from '@portico/contract/walk'
import { unnoticed } from './consequences.js'
import { documents, type Drift } from './drift.js'

/** Every list in pages, in the order of the contract. */
const lists = routes()
  .filter((route) => queryParametersOf(route)?.includes('per_page') === true)
  .map(({ name }) => name)

/** Edits of inputs. */
export const inputDrifts: readonly Drift[] = [
  {
    name: 'a member of a body that no operation stores',
    edits: [
      {
        file: 'contract/src/resources/user-input.ts',
        find: 'active: flag().optional(),',
        replace: `active: flag().optional(),
  job_title: text(100).nullish(),`,
      },
    ],
    compile: [
      'sdk/src/conformance.ts',
      'server/src/directory/users/change-user.ts',
      'server/src/directory/users/record.ts',
    ],
    stale: [...documents, 'sdk/src/generated.ts'],
    tests: [],
    gate: {
      ...unnoticed,
      additive: ['users.create body.job_title is new', 'users.update body.job_title is new'],
    },
  },
  {
    name: 'a lower limit of an input',
    edits: [
      {
        file: 'contract/src/resources/user-input.ts',
        find: 'z.array(phoneInput).max(10)',
        replace: 'z.array(phoneInput).max(5)',
      },
    ],
    compile: [],
    stale: [...documents],
    tests: [],
    gate: {
      ...unnoticed,
      breaking: [
        'users.create body.phone_numbers has maxItems 5, and had 10',
        'users.update body.phone_numbers has maxItems 5, and had 10',
      ],
    },
  },
  {
    name: 'a higher limit of an input',
    edits: [
      {
        file: 'contract/src/resources/user-input.ts',
        find: 'z.array(phoneInput).max(10)',
        replace: 'z.array(phoneInput).max(20)',
      },
    ],
    compile: [],
    stale: [...documents],
    tests: [],
    gate: {
      ...unnoticed,
      additive: [
        'users.create body.phone_numbers has maxItems 20, and had 10',
        'users.update body.phone_numbers has maxItems 20, and had 10',
      ],
    },
  },
  {
    name: 'a member that a body must have',
    edits: [
      {
        file: 'contract/src/resources/applications.ts',
        find: 'name: text(100, 1),',
        replace: `name: text(100, 1),
  domain: text(120),`,
      },
    ],
    compile: [
      'sdk/src/conformance.ts',
      'server/src/directory/applications/merge-changes.ts',
      'server/src/directory/applications/record.ts',
      'server/src/operations/staff/staff-organization.ts',
    ],
    stale: [...documents, 'sdk/src/generated.ts'],
    tests: [],
    gate: {
      ...unnoticed,
      breaking: ['applications.create body.domain is required and new'],
      additive: ['applications.update body.domain is new'],
      documentation: ['applications.create example is another'],
    },
  },
  {
    name: 'a value more of an enumeration',
    edits: [
      {
        file: 'contract/src/resources/metadata.ts',
        find: "'email', 'json',",
        replace: "'email', 'json', 'duration',",
      },
    ],
    compile: [
      'sdk/src/conformance.ts',
      'server/src/directory/token-customization/claims-types.ts',
      'server/src/directory/meta-keys/meta-value.ts',
      'server/src/directory/token-customization/sample.ts',
    ],
    stale: [...documents, 'sdk/src/generated.ts'],
    tests: [],
    gate: {
      ...unnoticed,
      additive: [
        'tokenCustomization.createMetaKey body.type may be "duration"',
        'MetaKey type may be "duration"',
      ],
    },
  },
  {
    name: 'a value less of an enumeration',
    edits: [{ file: 'contract/src/resources/metadata.ts', find: "'email', 'json',", replace: "'email'," }],
    compile: [
      'sdk/src/conformance.ts',
      'server/src/directory/token-customization/claims-types.ts',
      'server/src/directory/meta-keys/meta-value.ts',
      'server/src/directory/token-customization/sample.ts',
      'server/src/directory/users/mapped-values.ts',
    ],
    stale: [...documents, 'sdk/src/generated.ts'],
    tests: [],
    gate: {
      ...unnoticed,
      breaking: ['tokenCustomization.createMetaKey body.type is never "json" now'],
      additive: ['MetaKey type is never "json" now'],
    },
  },
  {
    name: 'another default of a page',
    edits: [
      {
        file: 'contract/src/core/fields.ts',
        find: 'per_page: clamped(1, 100, 25)',
        replace: 'per_page: clamped(1, 100, 50)',
      },
    ],
    compile: [],
    stale: [...documents],
    tests: [],
    gate: {
      ...unnoticed,
      breaking: lists.map((name) => `${name} query.per_page is 50 where it is left out, and was 25`),
    },
  },
]
