import { randomBytes } from 'node:crypto'
import { csrfOf } from '../given/visitor.js'
import { formType, readLines, send, type Work } from './load-send.js'
import { codeOf } from './load-sign-in.js'
import type { Load } from './load.js'

/** What a browser says of a form of the page before, which sends no referrer. */
const ofSamePage = { origin: 'null', 'sec-fetch-site': 'same-origin' }

/**
 * A browser opens the URL of an invitation, sends the form of its page, and is redirected until the application has a code; each
 * line is good once.
 */
export function acceptances(load: Load): Work {
  const lines = readLines(load)
  const once: Work['once'] = async (port, agent) => {
    const [, path = ''] = lines.pop() ?? []
    const headers = { 'x-forwarded-for': anyAddress(), 'accept-language': 'en' }
    const page = await send(port, agent, { method: 'GET', path, accept: 'text/html', headers })
    const { cookie } = page
    // Most devices can make passkeys, and their browsers say so.
    const fields = new URLSearchParams({ csrf: csrfOf(page.body), passkeys: 'can', action: 'begin' })
    const accepted = await send(port, agent, {
      ...{ method: 'POST', path, cookie, body: fields.toString(), type: formType },
      headers: { ...headers, ...ofSamePage },
    })
    const { status, location, body } = accepted
    if (location === undefined) throw new Error(`the invitation is refused: ${status} ${body}`)
    const { pathname } = new URL(location, 'http://nowhere.example')
    codeOf(await send(port, agent, { method: 'GET', path: pathname, accept: 'text/html', cookie, headers }))
  }
  return { once, isUsedUp: () => lines.length === 0 }
}

/** Of a network that begins no other sign-in. */
function anyAddress(): string {
  return ['10', ...randomBytes(3)].join('.')
}
