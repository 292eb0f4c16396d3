import pg from 'pg'
import { describe, expect, test } from 'vitest'
import {
  isForeignKeyViolation,
  isMissingOrganization,
  isUnavailable,
  isUniqueViolation,
} from './violations.js'

function ofPostgres(code: string): Error {
  return Object.assign(new pg.DatabaseError('it says why', 0, 'error'), { code })
}

function ofNetwork(code: string): Error {
  return Object.assign(new Error(`connect ${code}`), { code, syscall: 'connect' })
}

describe('the database is unavailable', () => {
  test.each(['ECONNREFUSED', 'ECONNRESET', 'EHOSTUNREACH', 'ENETUNREACH', 'ENETDOWN', 'EAI_AGAIN'])(
    'by the network: %s',
    (code) => {
      expect(isUnavailable(ofNetwork(code))).toBe(true)
      expect(isUnavailable(new AggregateError([ofNetwork(code)]))).toBe(true)
    },
  )

  test.each([
    '08006',
    '25006',
    '25P03',
    '28P01',
    '3D000',
    '53100',
    '53300',
    '57014',
    '57P01',
    '57P03',
    '58030',
  ])('by its own word: SQLSTATE %s', (code) => {
    expect(isUnavailable(ofPostgres(code))).toBe(true)
  })

  test('because it takes no connections, whatever the code', () => {
    const refused = Object.assign(ofPostgres('55000'), { severity: 'FATAL' })

    expect(isUnavailable(refused)).toBe(true)
    expect(isUnavailable(ofPostgres('55000'))).toBe(false)
  })

  test('because the process is stopping, and has closed its connections', () => {
    expect(isUnavailable(new Error('Cannot use a pool after calling end on the pool'))).toBe(true)
    expect(isUnavailable(new Error('driver has already been destroyed'))).toBe(true)
  })
})

test.each([
  ['a constraint', ofPostgres('23505')],
  ['a table that is not there', ofPostgres('42P01')],
  ['a wrong statement', ofPostgres('42601')],
  ['a file that is not there', Object.assign(new Error('open'), { code: 'ENOENT' })],
  ['a mistake of ours', new TypeError('undefined is not a function')],
])('%s is no reason to call it that', (_, error) => {
  expect(isUnavailable(error)).toBe(false)
})

test.each([
  ['users_email_key', true],
  ['users_email_key_102105', true],
  ['users_email_key_2', false],
  ['users_email_key_of_102105', false],
  ['accounts_users_email_key', false],
])('a violation of %s is one of users_email_key: %s', (constraint, isOne) => {
  const error = Object.assign(ofPostgres('23505'), { constraint })
  expect(isUniqueViolation(error, 'users_email_key')).toBe(isOne)
  const ofCluster = ofPostgres('23505')
  ofCluster.message = `duplicate key value violates unique constraint "${constraint}"`
  expect(isUniqueViolation(ofCluster, 'users_email_key')).toBe(isOne)
})

test.each([
  'duplicate key value violates unique constraint "users_email_key_102024"',
  'doppelter Schlüsselwert verletzt Unique-Constraint »users_email_key_102024«',
])(
  'a violation is known by the constraint that a cluster names in its text, of copied rows without the code: %s',
  (message) => {
    const inText = (code: string, routine?: string) => Object.assign(ofPostgres(code), { message, routine })

    for (const error of [inText('23505'), inText('XX000', 'ReportCopyError')]) {
      expect(isUniqueViolation(error, 'users_email_key')).toBe(true)
      expect(isUniqueViolation(error, 'users_email')).toBe(false)
    }
    expect(isForeignKeyViolation(inText('23505'), 'users_email_key')).toBe(false)
    expect(isUniqueViolation(inText('42601'), 'users_email_key')).toBe(false)
  },
)

test.each([
  'null value in column "organization_id" of relation "users_102024" violates not-null constraint',
  'NULL-Wert in Spalte »organization_id« von Relation »users_102024« verletzt Not-Null-Constraint',
])('a missing organization is known by the column that a cluster names in its text: %s', (message) => {
  const missing = Object.assign(ofPostgres('23502'), { message })
  expect(isMissingOrganization(missing)).toBe(true)
  expect(isMissingOrganization(Object.assign(missing, { column: 'email' }))).toBe(false)
})

test('an internal error that names an index is no violation of its constraint', () => {
  const message = 'fell off the end of index "users_email_key"'
  const error = Object.assign(ofPostgres('XX000'), { message, routine: '_bt_moveright' })
  expect(isUniqueViolation(error, 'users_email_key')).toBe(false)
})
