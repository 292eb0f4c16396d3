import type { Service } from '../given/harness.js'
import { exchange, type codeGivenOf, type Scene } from './code-given.js'

/** The members of a token endpoint's answer that tests of refresh tokens read. */
export interface Answered {
  readonly status: number
  readonly body: Record<string, unknown>
  readonly refreshToken: string
  readonly accessToken: string
  readonly idToken: string
}

/** Refresh tokens and their prerequisites. */
export function refreshGivenOf(service: Service, codes: ReturnType<typeof codeGivenOf>) {
  async function ask(
    parameters: Record<string, string>,
    how?: Parameters<typeof exchange>[2],
  ): Promise<Answered> {
    const { status, body } = await exchange(service, parameters, how)
    const textOf = (name: string) => {
      const value: unknown = body[name]
      return typeof value === 'string' ? value : ''
    }
    return {
      status,
      body,
      refreshToken: textOf('refresh_token'),
      accessToken: textOf('access_token'),
      idToken: textOf('id_token'),
    }
  }

  return {
    /** Signs in with a link, in a scene of its own where none is given, and exchanges the code. */
    async tokens(of?: Scene, members: Parameters<typeof codes.code>[1] = {}) {
      const scene = of ?? (await codes.scene())
      const code = await codes.code(scene, { scope: 'openid offline_access', ...members })
      return { ...(await ask({ code })), scene }
    },

    refresh(
      { application }: Scene,
      refreshToken: string,
      parameters: Record<string, string> = {},
      how?: Parameters<typeof exchange>[2],
    ): Promise<Answered> {
      return ask(
        {
          grant_type: 'refresh_token',
          refresh_token: refreshToken,
          client_id: application.client_id,
          ...parameters,
        },
        how,
      )
    },

    /** The codes and reasons of the organization's log events, newest first. */
    async logged(org_domain: string): Promise<[code: string, reason: string | null][]> {
      const rows = await service.query<{ event_code: string; reason: string | null }>(
        'select event_code, reason from log_events where domain = $1 order by id desc',
        [org_domain],
      )
      return rows.map(({ event_code, reason }) => [event_code, reason])
    },
  }
}

/** The answer to every invalid refresh. */
export const refusedRefresh = {
  error: 'invalid_grant',
  error_description:
    'The refresh token is not one that can be exchanged. If it was issued, the log event TOKEN_REFRESH_FAILED has the reason.',
}
