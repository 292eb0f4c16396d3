/** The answer to a raw request. */
export interface RawAnswer {
  readonly status: number
  readonly body: unknown
}

/** Sends requests that the SDK would not send: a string as a form, an object as JSON. */
export function rawSenderOf(baseUrl: string, token: string) {
  return async (method: string, path: string, body?: string | object): Promise<RawAnswer> => {
    const isForm = typeof body === 'string'
    const response = await fetch(baseUrl + path, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body !== undefined && {
          'content-type': isForm ? 'application/x-www-form-urlencoded' : 'application/json',
        }),
      },
      ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
    })
    return { status: response.status, body: await response.json() }
  }
}
