import { createServer, type IncomingHttpHeaders } from 'node:http'
import { fieldsOf, textOf, type Field } from './protobuf.js'
import { listenUntilFileEnd } from './loopback.js'

/** A span as the collector got it. */
export interface CollectedSpan {
  readonly traceId: string
  readonly spanId: string
  /** Empty: a root. */
  readonly parentId: string
  readonly name: string
  readonly kind: 'internal' | 'server' | 'client' | 'producer' | 'consumer' | 'unspecified'
  readonly attributes: Readonly<Record<string, string | number>>
  readonly isError: boolean
}

export interface Collector {
  /** For OTEL_EXPORTER_OTLP_ENDPOINT. */
  readonly url: string
  /** In the order of arrival. */
  readonly spans: readonly CollectedSpan[]
  /** The bodies as they came, in which a test looks for what must not be there. */
  readonly bodies: readonly Buffer[]
  readonly headers: readonly IncomingHttpHeaders[]
  /** The attributes of the process, of the last request. */
  resource(): CollectedSpan['attributes']
  /** Sets the status of later answers; initially 200. */
  answer(status: number): void
}

/** A receiver of OTLP over HTTP, in protobuf; it ends with the test file. */
export async function startCollector(): Promise<Collector> {
  const spans: CollectedSpan[] = []
  const bodies: Buffer[] = []
  const headers: IncomingHttpHeaders[] = []
  let resource: CollectedSpan['attributes'] = {}
  let status = 200
  const server = createServer((req, res) => {
    const chunks: Buffer[] = []
    req.on('data', (chunk: Buffer) => chunks.push(chunk))
    req.on('end', () => {
      const isTraces = req.method === 'POST' && req.url === '/v1/traces'
      const answered = isTraces ? status : 404
      headers.push(req.headers)
      if (answered === 200) {
        const body = Buffer.concat(chunks)
        bodies.push(body)
        for (const ofResource of messages(fieldsOf(body), 1)) {
          resource = attributesOf(messages(ofResource, 1).flat())
          for (const ofScope of messages(ofResource, 2)) spans.push(...messages(ofScope, 2).map(toSpan))
        }
      }
      res.writeHead(answered).end()
    })
  })
  const port = await listenUntilFileEnd(server)
  return {
    url: `http://127.0.0.1:${port}`,
    spans,
    bodies,
    headers,
    resource: () => resource,
    answer: (later) => void (status = later),
  }
}

const kinds = ['unspecified', 'internal', 'server', 'client', 'producer', 'consumer'] as const

/** The numbers are those of opentelemetry/proto/trace/v1/trace.proto. */
function toSpan(fields: readonly Field[]): CollectedSpan {
  const hex = (number: number) => bytesOf(fields, number).toString('hex')
  const [status = []] = messages(fields, 15)
  return {
    traceId: hex(1),
    spanId: hex(2),
    parentId: hex(4),
    name: textOf(bytesOf(fields, 5)),
    kind: kinds[Number(fields.find(({ number }) => number === 6)?.value ?? 0)] ?? 'unspecified',
    attributes: attributesOf(fields, 9),
    isError: status.some(({ number, value }) => number === 3 && value === 2n),
  }
}

/** Key and value, of which our spans have texts and whole numbers. */
function attributesOf(fields: readonly Field[], number = 1): CollectedSpan['attributes'] {
  const pairs = messages(fields, number).map((pair) => {
    const [value] = messages(pair, 2).flat()
    return [
      textOf(bytesOf(pair, 1)),
      Buffer.isBuffer(value?.value) ? textOf(value.value) : Number(value?.value),
    ]
  })
  return Object.fromEntries(pairs) as CollectedSpan['attributes']
}

function messages(fields: readonly Field[], number: number): Field[][] {
  return fields.flatMap((field) =>
    field.number === number && Buffer.isBuffer(field.value) ? [fieldsOf(field.value)] : [],
  )
}

function bytesOf(fields: readonly Field[], number: number): Buffer {
  const value = fields.find((field) => field.number === number)?.value
  return Buffer.isBuffer(value) ? value : Buffer.alloc(0)
}
