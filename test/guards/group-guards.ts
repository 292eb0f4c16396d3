import { guard, type Guard, without } from './guard.js'
import type { NamedTest } from './vitest-run.js'
const changes = 'server/src/protocols/scim/group-change.ts'
const test = (file: string, title: string): NamedTest => ({ file, title })
const inGroups = (title: string) => test('test/protocols/scim/groups.test.ts', title)
const inBounds = (title: string) => test('test/protocols/scim/group-bounds.test.ts', title)
const isBounded = inBounds(
  'a directory has as many groups as it may, and the next is refused until one is gone',
)
const isFull = inBounds('a user is in as many groups as their record may have, and in no other')
const isMade = inGroups('a group is made with its members, and answered with its address and version')

/** What keeps users out of groups, and groups of one directory from another. */
export const groupGuards: readonly Guard[] = [
  guard({
    name: 'groups: as many as a directory may have',
    file: 'server/src/protocols/scim/group-bounds.ts',
    find: 'if (row?.has_groups === true)',
    replace: 'if (row?.has_groups === undefined)',
    red: isBounded,
    green: isFull,
  }),
  guard({
    name: 'groups: as many as a user may be in',
    file: 'server/src/protocols/scim/group-bounds.ts',
    find: 'if (full === undefined) return',
    replace: 'if (full !== null) return',
    red: isFull,
    green: isBounded,
  }),
  guard({
    name: 'groups: a directory sees no group of another',
    file: 'server/src/protocols/scim/group-list.ts',
    ...without('organization_id', "ofOwner(keyOf(caller), 'directory_groups')"),
    also: [
      {
        file: 'server/src/protocols/scim/group-list.ts',
        find: ".where('directory_groups.directory_id', '=', caller.directoryId)",
        replace: '',
      },
    ],
    red: inGroups('a group of another directory is not found, and gets no members of it'),
    green: isMade,
  }),
  guard({
    name: 'groups: a removal by value removes these alone',
    file: changes,
    find: "return step.values === undefined\n    ? { kind: 'replace', ids: [] }\n    : { kind: 'remove', ids: idsIn(step.values) }",
    replace: "return { kind: 'replace', ids: [] }",
    red: inGroups('members that are removed by value, as Entra ID sends it, leave the others'),
    green: isMade,
  }),
]
