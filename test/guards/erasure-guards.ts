import { contractTest, guard } from './guard.js'

const heldAddresses = 'server/src/operations/purge/addresses-of-persons.ts'

const person = (title: string) => contractTest('person', title)
const exportsAll = person(
  'the export of a person has everything that is kept, without secrets, also of one who is deleted',
)
const sharedInTurn = person(
  'the export of a person has of an address that went from one to the other what each was sent while it was theirs',
)
const byLog =
  'union select resource_owner_id from theirs join log_events on ${inOrganization} and email_normalized = theirs.email where resource_owner_id is not null'

/** Guards that limit the erasure and the export to one person's data. */
export const erasureGuards = [
  guard({
    name: 'erasure: when an address became theirs',
    file: heldAddresses,
    find: "coalesce(lag(until) over (partition by email order by at, holder), '-infinity') as since",
    replace: "'-infinity'::timestamptz as since",
    red: person('the export of a person has nothing of the one who had the address before'),
    green: exportsAll,
  }),
  guard({
    name: 'erasure: until when an address was theirs',
    file: heldAddresses,
    find: 'tstzrange(since, until,',
    replace: "tstzrange(since, 'infinity',",
    red: contractTest(
      'erasure',
      'the purge of a user leaves what another user did who has the address by now, or has it elsewhere',
    ),
    green: contractTest('erasure', 'the purge of a user leaves no address that the user has had'),
  }),
  guard({
    name: 'erasure: an address until its change',
    file: heldAddresses,
    find: "coalesce(nullif(holder_seen_next, 'infinity'), at)",
    replace: 'at',
    red: sharedInTurn,
    green: exportsAll,
  }),
  guard({
    name: 'erasure: who had an address before, by events',
    file: heldAddresses,
    find: 'select subject_id from theirs join events on ${inOrganization} and email_normalized = theirs.email where subject_id is not null union',
    replace: '',
    also: [{ file: heldAddresses, find: byLog, replace: '' }],
    red: sharedInTurn,
    green: exportsAll,
  }),
  guard({
    name: 'erasure: who had an address before, by the log',
    file: heldAddresses,
    find: byLog,
    replace: '',
    red: person(
      'the export of a person has nothing of the one who had the address before, also when the log alone still tells who it was',
    ),
    green: exportsAll,
  }),
]
