import { createClient } from '@portico/sdk'
import { redirectUri, type Connection, type Journey, type Tell } from './journey.js'

/** Signs a new user in by SSO, at the identity provider that the sandbox has for tests. */
export async function signInBySso(connection: Connection, journey: Journey, tell: Tell): Promise<void> {
  const client = createClient(connection)
  const org_domain = journey.organization
  const { id: organization_id } = await client.organizations.get({ org_domain })
  if (organization_id === undefined) throw new Error('the organization has no id')
  const { idp_id, state } = await client.ssoConnections.create({ organization_id, provider_type: 'test' })
  tell('SSO connection', `of the built-in test identity provider: ${state}`)

  const { authorization_url } = await client.ssoConnections.createSamlChallenge({
    org_domain,
    idp_id,
    application_id: journey.clientId,
    redirect_uri: redirectUri,
  })
  const email = 'grace.sso@people.example'
  const arrived = await goThrough(authorization_url, email)
  if (!arrived.startsWith(`${redirectUri}?`)) throw new Error(`the sign-in by SSO led to ${arrived}`)
  const user = await client.users.getByEmail({ org_domain, user_email: email })
  const { data } = await client.ssoConnections.listLoginTraces({ idp_id })
  tell(
    'SSO',
    `${user.email} came from ${user.identities[0]?.provider}: ${data[0]?.checks.length} checks passed`,
  )
}

/** What a browser does: follows, keeps cookies, and sends the form of each page; the answer leads out of the service. */
async function goThrough(start: string, email: string): Promise<string> {
  const { origin } = new URL(start)
  const cookies = new Map<string, string>()
  let url = start
  let form: URLSearchParams | undefined
  // More steps than it takes.
  for (let step = 0; step < 12; step++) {
    if (!url.startsWith(`${origin}/`)) return url
    const answer = await fetch(url, {
      redirect: 'manual',
      headers: { origin, cookie: [...cookies].map((pair) => pair.join('=')).join('; ') },
      ...(form !== undefined && { method: 'POST', body: form }),
    })
    for (const line of answer.headers.getSetCookie()) {
      const [name = '', value = ''] = (line.split(';')[0] ?? '').split('=')
      cookies.set(name, value)
    }
    const html = await answer.text()
    const next = answer.headers.get('location') ?? /content="0; url=([^"]+)"/.exec(html)?.[1]
    form = next === undefined ? formIn(html, email) : undefined
    const target = next ?? /<form method="post" action="([^"]+)"/.exec(html)?.[1]
    if (target === undefined) throw new Error(`${url} answers ${answer.status} and leads nowhere`)
    url = new URL(target.replaceAll('&amp;', '&'), url).href
  }
  return url
}

function formIn(html: string, email: string): URLSearchParams {
  const hidden = [...html.matchAll(/type="hidden" name="([^"]+)" value="([^"]*)"/g)]
  return new URLSearchParams([...hidden.map(([, name = '', value = '']) => [name, value]), ['email', email]])
}
