import { guard, unitTest } from './guard.js'

const post = 'server/src/platform/outbound/post.ts'
const inside = (title: string) => unitTest(post, `a receiver inside the network is not ${title}`)
const answer = (title: string) =>
  unitTest('server/src/platform/outbound/post-answer.ts', `an answer ${title}`)
const isPosted = unitTest(
  post,
  'a receiver that the operator has opened gets the request, and its answer comes back',
)

/** Guards of outbound connections to tenants' addresses. */
export const outboundGuards = [
  guard({
    name: 'outbound: every address of a name',
    file: post,
    find: 'addresses.every(',
    replace: 'addresses.some(',
    red: inside('reached by a name that leads to it and to a public address'),
    green: inside('reached by a name that leads to it'),
  }),
  guard({
    name: 'outbound: certificates',
    file: post,
    find: 'new https.Agent({ ...settings, ',
    replace: 'new https.Agent({ ...settings, rejectUnauthorized: false, ',
    red: answer('is none when the certificate is not one of an authority'),
    green: isPosted,
  }),
]
