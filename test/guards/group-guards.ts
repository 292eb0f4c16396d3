import { guard, type Guard, without } from './guard.js'
import type { NamedTest } from './vitest-run.js'

const groups = 'server/src/protocols/scim/groups.ts'
const members = 'server/src/protocols/scim/group-members.ts'
const changes = 'server/src/protocols/scim/group-change.ts'
const admission = 'server/src/sso/sign-in/admission.ts'
const test = (file: string, title: string): NamedTest => ({ file, title })
const inGroups = (title: string) => test('test/protocols/scim/groups.test.ts', title)
const inClaims = (title: string) => test('test/protocols/scim/group-claims.test.ts', title)
const inBounds = (title: string) => test('test/protocols/scim/group-bounds.test.ts', title)
const isBounded = inBounds(
  'a directory has as many groups as it may, and the next is refused until one is gone',
)
const isFull = inBounds('a user is in as many groups as their record may have, and in no other')
const isMade = inGroups('a group is made with its members, and answered with its address and version')

/** What keeps users out of groups, and groups of one directory from another. */
export const groupGuards: readonly Guard[] = [
  guard({
    name: 'groups: nobody becomes a member whom the directory has not made',
    file: members,
    find: 'if (written.unknown.length > 0) throw await whyUnknown(trx, caller, written.unknown)',
    replace: '',
    red: inGroups('members are users of the directory alone: 403 for others of the organization'),
    green: isMade,
  }),
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
    name: 'groups: a stale version writes and deletes nothing',
    file: groups,
    find: '.where(isOfVersion(versions))',
    replace: '',
    red: inGroups('versions that are stale write and delete nothing'),
    green: isMade,
  }),
  guard({
    name: 'groups: of writers who name one version one writes, because the row is held',
    file: groups,
    find: '.forUpdate()',
    replace: '',
    red: test(
      'test/protocols/scim/turns.test.ts',
      '412: whoever names the version of a group that another is changing',
    ),
    green: isMade,
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
    name: 'groups: a member is not changed into somebody else',
    file: changes,
    find: "if (sub !== undefined || (filter !== undefined && step.op !== 'remove'))",
    replace: 'if (false)',
    red: inGroups('members cannot be changed into somebody else'),
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
  guard({
    name: 'groups: a token tells all groups of a user or none',
    file: 'server/src/tokens/claims.ts',
    find: 'groups.length <= maxGroups && ',
    replace: '',
    red: test(
      'server/src/tokens/claims.test.ts',
      'the groups of the access token are absent where there are more than a hundred',
    ),
    green: test('server/src/tokens/claims.test.ts', 'the groups of the access token are absent without any'),
  }),
  guard({
    name: 'groups: SSO for provisioned users admits those of an active directory',
    file: admission,
    find: "    .where('directories.active', '=', true)\n",
    replace: '',
    red: inClaims(
      'an SSO connection for users whom a directory has made lets in these, as long as the directory is active, and nobody else',
    ),
    green: inClaims('groups of a user are gone from the next tokens when the user leaves them'),
  }),
]
