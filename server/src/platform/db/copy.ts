import type { Duplex } from 'node:stream'
import { once } from 'node:events'
import type pg from 'pg'

/** The driver's methods for COPY, which its types lack. */
interface CopyConnection {
  readonly stream: Duplex
  query(text: string): void
  sendCopyFromChunk(chunk: Buffer): void
  endCopyFrom(): void
  sendCopyFail(message: string): void
}

/** What the driver calls on a query of our own (pg, lib/client.js). */
interface CopyQuery {
  submit(connection: pg.Connection): void
  handleError(error: Error): void
  handleReadyForQuery(): void
  handleCommandComplete(): void
  handleCopyData(message: { chunk: Buffer }): void
  handleCopyInResponse(): void
}

/** Bytes buffered per chunk: a message per row would cost more than the row. */
const chunkBytes = 64 * 1024

/**
 * Runs COPY … TO STDOUT and passes its data on (Postgres, protocol-flow: COPY Operations). The connection is paused
 * while a chunk is being written, so that only a few are in memory.
 */
export async function copyOut(
  client: pg.Client,
  statement: string,
  write: (chunk: Buffer) => Promise<void>,
): Promise<void> {
  let parts: Buffer[] = []
  let bytes = 0
  let writing = Promise.resolve()
  let connection: CopyConnection | undefined
  const failed: { error?: unknown } = {}

  function handOn(): void {
    const chunk = Buffer.concat(parts)
    parts = []
    bytes = 0
    connection?.stream.pause()
    writing = writing
      .then(() => ('error' in failed ? undefined : write(chunk)))
      .catch((error: unknown) => {
        failed.error = error
      })
      .finally(() => connection?.stream.resume())
  }

  await runCopy(client, statement, {
    onStart: (started) => {
      connection = started
    },
    onData: (chunk) => {
      // The driver reuses the chunk's memory.
      parts.push(Buffer.from(chunk))
      bytes += chunk.length
      if (bytes >= chunkBytes) handOn()
    },
  })
  if (bytes > 0) handOn()
  await writing
  if ('error' in failed) throw failed.error
}

/** Runs COPY … FROM STDIN with these chunks; when reading them fails, the copy is undone. */
export async function copyIn(
  client: pg.Client,
  statement: string,
  chunks: AsyncIterable<Buffer>,
): Promise<void> {
  let failure: unknown
  let isRefused = false
  let connection: CopyConnection | undefined

  async function send(to: CopyConnection): Promise<void> {
    try {
      for await (const chunk of chunks) {
        if (isRefused) return
        to.sendCopyFromChunk(chunk)
        if (to.stream.writableNeedDrain) await once(to.stream, 'drain')
      }
      to.endCopyFrom()
    } catch (error) {
      failure = error
      to.sendCopyFail('the source failed')
    }
  }

  let sending = Promise.resolve()
  try {
    await runCopy(client, statement, {
      onStart: (started) => {
        connection = started
      },
      onReady: () => {
        if (connection !== undefined) sending = send(connection)
      },
    })
  } catch (error) {
    isRefused = true
    await sending
    throw failure ?? error
  }
  await sending
}

function runCopy(
  client: pg.Client,
  statement: string,
  handlers: {
    onStart: (connection: CopyConnection) => void
    onData?: (chunk: Buffer) => void
    onReady?: () => void
  },
): Promise<void> {
  return new Promise((resolve, reject) => {
    let failure: Error | undefined
    const query: CopyQuery = {
      submit(connection) {
        // The types leave out what the class has for COPY.
        const copying = connection as unknown as CopyConnection
        handlers.onStart(copying)
        copying.query(statement)
      },
      handleError(error) {
        failure = error
        // After an error of a statement, ReadyForQuery follows; after one of the connection nothing does.
        reject(error)
      },
      handleReadyForQuery() {
        if (failure === undefined) resolve()
      },
      handleCommandComplete: () => undefined,
      handleCopyData: ({ chunk }) => handlers.onData?.(chunk),
      handleCopyInResponse: () => handlers.onReady?.(),
    }
    client.query(query)
  })
}
