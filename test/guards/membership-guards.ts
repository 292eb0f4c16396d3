import { guard, protocolTest } from './guard.js'

const admit = 'server/src/directory/users/admit.ts'
const doors = (title: string) => protocolTest('admission-doors', title)

/** Guards of who becomes a member: seats, and invitations. */
export const membershipGuards = [
  guard({
    name: 'seats: every door counts them in the statement that inserts',
    file: admit,
    find: 'and ${taken} < policy.seats_limit)',
    replace: ')',
    red: doors('of many at once by doors of all kinds, as many come in as the policy has seats'),
    green: doors(
      'an address that is there needs no seat: a directory takes the user over, an import leaves them',
    ),
  }),
  guard({
    name: 'seats: nobody comes in beside their lock',
    file: admit,
    find: '(${user.isSeatLocked}::boolean and ',
    replace: '(',
    red: doors('of many at once by doors of all kinds, as many come in as the policy has seats'),
    green: doors(
      'an address that is there needs no seat: a directory takes the user over, an import leaves them',
    ),
  }),
]
