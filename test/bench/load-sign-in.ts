import { formType, memberOf, readLines, send, type Answer, type Work } from './load-send.js'
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

/**
 * The page of an identity provider posts a response, without cookies, and the browser goes on with its own; each line is
 * good once.
 */
export function samlResponses(load: Load): Work {
  const lines = readLines(load)
  const once: Work['once'] = async (port, agent) => {
    const [method = 'POST', path = '', , body = '{}', cookie] = lines.pop() ?? []
    // A line of writeRequests(), its body a form's fields.
    const fields = new URLSearchParams(JSON.parse(body) as Record<string, string>)
    const hop = await send(port, agent, { method, path, body: fields.toString(), type: formType })
    const handle = /\/continue\?h=([\w-]+)/.exec(hop.body)?.[1]
    if (handle === undefined) throw new Error(`the response is refused: ${hop.status} ${hop.body}`)
    const next = path.replace(/acs$/, `continue?h=${handle}`)
    const { status, location, body: page } = await send(port, agent, { method: 'GET', path: next, cookie })
    if (!location?.includes('/sign-in/')) throw new Error(`no way to the flow: ${status} ${location} ${page}`)
  }
  return { once, isUsedUp: () => lines.length === 0 }
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

/** The code that an answer brings to the application. */
export function codeOf({ status, location, body }: Answer): string {
  const code = new URL(location ?? 'about:blank').searchParams.get('code')
  if (code === null) throw new Error(`the redirect has no code: ${status} ${location} ${body}`)
  return code
}
