import { describe, expect, test } from 'vitest'
import { z } from 'zod/v4'
import { integer } from './fields.js'

function messagesOf(schema: z.ZodType, value: unknown): string[] {
  return (schema.safeParse(value).error?.issues ?? []).map(({ message }) => message)
}

describe('a fault', () => {
  test.each<[string, z.ZodType, unknown]>([
    ['is required', z.string(), undefined],
    ['is required', z.enum(['on', 'off']), undefined],
    ['is required', z.union([z.string(), z.number()]), undefined],
    ['must be text', z.string(), 7],
    ['must be text', z.string(), null],
    ['must be a number', z.number(), '7'],
    ['must be a whole number', z.int(), 7.5],
    ['must be true or false', z.boolean(), 'yes'],
    ['must be a list', z.array(z.string()), {}],
    ['must be an object', z.object({}), []],
    ['must be one of on, off', z.enum(['on', 'off']), 'perhaps'],
    ['must be S256', z.literal('S256'), 'plain'],
    ['must be text or an object', z.union([z.string(), z.object({})]), 7],
    ['must have at most 3 characters', z.string().max(3), 'four'],
    ['must have at least 2 characters', z.string().min(2), 'x'],
    ['must not be empty', z.string().min(1), ''],
    ['must have at most 1 item', z.array(z.string()).max(1), ['a', 'b']],
    ['must be at least 60', z.int().min(60), 59],
    ['must be at most 60', z.int().max(60), 61],
    ['must be a whole number from 60 to 3600', integer({ min: 60, max: 3600 }), 'soon'],
    ['has a member that it does not take', z.strictObject({}), { x: 1 }],
  ])('%s', (message, schema, value) => {
    expect(messagesOf(schema, value)).toEqual([message])
  })

  test('has the words of its schema where that has some', () => {
    expect(messagesOf(z.string().regex(/^a/, 'must begin with a'), 'b')).toEqual(['must begin with a'])
  })
})
