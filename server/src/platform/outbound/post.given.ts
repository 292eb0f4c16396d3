import type { LookupAddress } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { afterEach } from 'vitest'
import { openOutbound, type Outbound, type OutboundPost } from './post.js'
import type { OutboundRules } from './target.js'

export const strict: OutboundRules = { allowed: [], isHttpAllowed: true }
export const open: OutboundRules = { allowed: ['127.0.0.0/8', '::1'], isHttpAllowed: true }
/** ::1 stands for the world, and 127.0.0.1 for what is inside. */
export const worldOnly: OutboundRules = { allowed: ['::1'], isHttpAllowed: true }

const opened: Outbound[] = []

afterEach(() => {
  for (const outbound of opened.splice(0)) outbound.close()
})

export function outboundOf(rules: OutboundRules, lookup?: LookupFunction): Outbound {
  const outbound = openOutbound(rules, lookup && { lookup })
  opened.push(outbound)
  return outbound
}

export function post(outbound: Outbound, url: string, changes: Partial<OutboundPost> = {}) {
  return outbound.post({ url, headers: {}, body: '{}', timeoutMs: 5_000, maxAnswerBytes: 1_000, ...changes })
}

/** A name server that gives these answers in turn. */
export function answering(...answers: string[][]): LookupFunction & { calls(): number } {
  let calls = 0
  const lookup: LookupFunction = (_hostname, options, callback) => {
    const addresses = answers[calls % answers.length] ?? []
    calls += 1
    const found: LookupAddress[] = addresses.map((address) => ({ address, family: isIP(address) }))
    const [first] = found
    if (options.all === true || first === undefined) callback(null, found)
    else callback(null, first.address, first.family)
  }
  return Object.assign(lookup, { calls: () => calls })
}
