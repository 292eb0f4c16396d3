import { memberOf, readLines, send, type Answer, type Work } from './load-send.js'
import type { Load } from './load.js'

/** A person signs in: the caller makes a link, the link is opened, and its code is exchanged for tokens. */
export function journeys(load: Load): Work {
  const lines = readLines(load)
  let turn = Math.floor(Math.random() * lines.length)
  const once: Work['once'] = async (port, agent) => {
    // In turn, because two sign-ins of one user at a time void each other's links.
    turn += 1
    const [method = 'POST', path = '', token, body] = lines[turn % lines.length] ?? []
    const challenge = await send(port, agent, { method, path, token, body })
    const link = memberOf(challenge.body, 'magic_link')
    const { pathname, search } = new URL(link)
    const opened = await send(port, agent, {
      method: 'GET',
      path: pathname + search,
      accept: 'application/json',
    })
    const code = codeOf(opened)
    const { application } = load
    const exchange = { grant_type: 'authorization_code', client_id: application, code }
    const exchanged = await send(port, agent, {
      method: 'POST',
      path: '/oauth/token',
      body: JSON.stringify(exchange),
    })
    memberOf(exchanged.body, 'access_token')
  }
  return { once }
}

/** A browser with a live session is sent for a code, and its application exchanges it. */
export function authorizations(load: Load): Work {
  const lines = readLines(load)
  let turn = Math.floor(Math.random() * lines.length)
  const once: Work['once'] = async (port, agent) => {
    turn += 1
    const [method = 'GET', path = '', , body = '', cookie] = lines[turn % lines.length] ?? []
    const code = codeOf(await send(port, agent, { method, path, cookie }))
    const exchanged = await send(port, agent, {
      method: 'POST',
      path: path.replace(/authorize.*/, 'oauth/token'),
      body: body.replace('{code}', code),
    })
    memberOf(exchanged.body, 'access_token')
  }
  return { once }
}

/** Each line begins a chain of refreshes: the token of an answer is the next one that is sent. */
export function refreshes(load: Load): Work {
  const lines = readLines(load)
  const chains = lines.map(([, path = '', , body = '']) => ({ path, body }))
  const once: Work['once'] = async (port, agent) => {
    const chain = chains.shift()
    if (chain === undefined) throw new Error('there are fewer chains than connections')
    const { path, body } = chain
    const answer = await send(port, agent, { method: 'POST', path, body })
    const token = memberOf(answer.body, 'refresh_token')
    const next = body.replace(/"refresh_token":"[^"]*"/, `"refresh_token":"${token}"`)
    chains.push({ path, body: next })
  }
  return { once }
}

function codeOf({ status, location, body }: Answer): string {
  const code = new URL(location ?? 'about:blank').searchParams.get('code')
  if (code === null) throw new Error(`the redirect has no code: ${status} ${location} ${body}`)
  return code
}
