import { execFileSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startOn } from './machine.js'
import { systemVariables } from './stage.js'

/** How a receiver answers: 204 at once, 204 after 10 seconds, or never. */
export type Behaviour = 'prompt' | 'slow' | 'dead'

/** A request that a receiver has read to its end. */
export interface Arrival {
  /** The place of its URL. */
  readonly receiver: number
  /** As the header webhook-id has it. */
  readonly eventId: string
  /** In milliseconds since 1970, as every process of the machine counts them. */
  readonly atMs: number
}

export type ReceiversMessage =
  | { readonly kind: 'forget' }
  | { readonly kind: 'tell'; readonly count: number }
  | { readonly kind: 'behave'; readonly receivers: readonly number[]; readonly behaviour: Behaviour }

/** https servers on loopback, a port each, in one process on the core of the load. */
export interface Receivers {
  readonly urls: readonly string[]
  /** Variables that permit a sender to connect to them: their certificate and their network. */
  readonly senderVariables: NodeJS.ProcessEnv
  /** Forgets what has arrived so far. */
  forget(): void
  /** What has arrived since, once it is so many. */
  arrivals(count?: number): Promise<Arrival[]>
  /** Until told otherwise all are prompt; to be prompt again ends every request that was never answered. */
  behave(receivers: readonly number[], behaviour: Behaviour): void
  stop(): void
}

/** Longer than any row waits for its deliveries. */
const patienceMs = 120_000

export async function startReceivers(count: number): Promise<Receivers> {
  const { keyFile, certificateFile } = makeCertificate()
  const file = fileURLToPath(new URL('receivers-process.ts', import.meta.url))
  const command = [process.execPath, '--import', 'tsx', file, String(count), keyFile, certificateFile]
  const child = startOn('load', command, {
    env: systemVariables(),
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const [ports] = (await answerOf(child)) as [number[]]
  const send = (message: ReceiversMessage) => child.send(message)
  return {
    urls: ports.map((port) => `https://127.0.0.1:${port}/events`),
    senderVariables: { NODE_EXTRA_CA_CERTS: certificateFile, OUTBOUND_ALLOW: '127.0.0.1' },
    forget: () => void send({ kind: 'forget' }),
    async arrivals(expected = 0) {
      const told = answerOf(child)
      send({ kind: 'tell', count: expected })
      return ((await told) as [Arrival[]])[0]
    },
    behave: (receivers, behaviour) => void send({ kind: 'behave', receivers, behaviour }),
    stop: () => child.disconnect(),
  }
}

function answerOf(child: ChildProcess): Promise<unknown[]> {
  return once(child, 'message', { signal: AbortSignal.timeout(patienceMs) })
}

/** A self-signed certificate for 127.0.0.1, of the type used by public hosts. */
function makeCertificate(): { keyFile: string; certificateFile: string } {
  const folder = mkdtempSync(join(tmpdir(), 'portico-bench-tls-'))
  const keyFile = join(folder, 'key.pem')
  const certificateFile = join(folder, 'certificate.pem')
  const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1', '-days', '2']
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', keyFile]
  try {
    execFileSync('openssl', ['req', '-x509', ...key, ...subject, '-out', certificateFile], {
      stdio: 'ignore',
    })
  } catch (cause) {
    throw new Error('The rows of deliveries need openssl, for a certificate.', { cause })
  }
  return { keyFile, certificateFile }
}
