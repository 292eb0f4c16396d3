import { guard, type Guard } from './guard.js'

const ofReplica = (title: string) => ({ file: 'server/src/platform/db/replica.test.ts', title })
const isRead = ofReplica('a read is on the replica once it is known how far behind that may be')
const ofPositions = (title: string) => ({ file: 'server/src/app/http/read-position.test.ts', title })
const newestCounts = ofPositions('of the positions that a caller sends the newest counts, in whatever order')
const ofPooled = (title: string) => ({
  file: 'server/src/platform/db/connect.test.ts',
  title: `behind a pooler in transaction mode ${title}`,
})
const setsNothing = ofPooled(
  'a connection sets nothing for its session, and statements wait as briefly for a lock as elsewhere',
)
const failsAlone = ofPooled('a statement that fails in its own transaction leaves a connection that works')

/** Guards of rows that are older than their reader may see, and of settings that would reach others through a pooler. */
export const replicaGuards: readonly Guard[] = [
  guard({
    name: 'replica: the changes of the caller',
    file: 'server/src/platform/db/replica.ts',
    find: `return row['has_own'] === true ? undefined : 'position'`,
    replace: 'return undefined',
    red: ofReplica(
      'a caller reads what it has changed, by the position that it was told, and so does its account in this process',
    ),
    green: isRead,
  }),
  guard({
    name: 'replica: the lag',
    file: 'server/src/platform/db/replica.ts',
    find: `if (row['has_old'] !== true) return isOldRecent ? 'unmeasured' : 'lag'`,
    replace: '',
    red: ofReplica('a replica that lacks what is older than the lag is not read, and rests for a second'),
    green: isRead,
  }),
  guard({
    name: 'replica: the age of what the lag is measured by',
    file: 'server/src/platform/db/positions.ts',
    find: 'samples = samples.filter((sample) => isRecent(sample, now))',
    replace: '',
    red: ofReplica('what was measured longer ago than the lag says nothing'),
    green: isRead,
  }),
  guard({
    name: 'replica: a server with a log of its own',
    file: 'server/src/platform/db/replica.ts',
    find: `if (row?.['is_replica'] !== true) return 'not_replica'`,
    replace: '',
    red: ofReplica('a server that takes writes is none'),
    green: isRead,
  }),
  guard({
    name: 'replica: another database',
    file: 'server/src/platform/db/replica.ts',
    find: `if (row['is_same'] !== true) return 'not_replica'`,
    replace: '',
    red: ofReplica('a replica of another server, or of another database, is none'),
    green: isRead,
  }),
  guard({
    name: 'replica: reads of what changes something',
    file: 'server/src/platform/db/positions.ts',
    find: `return request !== undefined && 'seen' in request ? request : undefined`,
    replace: 'return request',
    red: ofReplica('work outside of a request that reads is on the primary, and no fallback'),
    green: isRead,
  }),
  guard({
    name: 'replica: the rest of a request after the primary',
    file: 'server/src/platform/db/replica.ts',
    find: 'if (reads.onPrimaryFor !== undefined) return undefined',
    replace: '',
    also: [
      {
        file: 'server/src/platform/db/replica.ts',
        find: 'client !== undefined && reads.onPrimaryFor === undefined',
        replace: 'client !== undefined',
      },
    ],
    red: ofReplica('a request that was on the primary once stays there, and sees no older rows'),
    green: isRead,
  }),
  guard({
    name: 'replica: the account of a position',
    file: 'server/src/app/http/read-position.ts',
    find: 'scope: accountId',
    replace: `scope: ''`,
    red: ofPositions('the primary answers a caller with a position of another account'),
    green: newestCounts,
  }),
  guard({
    name: 'replica: what does not open',
    file: 'server/src/app/http/read-position.ts',
    find: 'if (error instanceof SealError) return furthest',
    replace: `if (error instanceof SealError) return ''`,
    red: ofPositions('the primary answers a caller with a position that was altered'),
    green: newestCounts,
  }),
  guard({
    name: 'replica: the number of positions',
    file: 'server/src/app/http/read-position.ts',
    find: 'if (positions.length > maxPositions) return furthest',
    replace: '',
    red: ofPositions('the primary answers a caller with more positions than changes run at once'),
    green: newestCounts,
  }),
  guard({
    name: 'pooler: settings of a session',
    file: 'server/src/platform/db/connect.ts',
    find: 'if (options.isPooled) return',
    replace: '',
    red: setsNothing,
    green: failsAlone,
  }),
  guard({
    name: 'pooler: the wait for a row',
    file: 'server/src/platform/db/prepared.ts',
    find: '[`set local lock_timeout = ${lockTimeout}`]',
    replace: '[]',
    red: setsNothing,
    green: failsAlone,
  }),
]
