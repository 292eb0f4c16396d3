import { ConnectionError } from './api-error.js'

/** An HTTP answer whose body has been read. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

export interface ExchangeLimits {
  readonly fetch?: typeof globalThis.fetch | undefined
  /** Milliseconds until the end of the answer. */
  readonly timeoutMs: number
  /** Bytes of the answer. */
  readonly maxBytes: number
  readonly signal?: AbortSignal | undefined
}

/**
 * Sends one request and reads its answer, within limits of time and size. Redirects are returned and not followed, so that
 * credentials go to no other address.
 *
 * @throws ConnectionError, or the signal's reason.
 */
export async function exchange(url: string, init: RequestInit, limits: ExchangeLimits): Promise<Answer> {
  const { timeoutMs, maxBytes, signal } = limits
  signal?.throwIfAborted()
  const controller = new AbortController()
  const abort = () => controller.abort()
  const timer = setTimeout(abort, timeoutMs)
  signal?.addEventListener('abort', abort)
  // Looked up per request, so that a replacement of the global one (msw, tracing) takes effect.
  const send = limits.fetch ?? globalThis.fetch
  try {
    const response = await send(url, { ...init, redirect: 'manual', signal: controller.signal })
    return { status: response.status, headers: response.headers, text: await textOf(response, maxBytes) }
  } catch (cause) {
    signal?.throwIfAborted()
    if (cause instanceof ConnectionError) throw cause
    if (controller.signal.aborted)
      throw new ConnectionError('timeout', `no complete answer within ${timeoutMs} ms`, { cause })
    throw new ConnectionError('network', 'the service cannot be reached', { cause })
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
    // Frees the connection of an answer that was not read completely; otherwise a no-op.
    abort()
  }
}

/**
 * Reads a body to its end.
 *
 * @throws ConnectionError for more than maxBytes.
 */
export async function textOf({ body }: Pick<Response, 'body'>, maxBytes: number): Promise<string> {
  const reader = body?.getReader()
  const decoder = new TextDecoder()
  let text = ''
  let size = 0
  for (;;) {
    const part = await reader?.read()
    if (!part || part.done) return text + decoder.decode()
    size += part.value.byteLength
    if (size > maxBytes) throw new ConnectionError('too_large', `the answer has more than ${maxBytes} bytes`)
    text += decoder.decode(part.value, { stream: true })
  }
}

/** The JSON object in an answer; undefined when it is anything else. */
export function jsonOf({ headers, text }: Answer): Readonly<Record<string, unknown>> | undefined {
  if (!/^application\/([\w.-]+\+)?json\b/i.test(headers.get('content-type') ?? '')) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
