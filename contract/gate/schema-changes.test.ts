import { describe, expect, test } from 'vitest'
import { z } from 'zod/v4'
import { deprecated } from '../src/core/deprecation.js'
import { personal, secret } from '../src/core/fields.js'
import { noticed } from './given.js'

/** What the gate says of a value that becomes another one: where it is answered, and where it is sent. */
async function bothWays(before: z.ZodType, after: z.ZodType) {
  const answers = (value: z.ZodType) => ({
    answer: { fields: { value }, example: { value: z.NEVER } },
  })
  const bodies = (value: z.ZodType) => ({ body: z.strictObject({ value: value.optional() }) })
  const level = (lines: readonly string[]) => lines.map(([mark]) => mark).join('')
  const answered = await noticed(answers(before), answers(after))
  const sent = await noticed(bodies(before), bodies(after))
  return { answered: level(answered), sent: level(sent), lines: [...answered, ...sent] }
}

const nothing = ''
const breaking = '!'
const additive = '+'
const documentation = '?'

describe('a value', () => {
  test.each<[name: string, before: z.ZodType, after: z.ZodType, answered: string, sent: string]>([
    ['stays as it is', z.string().max(5), z.string().max(5), nothing, nothing],
    ['has another type', z.string(), z.boolean(), breaking, breaking],
    ['is any number instead of a whole one', z.int(), z.number(), breaking, additive],
    ['is a whole number instead of any', z.number(), z.int(), additive, breaking],
    ['may be null', z.string(), z.string().nullable(), breaking, additive],
    ['is never null', z.string().nullable(), z.string(), additive, breaking],
    ['may be anything', z.string(), z.unknown(), breaking, additive],
    ['is not anything any more', z.unknown(), z.string(), additive, breaking],
    ['is longer', z.string().max(5), z.string().max(6), breaking, additive],
    ['is shorter', z.string().max(6), z.string().max(5), additive, breaking],
    ['is of any length', z.string().max(5), z.string(), breaking, additive],
    ['has a least length', z.string(), z.string().min(1), additive, breaking],
    ['is larger', z.int().max(5), z.int().max(6), breaking, additive],
    ['is not so small', z.int().min(1), z.int().min(2), additive, breaking],
    ['has more items', z.array(z.string()).max(5), z.array(z.string()).max(6), breaking, additive],
    ['has items of another type', z.array(z.string()), z.array(z.boolean()), breaking, breaking],
    ['has another pattern', z.string().regex(/^a/), z.string().regex(/^b/), breaking, breaking],
    ['has a pattern', z.string(), z.string().regex(/^a/), additive, breaking],
    ['has no pattern', z.string().regex(/^a/), z.string(), breaking, additive],
    [
      'has another format',
      z.string().meta({ format: 'uuid' }),
      z.string().meta({ format: 'uri' }),
      breaking,
      breaking,
    ],
    // A switch must be compiled again, which is no failure of what runs.
    ['is one more of a list', z.enum(['a']), z.enum(['a', 'b']), additive, additive],
    ['is one less of a list', z.enum(['a', 'b']), z.enum(['a']), additive, breaking],
    ['is one of a list alone', z.string(), z.enum(['a']), additive, breaking],
    ['is not of a list alone', z.enum(['a']), z.string(), breaking, additive],
    ['is of one more form', z.string(), z.union([z.string(), z.boolean()]), breaking, additive],
    ['is of one form less', z.union([z.string(), z.boolean()]), z.string(), additive, breaking],
    [
      'has values of any name of another type',
      z.record(z.string(), z.string()),
      z.record(z.string(), z.boolean()),
      breaking,
      breaking,
    ],
    ['is secret', z.string(), secret(z.string()), additive, additive],
    ['is not secret', secret(z.string()), z.string(), breaking, breaking],
    ['is secret instead of personal', personal(z.string()), secret(z.string()), '+!', '+!'],
    [
      'has another description',
      z.string().describe('a'),
      z.string().describe('b'),
      documentation,
      documentation,
    ],
  ])('%s', async (_name, before, after, answered, sent) => {
    const { lines, ...levels } = await bothWays(before, after)
    expect(levels, lines.join('\n')).toEqual({ answered, sent })
  })

  test('has another default: the same request does something else', async () => {
    const query = (size: number) => ({ query: z.object({ per_page: z.int().default(size) }) })
    expect(await noticed(query(25), query(50))).toEqual([
      '! people.get query.per_page is 50 where it is left out, and was 25: the same request does something else',
    ])
  })
})

describe('a member of an answer', () => {
  const one = { fields: { id: z.string() }, example: { id: '7' } }
  const two = { fields: { id: z.string(), name: z.string() }, example: { id: '7', name: 'Ada' } }
  const perhaps = { ...two, fields: { ...two.fields, name: z.string().optional() } }

  test.each([
    ['is new', one, two, ['+ Person name is new: programs may read it']],
    ['is gone', two, one, ['! Person name is gone: programs that read it find nothing']],
    [
      'may be missing',
      two,
      perhaps,
      ['! Person name may be missing now: programs that read it may find nothing'],
    ],
    [
      'is always there',
      perhaps,
      two,
      ['+ Person name is always there now: programs need not look whether it is'],
    ],
  ])('%s', async (_name, before, after, lines) => {
    const said = await noticed({ answer: before }, { answer: after })
    expect(said.filter((line) => !line.includes('example'))).toEqual(lines)
  })

  test('has another name, which is one that is gone and one that is new', async () => {
    const renamed = { fields: { id: z.string(), title: z.string() }, example: { id: '7', title: 'Ada' } }
    const said = await noticed({ answer: two }, { answer: renamed })
    expect(said.map((line) => line.slice(0, 20))).toEqual([
      '? Person has another',
      '! Person name is gon',
      '+ Person title is ne',
    ])
  })
})

describe('a member of a body', () => {
  const body = (shape: z.ZodRawShape) => ({ body: z.strictObject(shape) })
  const name = z.string()

  test.each([
    ['is new', body({}), body({ name: name.optional() }), '+ people.get body.name is new: it may be sent'],
    [
      'is gone',
      body({ name: name.optional() }),
      body({}),
      '! people.get body.name is gone: requests with it are refused',
    ],
  ])('%s', async (_name, before, after, line) => {
    expect(await noticed(before, after)).toEqual([line])
  })

  test.each([
    [
      'is required and new',
      body({}),
      body({ name: name.meta({ examples: ['Ada'] }) }),
      '! people.get body.name is required and new',
    ],
    [
      'is required now',
      body({ name: name.optional() }),
      body({ name }),
      '! people.get body.name is required now',
    ],
    [
      'may be left out',
      body({ name }),
      body({ name: name.optional() }),
      '+ people.get body.name may be left out now',
    ],
  ])('%s', async (_name, before, after, line) => {
    const said = await noticed(withExample(before), withExample(after))
    expect(said.filter((each) => !each.startsWith('?'))).toEqual([expect.stringContaining(line)])
  })

  test('is gone where members that nobody knows are ignored: what is sent has no effect', async () => {
    const said = await noticed({ body: z.object({ name: name.optional() }) }, { body: z.object({}) })
    expect(said).toEqual(['! people.get body.name is gone: what is sent as it has no effect any more'])
  })

  /** The body with an example, where it has the member. */
  function withExample(edit: { readonly body: z.ZodType }) {
    const example = { name: 'Ada' }
    return edit.body.safeParse(example).success ? { body: edit.body.meta({ examples: [example] }) } : edit
  }
})

describe('a member that will go', () => {
  const promise = { since: '2027-01-01', sunset: '2028-01-01', instead: 'title' }
  const withName = (name: z.ZodType) => ({ answer: { fields: { name }, example: { name: 'Ada' } } })

  test('is announced, given more time, given less, and kept after all', async () => {
    const plain = withName(z.string().describe('A name'))
    const going = (sunset: string) =>
      withName(deprecated(z.string().describe('A name'), { ...promise, sunset }))
    const first = async (...edits: [object, object]) =>
      (await noticed(...edits)).filter((line) => !line.startsWith('?'))

    expect(await first(plain, going('2028-01-01'))).toEqual([
      '+ Person name is deprecated: use title before 2028-01-01',
    ])
    expect(await first(going('2028-01-01'), going('2029-01-01'))).toEqual([
      '+ Person name stays until 2029-01-01: callers have more time',
    ])
    expect(await first(going('2029-01-01'), going('2028-01-01'))).toEqual([
      '! Person name goes on 2028-01-01 instead of 2029-01-01: callers have less time',
    ])
    expect(await first(going('2028-01-01'), plain)).toEqual([
      '+ Person name is not deprecated any more: it stays',
    ])
  })
})

test('a keyword that the gate does not know stops it', async () => {
  const odd = { body: z.strictObject({ n: z.int().multipleOf(5).optional() }) }
  await expect(noticed(odd, odd)).rejects.toThrow(
    'the gate does not know what multipleOf means, at body.n: teach it',
  )
})
