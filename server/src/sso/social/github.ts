import type { Deps } from '../../delivery/deps.js'
import type { AnsweredClaims } from '../oidc/claims.js'
import { ExchangeFault, readWithCode, type OidcClient } from '../oidc/openid-client.js'

const api = 'https://api.github.com'

/**
 * Exchanges a code of GitHub, and reads whom it names (GitHub Docs, Get the authenticated user). A user is their number: their name may be
 * another one tomorrow, and then somebody else's.
 *
 * @returns Claims like those of an ID token; or what was wrong, for the log of the account.
 * @throws ExchangeFault when the code is not accepted.
 */
export async function exchangeAtGithub(
  deps: Pick<Deps, 'outbound' | 'now'>,
  client: OidcClient,
  answer: Omit<Parameters<typeof readWithCode>[2], 'nonce'>,
): Promise<AnsweredClaims | string> {
  try {
    return await readWithCode(deps, client, answer, async (get) => {
      const user = await get(`${api}/user`)
      const { id, ...named } = membersOf(user.body)
      if (user.status !== 200 || !Number.isSafeInteger(id)) throw new Error(`/user: ${user.status}`)
      const email = primaryOf(await get(`${api}/user/emails`))
      return {
        iss: client.provider.issuer,
        sub: String(id),
        name: named['name'],
        preferred_username: named['login'],
        ...(email !== undefined && { email, email_verified: true }),
      }
    })
  } catch (error) {
    if (error instanceof ExchangeFault && error.fault.check === 'oidc_id_token')
      return `oauth_user: ${error.fault.received}`
    throw error
  }
}

/** Statuses of an application that the user, or GitHub, does not let read addresses. */
const refusals = [401, 403, 404]

/** The primary address of a user, if they have verified it; undefined without one, and where addresses may not be read. */
function primaryOf({
  status,
  body,
}: {
  readonly status: number
  readonly body: unknown
}): string | undefined {
  if (refusals.includes(status)) return undefined
  if (status !== 200 || !Array.isArray(body)) throw new Error(`/user/emails: ${status}`)
  const primary = body.map(membersOf).find((one) => one['primary'] === true && one['verified'] === true)
  const email = primary?.['email']
  return typeof email === 'string' ? email : undefined
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}
