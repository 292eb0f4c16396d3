import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Attributes,
  type Span as OpenSpan,
  type SpanContext,
} from '@opentelemetry/api'
import type { CallToWatch } from '../outbound/post.js'
import { nameOfStatement } from './statement-name.js'
import type { TraceExport } from './trace-export.js'
import { activeSpan, traceparentOf, within, type Span, type Traces } from './traces.js'

/** Makes spans by the semantic conventions of OpenTelemetry; what those do not name has the prefix portico. */
export function openSpans({ tracer, parseTraceParent, flush, close }: TraceExport): Traces {
  function begin(name: string, kind: SpanKind, attributes: Attributes, parent?: SpanContext): OpenSpan {
    const context = parent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent)
    return tracer.startSpan(name, { kind, attributes }, context)
  }

  return {
    startRequest(method, traceparent) {
      const caller = typeof traceparent === 'string' ? parseTraceParent(traceparent) : null
      const attributes = { 'http.request.method': method }
      const span = begin(
        method,
        SpanKind.SERVER,
        attributes,
        caller ? { ...caller, isRemote: true } : undefined,
      )
      return {
        ...placeOf(span),
        end({ status, route, operation, requestId, accountId, environment, apiKeyId }) {
          if (route !== undefined) span.updateName(`${method} ${route}`)
          span.setAttributes({
            'http.route': route,
            'http.response.status_code': status,
            'portico.operation': operation,
            'portico.request_id': requestId,
            'portico.account_id': accountId,
            'portico.environment': environment,
            'portico.api_key_id': apiKeyId,
          })
          if (status === undefined) span.setAttribute('error.type', 'client_gone')
          else if (status >= 500) fail(span, String(status))
          span.end()
        },
      }
    },

    onStatement(pool, text, answer) {
      const around = activeSpan()
      if (around?.isSampled !== true) return
      const { name, operation, table } = nameOfStatement(text)
      const attributes = {
        'db.system.name': 'postgresql',
        'db.operation.name': operation,
        'db.collection.name': table,
        'db.client.connection.pool.name': pool,
      }
      const span = begin(name, SpanKind.CLIENT, attributes, contextOf(around))
      const onFailure = (error: unknown) => {
        const code = error instanceof Error && 'code' in error ? String(error.code) : undefined
        if (code !== undefined) span.setAttribute('db.response.status_code', code)
        fail(span, code ?? nameOf(error))
        span.end()
      }
      void answer.then(() => span.end(), onFailure)
    },

    async watchCall(call, send) {
      const around = activeSpan()
      if (around === undefined) return send({})
      const span = begin(call.method, SpanKind.CLIENT, attributesOf(call), contextOf(around))
      const place = placeOf(span)
      // A receiver that heard of a trace that is not sampled would often leave its own spans out, too.
      const goesOn = call.isTraceContinued === true && place.isSampled
      try {
        const answer = await send(goesOn ? { traceparent: traceparentOf(place) } : {})
        if (answer.outcome !== 'answered') fail(span, answer.outcome)
        else {
          span.setAttribute('http.response.status_code', answer.status)
          if (answer.status >= 400) fail(span, String(answer.status))
        }
        return answer
      } catch (error) {
        fail(span, nameOf(error))
        throw error
      } finally {
        span.end()
      }
    },

    async runInBackground({ name, attributes, traceparent }, work) {
      const origin = traceparent === undefined ? null : parseTraceParent(traceparent)
      const span = begin(name, SpanKind.CONSUMER, attributes, origin ?? undefined)
      try {
        return await within(placeOf(span), work)
      } catch (error) {
        fail(span, nameOf(error))
        throw error
      } finally {
        span.end()
      }
    },

    flush,
    close,
  }
}

function placeOf(span: OpenSpan): Span {
  const { traceId, spanId, traceFlags } = span.spanContext()
  return { traceId, spanId, isSampled: (traceFlags & TraceFlags.SAMPLED) !== 0 }
}

function contextOf({ traceId, spanId, isSampled }: Span): SpanContext {
  return { traceId, spanId, traceFlags: isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE }
}

/** Where a call goes. Its path and query are left out: those of receivers have tokens in them. */
function attributesOf({ method, url: text }: CallToWatch): Attributes {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const defaultPort = url?.protocol === 'https:' ? 443 : 80
  return {
    'http.request.method': method,
    'server.address': url?.hostname,
    'server.port': url === undefined ? undefined : Number(url.port || defaultPort),
  }
}

/** The message of an error is left out: it may quote what was sent. */
function fail(span: OpenSpan, type: string): void {
  span.setAttribute('error.type', type)
  span.setStatus({ code: SpanStatusCode.ERROR })
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : typeof error
}
