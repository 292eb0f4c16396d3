import { errorCodes } from '@portico/contract/errors'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { expect } from 'vitest'
import type { Service } from '../given/harness.js'

export const organizations = '/api/v2/organizations'

export interface Answer {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly text: string
}

/** Raw headers: an array is sent as one header per item. */
export type Headers = Record<string, string | number | string[] | undefined>

interface BareRequest {
  readonly method?: string
  readonly path?: string
  readonly headers?: Headers
  readonly body?: string | Buffer
  readonly of?: Service
}

export type Bare = ReturnType<typeof bareOf>

/**
 * Raw requests to a service, with a token by default, and assertions about their answers.
 *
 * @param users Path of the users that a post creates.
 */
export function bareOf(service: Service, token: string, users: string) {
  /** A request with unmodified path and headers, which client libraries would normalize. */
  function raw({
    method = 'GET',
    path = organizations,
    headers,
    body,
    of = service,
  }: BareRequest): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const request = httpRequest(
        {
          host: '127.0.0.1',
          port: of.port,
          method,
          path,
          headers: { authorization: `Bearer ${token}`, ...headers },
        },
        (response) => {
          let text = ''
          response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
          response.on('end', () =>
            resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
          )
        },
      )
      request.on('error', reject).end(body)
    })
  }

  function post(body: string | Buffer, type = 'application/json', headers: Headers = {}): Promise<Answer> {
    const length = { 'content-type': type, 'content-length': Buffer.byteLength(body) }
    return raw({ method: 'POST', path: users, body, headers: { ...length, ...headers } })
  }

  /** Expects the error body, the status of its code, and no internal details. */
  function expectError(answer: Answer, code: keyof typeof errorCodes): void {
    expect([answer.status, answer.text]).toEqual([
      errorCodes[code].status,
      expect.stringContaining(`"${code}"`),
    ])
    const { error } = JSON.parse(answer.text) as { error: Record<string, unknown> }
    expect(error).toMatchObject({
      code,
      message: expect.stringMatching(/\w/),
      docs_url: `${service.baseUrl}/docs/errors.html#${code}`,
      request_id: answer.headers['x-request-id'],
    })
    expectNothingInside(answer.text)
  }

  return { raw, post, expectError }
}

/** Expects that an answer reveals nothing about the implementation. */
export function expectNothingInside(text: string): void {
  expect(text).not.toMatch(/node_modules|node:|\bat \w+.* \(|\.[jt]s:\d|Error:/)
  expect(text).not.toMatch(/express|kysely|zod|ts-rest|body-parser|postgres|select .* from|constraint/i)
}
