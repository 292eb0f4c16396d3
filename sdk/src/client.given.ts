import { createClient, type ClientOptions } from './client.js'

/** The secret of every client made here, which must not appear in anything the client prints. */
export const secret = 'keysandbox_thisIsTheSecretOfTheTest'
export const token = 'header.thisIsTheToken.signature'

interface SeenRequest {
  readonly method: string
  readonly url: string
  readonly headers: Headers
  readonly body: string
}

/** The service's answer to one request. */
export type Reply = (request: SeenRequest) => Response | Promise<Response>

/** A client whose service gives a list of replies, one for each request except those for a token. */
export function given(replies: readonly Reply[], options: Partial<ClientOptions> = {}) {
  const seen: SeenRequest[] = []
  const pauses: number[] = []
  const time = { ms: Date.parse('2026-03-14T09:26:53.589Z') }
  const tokenRequests: SeenRequest[] = []
  const client = createClient({
    baseUrl: 'https://auth.example',
    domain: 'acme',
    clientId: '0190c8b0-0000-7000-8000-000000000000',
    clientSecret: secret,
    fetch: async (input, init) => {
      const request = new Request(input, init)
      const shown = {
        method: request.method,
        url: request.url,
        headers: request.headers,
        body: await request.text(),
      }
      if (request.url.endsWith('/api/v2/oauth/token')) {
        tokenRequests.push(shown)
        return json(200, { access_token: `${token}${tokenRequests.length}`, expires_in: 3600 })
      }
      seen.push(shown)
      const reply = replies[seen.length - 1]
      if (!reply) throw new Error('a request too many')
      return reply(shown)
    },
    ...options,
    clock: {
      now: () => time.ms,
      random: () => 0.5,
      sleep: (ms) => {
        pauses.push(ms)
        return Promise.resolve()
      },
    },
  })
  return { client, seen, pauses, tokenRequests, time }
}

/** An answer in JSON. */
export function json(status: number, body: object, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/json', ...headers },
  })
}

/** An error answer in the format of the API. */
export const refused =
  (status: number, code: string, headers: Record<string, string> = {}): Reply =>
  () =>
    json(
      status,
      { error: { code, message: 'No.', docs_url: 'https://docs.example', request_id: 'r1' } },
      headers,
    )

export const answered =
  (body: object = { id: 'u1' }, headers: Record<string, string> = {}): Reply =>
  () =>
    json(200, body, headers)

/** No answer at all. */
export const unreachable: Reply = () => Promise.reject(new TypeError('fetch failed'))

export const user = { org_domain: 'awesome-company', user_id: 'u1' }
