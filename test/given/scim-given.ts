import type { Client } from '@portico/sdk'
import { givenOf } from './given.js'

/** Options of a provider's request. */
export interface ScimRequestInit {
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** A parsed SCIM answer. */
export interface ScimResponse {
  readonly status: number
  readonly headers: Headers
  /** Undefined without a body. */
  readonly body: unknown
}

/** The provider of a directory, which sends SCIM requests. */
export function scimProvider(baseUrl: string, secret: string, fetch = globalThis.fetch) {
  return async (
    method: string,
    path: string,
    { body, headers }: ScimRequestInit = {},
  ): Promise<ScimResponse> => {
    const answer = await fetch(`${baseUrl}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${secret}`,
        ...(body !== undefined && { 'content-type': 'application/scim+json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await answer.text()
    const read: unknown = text === '' ? undefined : JSON.parse(text)
    return { status: answer.status, headers: answer.headers, body: read }
  }
}
export type ScimProvider = ReturnType<typeof scimProvider>

type NewDirectory = Partial<Parameters<Client['directorySync']['create']>[0]>

/** Directories and their providers. */
export function scimGivenOf(client: Client) {
  const given = givenOf(client)

  return {
    /** A directory and its provider, by default of a new organization. */
    async directory(members: NewDirectory = {}) {
      const org_domain = members.org_domain ?? (await given.organization()).domain
      const directory = await client.directorySync.create({
        provider_type: 'custom_scim',
        ...members,
        org_domain,
      })
      const secret = directory.auth_secret_token.value ?? ''
      return { org_domain, directory, secret, scim: scimProvider(directory.scim_base_url, secret) }
    },
  }
}
export type ScimGiven = ReturnType<typeof scimGivenOf>
