import { expect, test } from 'vitest'
import { answered, given, json, user, type Reply } from './client.given.js'

const list = { org_domain: 'awesome-company' }
const create = { ...list, email: 'ada@awesome-company.example' }
const listed = answered({ data: [], next_cursor: null })
const at = (position: string) => answered({ id: 'u1' }, { 'portico-position': position })

test('reads send back the position of the last change', async () => {
  const { client, seen } = given([listed, at('one'), at('two'), listed, listed])

  await client.users.list(list)
  await client.users.create(create)
  await client.users.delete(user)
  await client.users.list(list)
  await client.users.get(user)

  expect(seen.map(({ headers }) => headers.get('portico-position'))).toEqual([null, null, null, 'two', 'two'])
})

test('reads send back the positions of changes that ran at once, in whatever order they were answered', async () => {
  let answerNow = (): void => undefined
  const late: Reply = () =>
    new Promise((resolve) => {
      answerNow = () => resolve(json(200, { id: 'u1' }, { 'portico-position': 'slow' }))
    })
  const { client, seen } = given([at('before'), late, at('quick'), listed, at('after'), listed])

  await client.users.create(create)
  const slow = client.users.create(create)
  await client.users.create(create)
  answerNow()
  await slow
  await client.users.list(list)
  await client.users.create(create)
  await client.users.list(list)

  expect(seen[3]?.headers.get('portico-position')).toBe('quick, slow')
  expect(seen[5]?.headers.get('portico-position')).toBe('after')
})

test('of many changes that ran at once no more positions are sent than the service needs to see that they are many', async () => {
  const many = Array.from({ length: 40 }, (_, index) => at(`p${index}`))
  const { client, seen } = given([...many, listed])

  await Promise.all(many.map(() => client.users.create(create)))
  await client.users.list(list)

  expect(seen[40]?.headers.get('portico-position')?.split(', ')).toHaveLength(21)
})

test('a refused change has its position, too, for something of it may have been stored', async () => {
  const refusal = () =>
    json(404, { error: { code: 'user_not_found', message: 'No.' } }, { 'portico-position': 'one' })
  const { client, seen } = given([refusal, listed])

  await client.users.delete(user).catch(() => undefined)
  await client.users.list(list)

  expect(seen[1]?.headers.get('portico-position')).toBe('one')
})

test('a position is forgotten after a minute', async () => {
  const { client, seen, time } = given([at('one'), listed, listed])

  await client.users.create(create)
  time.ms += 59_999
  await client.users.list(list)
  time.ms += 1
  await client.users.list(list)

  expect(seen.map(({ headers }) => headers.get('portico-position'))).toEqual([null, 'one', null])
})

test.each(['', 'one, two', 'one two', 'x'.repeat(201)])(
  'what is no position, such as %j, is not sent back',
  async (position) => {
    const { client, seen } = given([at(position), listed])

    await client.users.create(create)
    await client.users.list(list)

    expect(seen[1]?.headers.has('portico-position')).toBe(false)
  },
)
