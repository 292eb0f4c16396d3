import { metaTypes } from '@portico/contract/metadata'
import { describe, expect, test } from 'vitest'
import { ApiError } from '../../platform/errors.js'
import { checkMetaValue, toJsonValue } from '../meta-keys/meta-value.js'

type MetaType = (typeof metaTypes)[number]

/** Values that fit each type, with the JSON that tokens carry. */
const fitting: Record<MetaType, [value: string, json: unknown][]> = {
  string: [
    ['', ''],
    ['true', 'true'],
    ['çà et là ☂', 'çà et là ☂'],
  ],
  integer: [
    ['0', 0],
    ['-42', -42],
    ['9007199254740991', 9_007_199_254_740_991],
  ],
  float: [
    ['0', 0],
    ['-3.14', -3.14],
    ['1e-7', 1e-7],
    ['6.02E+23', 6.02e23],
  ],
  boolean: [
    ['true', true],
    ['false', false],
  ],
  date: [
    ['1815-12-10', '1815-12-10'],
    ['2024-02-29', '2024-02-29'],
  ],
  datetime: [
    ['1815-12-10T09:30:00Z', '1815-12-10T09:30:00Z'],
    ['2024-02-29T23:59:59.123456789+05:30', '2024-02-29T23:59:59.123456789+05:30'],
  ],
  url: [['https://store.example/a?b=c#d', 'https://store.example/a?b=c#d']],
  email: [['ada@people.example', 'ada@people.example']],
  json: [
    ['null', null],
    ['{"a":[1,true,"x"]}', { a: [1, true, 'x'] }],
    ['"text"', 'text'],
    [
      '["__proto__",{"proto":"__proto__","constructor":1}]',
      ['__proto__', { proto: '__proto__', constructor: 1 }],
    ],
  ],
}

const unfitting: Record<Exclude<MetaType, 'string'>, string[]> = {
  integer: ['', '1.0', '+1', '01', '1e3', ' 1', '0x10', '9007199254740992', '1n'],
  float: ['', '.5', '1.', 'NaN', 'Infinity', '1e999', '1,5', '0x10'],
  boolean: ['', 'TRUE', '1', 'yes'],
  date: ['', '2023-02-29', '1815-13-01', '10/12/1815', '1815-12-10T00:00:00Z'],
  datetime: ['', '1815-12-10', '1815-12-10T09:30:00', '2023-02-29T00:00:00Z', '2024-01-01T25:00:00Z'],
  url: ['', 'http://store.example', 'https://user:pw@store.example/', 'javascript:alert(1)', 'https://'],
  email: ['', 'ada', 'ada@people', 'Ada <ada@people.example>', 'ada@people.example\n'],
  json: [
    '',
    '{',
    "{'a':1}",
    'undefined',
    '[1,]',
    '{"__proto__":{"admin":true}}',
    '{"a":[{"b":{"__proto__":1}}]}',
    '{"\\u005f_proto__":null}',
  ],
}

describe.each(Object.entries(fitting) as [MetaType, [string, unknown][]][])(
  'a value of the type %s',
  (type, values) => {
    test.each(values)('may be %j, and is %j in a token', (value, json) => {
      expect(() => checkMetaValue(type, value, 'value')).not.toThrow()
      expect(toJsonValue(type, value)).toEqual(json)
    })
  },
)

describe.each(Object.entries(unfitting) as [MetaType, string[]][])(
  'a value of the type %s',
  (type, values) => {
    test.each(values)('must not be %j', (value) => {
      expect(faultOf(type, value)).toMatchObject({ path: 'metadata.3.value', code: 'invalid_type' })
    })
  },
)

test('a value has at most 2,000 characters, whatever its type', () => {
  expect(() => checkMetaValue('string', 'x'.repeat(2000), 'value')).not.toThrow()
  for (const type of metaTypes) expect(faultOf(type, '1'.repeat(2001))).toMatchObject({ code: 'too_big' })
})

test('JSON that names __proto__ and is stored stays data', () => {
  const value = toJsonValue('json', '{"__proto__":{"admin":true}}')
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
  expect(JSON.stringify(value)).toBe('{"__proto__":{"admin":true}}')
})

function faultOf(type: MetaType, value: string): unknown {
  try {
    checkMetaValue(type, value, 'metadata.3.value')
  } catch (error) {
    if (error instanceof ApiError && error.code === 'invalid_parameters') return error.fields?.[0]
    throw error
  }
  return undefined
}
