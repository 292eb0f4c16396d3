import { guard, unitTest } from './guard.js'
const target = 'server/src/platform/outbound/target.ts'
const post = 'server/src/platform/outbound/post.ts'

const isTarget = unitTest(target, 'https://example.com is a target')
const inside = (title: string) => unitTest(post, `a receiver inside the network is not ${title}`)
const answer = (title: string) => unitTest(post, `an answer ${title}`)
const isPosted = unitTest(
  post,
  'a receiver that the operator has opened gets the request, and its answer comes back',
)

/** Where the service connects to for its tenants. */
export const outboundGuards = [
  guard({
    name: 'outbound: the addresses of a name',
    file: post,
    find: 'addresses.every(({ address }) => isAddressAllowed(address, protocol, rules))',
    replace: 'true',
    red: inside('reached by a name server that changes its mind between the check and the connection'),
    green: isPosted,
  }),
  guard({
    name: 'outbound: every address of a name',
    file: post,
    find: 'addresses.every(',
    replace: 'addresses.some(',
    red: inside('reached by a name that leads to it and to a public address'),
    green: inside('reached by a name that leads to it'),
  }),
  guard({
    name: 'outbound: localhost',
    file: target,
    find: "return isLoopbackOpened ? 'opened' : 'refused'",
    replace: "return 'opened'",
    red: unitTest(target, 'localhost is a target where loopback is open, not where some other network is'),
    green: isTarget,
  }),
  guard({
    name: 'outbound: http, of a public address',
    file: target,
    find: 'rules.isHttpAllowed && isMaybeOpened(reach, rules)',
    replace: "rules.isHttpAllowed && reach !== 'refused'",
    red: unitTest(target, 'a public address is never a target over http'),
    green: isTarget,
  }),
  guard({
    name: 'outbound: http, of a name',
    file: target,
    find: "if (protocol === 'http:' && !isHttpAllowed) return false",
    replace: '',
    also: [{ file: target, find: 'rules.isHttpAllowed && isMaybeOpened', replace: 'isMaybeOpened' }],
    red: inside('spoken to in the clear where http is not allowed'),
    green: isPosted,
  }),
  guard({
    name: 'outbound: certificates',
    file: post,
    find: 'new https.Agent({ ...settings, ',
    replace: 'new https.Agent({ ...settings, rejectUnauthorized: false, ',
    red: answer('is none when the certificate is not one of an authority'),
    green: isPosted,
  }),
  guard({
    name: 'outbound: length of an answer',
    file: post,
    find: 'if (length <= maxBytes) return',
    replace: 'if (length <= Infinity) return',
    red: answer('is cut where it is too long, without waiting for its end'),
    green: isPosted,
  }),
]
