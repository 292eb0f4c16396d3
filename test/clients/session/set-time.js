// @ts-check
import process from 'node:process'

/**
 * Loaded before an example, by `--import`: the test that has started it sets its time, takes its service away, and counts its
 * exchanges of tokens.
 */
let offsetMs = Number(process.env['SET_TIME_OFFSET_MS'])
let fault = ''
let exchanges = 0

const { now } = Date
Date.now = () => now() + offsetMs

const send = globalThis.fetch
globalThis.fetch = async (
  /** @type {RequestInfo | URL} */ input,
  /** @type {RequestInit | undefined} */ init,
) => {
  if (fault === 'away') throw new TypeError('fetch failed')
  const answer = await send(input, init)
  const url = typeof input === 'object' && 'url' in input ? input.url : String(input)
  if (!url.endsWith('/oauth/token')) return answer
  exchanges += 1
  if (fault !== 'lost') return answer
  fault = ''
  throw new TypeError('fetch failed')
}

process.on('message', (/** @type {{ offsetMs: number, fault: string }} */ wanted) => {
  offsetMs = wanted.offsetMs
  fault = wanted.fault
  process.send?.({ exchanges })
})
