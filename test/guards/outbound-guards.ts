import { guard, unitTest } from './guard.js'

const address = 'server/src/platform/outbound/address.ts'
const target = 'server/src/platform/outbound/target.ts'
const post = 'server/src/platform/outbound/post.ts'

const isTarget = unitTest(target, 'https://example.com is a target')
const isNone = (url: string) => unitTest(target, `${JSON.stringify(url)} is none`)
const isNoTarget = (kind: string, host: string) =>
  unitTest(target, `an address of another kind than public is no target: ${kind}, ${host}`)
const inside = (title: string) => unitTest(post, `a receiver inside the network is not ${title}`)
const answer = (title: string) => unitTest(post, `an answer ${title}`)
const isPosted = unitTest(
  post,
  'a receiver that the operator has opened gets the request, and its answer comes back',
)

/** Where the service connects to for its tenants. */
export const outboundGuards = [
  guard({
    name: 'outbound: public addresses only',
    file: address,
    find: "if (parsed.range() !== 'unicast') return false",
    replace: '',
    red: isNoTarget('link-local, where clouds have their metadata', '169.254.169.254'),
    green: isTarget,
  }),
  guard({
    name: 'outbound: global unicast of IPv6 only',
    file: address,
    find: "parsed.kind() === 'ipv4' || parsed.match(globalUnicast)",
    replace: 'true',
    red: isNoTarget('compatible', '[::1.1.1.1]'),
    green: isTarget,
  }),
  guard({
    name: 'outbound: a literal, which nobody looks up',
    file: post,
    find: "if (!isTargetAllowed(request.url, rules)) return { outcome: 'not_allowed' }",
    replace: '',
    red: inside('reached as 127.0.0.1'),
    green: isPosted,
  }),
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
    name: 'outbound: names of a network',
    file: target,
    find: "if (isInternalName(host)) return allowed.length > 0 ? 'by_lookup' : 'refused'",
    replace: '',
    red: unitTest(target, 'https://vault.internal/ names something inside a network'),
    green: isTarget,
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
    name: 'outbound: ports of other protocols',
    file: target,
    find: "if (port !== '' && Number(port) <= 1023) return false",
    replace: '',
    red: isNone('https://example.com:22/'),
    green: isTarget,
  }),
  guard({
    name: 'outbound: user name and password',
    file: target,
    find: "if (username !== '' || password !== '') return false",
    replace: '',
    red: isNone('https://user@example.com/'),
    green: isTarget,
  }),
  guard({
    name: 'outbound: http, of a literal',
    file: target,
    find: 'rules.isHttpAllowed && isMaybeOpened(reach, rules)',
    replace: 'isMaybeOpened(reach, rules)',
    red: unitTest(
      target,
      'a network that the operator has opened is a target, over http outside production alone',
    ),
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
    name: 'outbound: the networks of the operator are matched',
    file: address,
    find: 'address.kind() === network[0].kind() && address.match(network)',
    replace: 'address.kind() === network[0].kind()',
    red: unitTest(target, 'opening a network opens no other, and none of the addresses that embed it'),
    green: isTarget,
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
  guard({
    name: 'outbound: time of an answer',
    file: post,
    find: 'for (const listener of listeners) listener()',
    replace: 'void listeners',
    red: answer('is not waited for while it trickles'),
    green: isPosted,
  }),
]
