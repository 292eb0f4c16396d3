import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { ExportResultCode, parseTraceParent, type ExportResult } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources'
import {
  AlwaysOffSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  SamplingDecision,
  TraceIdRatioBasedSampler,
  TracerProvider,
  type Sampler,
  type SpanExporter,
} from '@opentelemetry/sdk-trace'
import type { Logger } from 'pino'
import type { TraceSettings } from '../config/config.js'
import { toLoggedText } from './log.js'

export type TraceExport = ReturnType<typeof openTraceExport>

/** In ms. A collector that stays away is told of once in this time. */
const warnEveryMs = 5 * 60_000
/** In ms. The process ends with or without the last spans. */
const closeWithinMs = 2_000
/** How many requests of a process are sampled in a second because their callers say so, beyond the ratio. */
const believedPerSecond = 10

/**
 * Opens the way to a collector, by OTLP over HTTP. Spans wait in a queue of 2,048 and leave in the background, after five seconds or
 * 512 of them; what does not fit is dropped. The SDK itself reads OTEL_SERVICE_NAME, OTEL_RESOURCE_ATTRIBUTES,
 * OTEL_EXPORTER_OTLP_TIMEOUT and OTEL_EXPORTER_OTLP_COMPRESSION from the environment.
 */
export function openTraceExport(settings: TraceSettings, log: Logger) {
  const { url, headers } = settings
  const exporter = warningOfFailures(new OTLPTraceExporter({ url, headers: { ...headers } }), log)
  const own = resourceFromAttributes({ 'service.name': 'portico', 'service.instance.id': randomUUID() })
  const provider = new TracerProvider({
    // What the environment says is the last to be merged, and wins.
    resource: defaultResource()
      .merge(own)
      .merge(detectResources({ detectors: [envDetector] })),
    sampler: samplerOf(settings),
    spanProcessors: [new BatchSpanProcessor({ exporter })],
  })
  return {
    tracer: provider.getTracer('portico'),
    parseTraceParent,
    // What cannot be sent is logged.
    flush: () => provider.forceFlush().catch(() => undefined),
    async close(): Promise<void> {
      const sent = provider.shutdown().then(
        () => true,
        () => false,
      )
      const isSent = await Promise.race([sent, sleep(closeWithinMs, false, { ref: false })])
      if (!isSent) log.warn('the last spans were not sent to the collector')
    },
  }
}

/**
 * Decides which requests are traced. Those that a caller has in a trace already are decided like others, unless the sampler is based
 * on parents: then a caller's no is kept, and its yes is believed for some requests a second, since anybody can say so.
 */
function samplerOf({ ratio, isParentBased }: TraceSettings): Sampler {
  // The caller has chosen the id of its trace, which therefore cannot decide.
  const byChance = samplerBy(() => Math.random() < ratio)
  const isBelieved = allowing(believedPerSecond)
  return new ParentBasedSampler({
    root: new TraceIdRatioBasedSampler(ratio),
    remoteParentSampled: isParentBased ? samplerBy(() => Math.random() < ratio || isBelieved()) : byChance,
    remoteParentNotSampled: isParentBased ? new AlwaysOffSampler() : byChance,
  })
}

function samplerBy(decide: () => boolean): Sampler {
  return {
    shouldSample: () => ({
      decision: decide() ? SamplingDecision.RECORD_AND_SAMPLED : SamplingDecision.NOT_RECORD,
    }),
    toString: () => 'portico',
  }
}

/** A function that is true so many times in each second. */
function allowing(most: number): () => boolean {
  let second = 0
  let count = 0
  return () => {
    const current = Math.floor(performance.now() / 1000)
    if (current !== second) count = 0
    second = current
    return ++count <= most
  }
}

/** The exporter, whose failures are logged once in a while. Their messages have no header of ours. */
function warningOfFailures(exporter: SpanExporter, log: Logger): SpanExporter {
  let warnedAt = -Infinity
  let isAway = false
  let lost = 0

  function note({ code, error }: ExportResult, count: number): void {
    if (code === ExportResultCode.SUCCESS) {
      if (isAway) log.info('the collector takes spans again')
      isAway = false
      return
    }
    lost += count
    if (performance.now() - warnedAt < warnEveryMs) return
    log.warn(
      { spans: lost, reason: reasonOf(error) },
      'spans cannot be sent to the collector, and are dropped',
    )
    warnedAt = performance.now()
    isAway = true
    lost = 0
  }

  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        note(result, spans.length)
        done(result)
      })
    },
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
    shutdown: () => exporter.shutdown(),
  }
}

/** A code of the system or a status, and what the collector says to it. */
function reasonOf(error: Error | undefined): string {
  const code = error !== undefined && 'code' in error ? String(error.code) : ''
  return toLoggedText(`${code} ${error?.message ?? ''}`.trim(), 200)
}
