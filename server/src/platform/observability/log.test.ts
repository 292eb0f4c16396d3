import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { ApiError } from '../errors.js'
import { createLog, logFailure } from './log.js'

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
