import type { Logger } from 'pino'
import type { TraceSettings } from '../config/config.js'
import type { Traces } from './traces.js'

/** Opens the traces of a process; undefined without a collector, and then nothing of OpenTelemetry is loaded. */
export async function openTraces(
  settings: TraceSettings | undefined,
  log: Logger,
): Promise<Traces | undefined> {
  if (settings === undefined) return undefined
  const [{ openSpans }, { openTraceExport }] = await Promise.all([
    import('./spans.js'),
    import('./trace-export.js'),
  ])
  return openSpans(openTraceExport(settings, log))
}
