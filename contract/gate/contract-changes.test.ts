import { describe, expect, test } from 'vitest'
import { z } from 'zod/v4'
import { access, open } from '../src/core/access.js'
import { reading } from '../src/core/answers.js'
import { record } from '../src/core/record.js'
import { contractChanges } from './contract-changes.js'
import { contractOf, noticed, person, route, scimTitle, scimUser, tag } from './given.js'

const rule = { tag, scope: 'read:users' } as const
const simple = { fields: { id: z.string() }, example: { id: '7' } }
const one = { operations: { get: route() } }
const withAccess = (metadata: object) => ({ operations: { get: route({}, { metadata }) } })
const withAnswers = (responses: object) => ({ operations: { get: route({}, { responses }) } })

test('a contract beside itself has no difference', async () => {
  expect(await noticed({}, {})).toEqual([])
})

describe('an operation', () => {
  const other = route({}, { path: '/people/:person_id/other' })
  const both = z.object({ team_id: z.string(), person_id: z.string() })

  test.each([
    ['is new', one, { operations: { get: route(), other } }, ['+ people.other is new']],
    ['is gone', { operations: { get: route(), other } }, one, ['! people.other is gone']],
    [
      'is called otherwise',
      one,
      { operations: { read: route() } },
      ['! people.get is called people.read now', '+ people.read is new'],
    ],
    [
      'is at another path',
      one,
      { operations: { get: other } },
      ['! people.get path is /people/:person_id/other'],
    ],
    [
      'has another method',
      one,
      { operations: { get: route({}, { method: 'DELETE' }) } },
      [
        '! people.get method is DELETE',
        '! people.get header Portico-Warning is gone',
        '+ people.get header Portico-Position is new',
      ],
    ],
    [
      'calls a part of its path otherwise, which the SDK takes by name',
      one,
      { operations: { get: route({}, { path: '/people/:id', pathParams: z.object({ id: z.string() }) }) } },
      ['! people.get path.person_id is gone', '! people.get path.id is required and new'],
    ],
    [
      'has the parts of its path in another order',
      { operations: { get: route({}, { path: '/teams/:team_id/:person_id', pathParams: both }) } },
      { operations: { get: route({}, { path: '/teams/:person_id/:team_id', pathParams: both }) } },
      ['! people.get path is /teams/:person_id/:team_id'],
    ],
    [
      'has another summary',
      one,
      { operations: { get: route({}, { summary: 'Get a person' }) } },
      ['? people.get summary is another'],
    ],
    [
      'has another success status',
      one,
      withAnswers(reading({ 201: person(simple) }, 'user_not_found')),
      ['! people.get status is 201, and was 200'],
    ],
    [
      'is refused with a code more',
      one,
      withAnswers(reading({ 200: person(simple) }, 'user_not_found', 'email_taken')),
      ['+ people.get error email_taken is answered, too: a switch over all codes must be compiled again'],
    ],
    [
      'is refused with a code less',
      one,
      withAnswers(reading({ 200: person(simple) })),
      ['! people.get error user_not_found is answered no longer'],
    ],
  ])('%s', async (_name, before, after, lines) => {
    const said = await noticed(before, after)
    expect(said).toEqual(lines.map((line) => expect.stringContaining(line)))
  })
})

describe('who may call an operation, and what a call of it does', () => {
  test.each([
    ['a key instead of nobody', open({ tag }), access(rule), '!+'],
    ['nobody instead of a key', access(rule), open({ tag }), '+!'],
    ['another scope', access(rule), access({ tag, scope: 'write:users' }), '!'],
    ['the whole account', access(rule), access({ ...rule, reach: 'account' }), '!'],
    ['an organization instead of the account', access({ ...rule, reach: 'account' }), access(rule), '+'],
    ['the sandbox alone', access(rule), access({ ...rule, sandboxOnly: true }), '!'],
    ['a limit of its own', access(rule), access({ ...rule, limited: 'mail' }), '!+++'],
    ['no limit of its own', access({ ...rule, limited: 'mail' }), access(rule), '+!!!'],
    ['an Idempotency-Key', access(rule), access({ ...rule, idempotent: true }), '++'],
    ['no Idempotency-Key', access({ ...rule, idempotent: true }), access(rule), '!!'],
    ['an ETag', access(rule), access({ ...rule, versioned: 'answers' }), '++'],
    ['no ETag', access({ ...rule, versioned: 'answers' }), access(rule), '!!'],
    ['smaller bodies', access({ ...rule, takesFile: true }), access(rule), '!'],
    ['one event more', access(rule), access({ ...rule, emits: ['user.user.create.success'] }), '+'],
    ['one event less', access({ ...rule, emits: ['user.user.create.success'] }), access(rule), '!'],
    ['another heading', access(rule), access({ ...rule, tag: { ...tag, name: 'Webhooks' } }), '?'],
  ])('%s', async (_name, before, after, levels) => {
    const said = await noticed(withAccess(before), withAccess(after))
    expect(said.map(([level]) => level).join(''), said.join('\n')).toBe(levels)
  })

  test('the end of what is promised to stay is remembered with its removal', async () => {
    const deprecated = { since: '2027-01-01', sunset: '2028-01-01', instead: 'people.find' }
    const before = await contractOf(withAccess(access({ ...rule, deprecated })))
    const after = await contractOf({ operations: { find: route({}, { path: '/found/:person_id' }) } })

    const [gone] = contractChanges(before, after)
    expect(gone).toMatchObject({ level: 'breaking', subject: 'people.get', promisedUntil: '2028-01-01' })
  })
})

describe('a record', () => {
  const Other = record('Other', { id: z.string() }, { id: '7' })
  const answering = (schema: z.ZodType) => withAnswers(reading({ 200: schema }, 'user_not_found'))

  test('of another name is a type that the SDK has no longer, also where its members are the same', async () => {
    const said = await noticed(one, answering(Other))
    expect(said).toEqual([
      '+ Other is a new record: programs may read it',
      '! Person is no record any more: the SDK has no type of this name',
    ])
  })

  test('is told once, however many operations answer it', async () => {
    const more = { fields: { ...simple.fields, name: z.string() }, example: { id: '7', name: 'Ada' } }
    const both = (answer: typeof simple) => ({
      operations: { get: route({ answer }), other: route({ answer }, { path: '/others/:person_id' }) },
    })
    const said = await noticed(both(simple), both(more))
    expect(said.filter((line) => line.includes('name'))).toEqual([
      '+ Person name is new: programs may read it',
    ])
  })
})

describe('a union that is answered', () => {
  const coded = (code: string) => record(`${code}Event`, { code: z.literal(code) }, { code })
  const plain = (name: string) => record(name, { name: z.string() }, { name })
  const answering = (of: z.ZodType) => withAnswers(reading({ 200: of.meta({ id: 'Any', examples: [{}] }) }))

  test.each([
    [
      'is told by its codes, so that one more is for switches alone',
      z.union([coded('a'), coded('b')]),
      z.union([coded('a'), coded('b'), coded('c')]),
      '+ Any may be cEvent now: a switch over its codes must be compiled again',
    ],
    [
      'is told by nothing, so that one more is not expected',
      z.union([plain('A'), plain('B')]),
      z.union([plain('A'), plain('B'), plain('C')]),
      '! Any may be C now: programs meet what they do not expect',
    ],
  ])('%s', async (_name, before, after, line) => {
    expect(await noticed(answering(before), answering(after))).toContain(line)
  })
})

describe('what is said beside the operations', () => {
  const taken = { status: 409, message: 'Taken.', remedy: 'Choose another.' }
  const codes = (errorCodes: Record<string, typeof taken>) => ({ parts: { errorCodes } })
  const Created = record(
    'PersonCreatedEvent',
    { code: z.literal('person.create') },
    { code: 'person.create' },
  )
  const events = (tells?: string) => ({
    parts: {
      events: Object.fromEntries(tells === undefined ? [] : [['person.create', { tells, schema: Created }]]),
    },
  })
  const claims = (shape: z.ZodRawShape) => ({ parts: { claims: { Claims: z.object(shape) } } })
  const title = scimTitle
  const scim = (...attributes: object[]) => ({ parts: { scim: [{ ...scimUser, attributes }] } as never })

  test.each([
    ['an error code more', codes({}), codes({ taken }), ['+ taken is a new error code']],
    ['an error code less', codes({ taken }), codes({}), ['! taken is no error code any more']],
    [
      'another status of an error code',
      codes({ taken }),
      codes({ taken: { ...taken, status: 422 } }),
      ['! taken is answered with 422, and was with 409'],
    ],
    [
      'another wording of an error code',
      codes({ taken }),
      codes({ taken: { ...taken, message: 'It is.' } }),
      ['? taken message has other words'],
    ],
    [
      'an event code more',
      events(),
      events('Made.'),
      ['+ PersonCreatedEvent is a new record', '+ person.create is a new event code'],
    ],
    [
      'an event code less',
      events('Made.'),
      events(),
      ['! PersonCreatedEvent is no record any more', '! person.create is no event code any more'],
    ],
    [
      'another wording of an event code',
      events('Made.'),
      events('Created.'),
      ['? person.create is told of in other words'],
    ],
    [
      'a claim more',
      claims({ sub: z.string() }),
      claims({ sub: z.string(), org: z.string() }),
      ['+ Claims org is new'],
    ],
    [
      'a claim less',
      claims({ sub: z.string(), org: z.string() }),
      claims({ sub: z.string() }),
      ['! Claims org is gone'],
    ],
    [
      'another type of a claim',
      claims({ sub: z.string() }),
      claims({ sub: z.int() }),
      ['! Claims sub is integer now, and was string'],
    ],
    ['an attribute of SCIM more', scim(), scim(title), ['+ SCIM User title is new']],
    [
      'a required attribute of SCIM more',
      scim(),
      scim({ ...title, required: true }),
      ['! SCIM User title is required and new'],
    ],
    ['an attribute of SCIM less', scim(title), scim(), ['! SCIM User title is gone']],
    [
      'an attribute of SCIM that must be sent',
      scim(title),
      scim({ ...title, required: true }),
      ['! SCIM User title has required true, and had false'],
    ],
    [
      'an attribute of SCIM that may be left out',
      scim({ ...title, required: true }),
      scim(title),
      ['+ SCIM User title has required false, and had true'],
    ],
    [
      'an attribute of SCIM that is never answered',
      scim(title),
      scim({ ...title, returned: 'never' }),
      ['! SCIM User title has returned never'],
    ],
    [
      'another description of an attribute of SCIM',
      scim(title),
      scim({ ...title, description: 'A title' }),
      ['? SCIM User title has another description'],
    ],
  ])('%s', async (_name, before, after, lines) => {
    const said = await noticed(before, after)
    expect(said).toEqual(lines.map((line) => expect.stringContaining(line)))
  })

  test.each([
    ['is gone', {}, '! webhook-id is gone from deliveries: receivers refuse deliveries'],
    [
      'is made otherwise',
      { 'webhook-id': '8' },
      '! webhook-id is made in another way: receivers refuse deliveries',
    ],
  ])('a header of deliveries that %s', async (_name, webhookSignature, line) => {
    const contract = await contractOf()
    const before = { ...contract, webhookSignature: { 'webhook-id': '7' } }
    const [change] = contractChanges(before, { ...contract, webhookSignature })
    expect(`! ${change?.subject} ${change?.what}: ${change?.meaning}`).toBe(line)
    expect(change?.level).toBe('breaking')
  })
})
