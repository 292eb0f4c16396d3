import { spawnSync } from 'node:child_process'
import { mkdtempSync, openSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { describe, expect, test, vi } from 'vitest'
import { ApiError } from '../errors.js'
import { createLog, flushLog, inBlocks, logFailure } from './log.js'

/** The log line of an error. */
function lineOf(err: Error): string {
  const lines: string[] = []
  createLog({ logLevel: 'info' }, { write: (line: string) => void lines.push(line) }).error({ err }, 'failed')
  return lines.join()
}

describe('an error of the database', () => {
  const error = Object.assign(new pg.DatabaseError('Key (email)=(ada@people.example) exists', 1, 'error'), {
    code: '23505',
    detail: 'Key (email)=(ada@people.example) already exists.',
    table: 'users',
    constraint: 'users_email_unique',
  })

  test('is logged with its SQLSTATE and what it is about by name', () => {
    expect(JSON.parse(lineOf(error))).toMatchObject({
      err: { type: 'DatabaseError', sqlstate: '23505', table: 'users', constraint: 'users_email_unique' },
    })
  })

  test('is told as a cause too', () => {
    expect(JSON.parse(lineOf(new Error('a job failed', { cause: error })))).toMatchObject({
      err: { type: 'Error', message: 'a job failed', cause: { sqlstate: '23505' } },
    })
  })

  test('is logged without the row that its message quotes', () => {
    expect(lineOf(error)).not.toContain('ada@people.example')
  })
})

test('a failed wait for a connection is logged in one warning without a stack, also as the cause of another failure', () => {
  const wait = new Error('timeout exceeded when trying to connect')
  for (const error of [
    wait,
    new Error('a job failed', { cause: wait }),
    new ApiError('unavailable', { cause: wait }),
  ]) {
    const lines: string[] = []
    const log = createLog({ logLevel: 'info' }, { write: (line: string) => void lines.push(line) })
    logFailure(log, error, { request_id: 'r-1' }, 'a request failed')
    expect(lines.join('')).not.toContain('"stack"')
    expect(lines.map((line) => (JSON.parse(line) as { level: string }).level)).toEqual(['warn'])
  }
})

test('an authorization code in an object of a library is not logged', () => {
  const lines: string[] = []
  const log = createLog({ logLevel: 'info' }, { write: (line: string) => void lines.push(line) })

  log.info({ body: { code: 'q3Jc0mVx8n2Zr5tYb7uAe1oPi4Ls6Kd9' } }, 'a request')

  expect(lines.join()).not.toContain('q3Jc0m')
})

describe('lines to a file', () => {
  function openFile() {
    const file = join(mkdtempSync(join(tmpdir(), 'portico-log-')), 'log')
    const fd = openSync(file, 'a')
    const log = createLog({ logLevel: 'info' }, inBlocks(fd))
    const messages = () =>
      readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        // Each line is an object with a message.
        .map((line) => (JSON.parse(line) as { msg: string }).msg)
    // Open until the process ends: the log goes on writing, and another file could get the number.
    return { log, messages }
  }

  test('are written in blocks, and all of them once they are flushed', async () => {
    const { log, messages } = openFile()
    for (let count = 0; count < 3; count += 1) log.info(`line ${count}`)
    const before = messages()
    await flushLog(log)

    expect(before).toEqual([])
    expect(messages()).toEqual(['line 0', 'line 1', 'line 2'])
  })

  test('are written at once by a warning, with what was before it', async () => {
    // Blocks then never become due by time.
    vi.useFakeTimers({ toFake: ['setInterval'] })
    const { log, messages } = openFile()
    vi.useRealTimers()
    log.info('before')
    log.warn('a warning')

    while (messages().length < 2) await new Promise((resolve) => setImmediate(resolve))
    expect(messages()).toEqual(['before', 'a warning'])
  })

  test('are written at once by a warning, and by a flush, also while a block is being written', async () => {
    vi.useFakeTimers({ toFake: ['setInterval'] })
    const files = [openFile(), openFile()] as const
    vi.useRealTimers()
    const [warned, flushed] = files
    const block = 'x'.repeat(5000)
    for (const { log } of files) {
      log.info(block)
      log.info('behind it')
    }
    warned.log.warn('a warning')
    await flushLog(flushed.log)

    expect(flushed.messages()).toEqual([block, 'behind it'])
    await vi.waitFor(() => expect(warned.messages()).toEqual([block, 'behind it', 'a warning']))
  })

  test('are written without a flush, too, and by a process that ends', async () => {
    const { log, messages } = openFile()
    log.info('alone')
    const ended = spawnSync(process.execPath, [
      ...['--import', 'tsx', '--input-type=module', '--eval'],
      `import { createLog } from ${JSON.stringify(new URL('log.ts', import.meta.url).href)}
      createLog({ logLevel: 'info' }).info('the last one')`,
    ])

    expect(ended.stdout.toString()).toContain('the last one')
    await vi.waitFor(() => expect(messages()).toEqual(['alone']))
  })
})
