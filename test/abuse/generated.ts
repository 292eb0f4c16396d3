import type { Random } from './random.js'

/** The keywords of a schema that value generation uses. */
export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly format?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly maxLength?: number
  readonly example?: unknown
  readonly default?: unknown
}

/** Values for known names, such as the ids of a world. */
export type Known = Readonly<Record<string, unknown>>

/** Addresses are unreachable, so that no request leaves this machine. */
const formats: Readonly<Record<string, readonly unknown[]>> = {
  email: ['ada@awesome.example', 'A.b+c@d.example', 'ada@AWESOME.example'],
  uuid: ['0190c8a4-11d2-7a6f-8e3b-7c9d0e1f2a46', '00000000-0000-0000-0000-000000000000'],
  date: ['1815-12-10', '2024-02-29', '0001-01-01'],
  'date-time': ['2026-03-14T09:26:53Z', '2026-03-14T09:26:53.123456789+14:00', '9999-12-31T23:59:59Z'],
  uri: ['http://127.0.0.1:9/a', 'https://127.0.0.1:9/a?b=c#d', 'https://localhost:9'],
}

const texts = [
  '',
  'a',
  'Ada',
  '+33612345678',
  'en',
  'FR',
  'all',
  'openid',
  'https://127.0.0.1:9/',
  'a_b',
  '12',
]

/** Values that are likely to cause failures. */
const hostile: readonly unknown[] = [
  ...[null, true, false, 0, -1, 1.5, 1e308, -1e308, 2 ** 53, 2 ** 31, 2 ** 63],
  ...[[], [[]], [null], {}, { a: {} }, { toString: 1 }, { length: 1e9 }, { then: 'x' }, { $ref: '#' }],
  ...['', ' ', '\u0000', '\ud800', '\udc00\ud800', '\u2028', '\ufeff', '\u202e', '\u0300'.repeat(200)],
  ...[
    'x'.repeat(5000),
    '👩‍👩‍👧‍👦',
    'ﬀ',
    'İ',
    'ß',
    '٣',
    'Ｔenant',
    '-',
    '--',
    '.',
    '..',
    '../..',
    '%',
    '%00',
    '%zz',
  ],
  ...[
    "'",
    '"',
    "'; drop table users; --",
    '${7*7}',
    '{{7*7}}',
    '<b>',
    '\\',
    '$1',
    '\r\nX: y',
    '*',
    '(?:a+)+$',
  ],
  ...['true', 'null', 'NaN', 'Infinity', '-0', '0x10', '1e9', '1_000', '９', '999999999999999999999', '00'],
  ...[
    '2026-02-30',
    '0000-00-00',
    '+275760-09-13T00:00:00Z',
    '-200000-01-01T00:00:00Z',
    '24:00',
    '9999-12-31',
  ],
  ...['__proto__', 'constructor', 'prototype', 'hasOwnProperty', 'a@b', '@', 'a@b.c', 'javascript:alert(1)'],
  ...[
    'http://',
    'http://[',
    'http://127.0.0.1:99999/',
    'file:///etc/passwd',
    '//127.0.0.1',
    'http://a:b@127.0.0.1:9/',
  ],
]

const names = [
  '__proto__',
  'constructor',
  'toString',
  'no_such',
  '',
  ' ',
  '\u0000',
  '\ud800',
  'a.b',
  'a[b]',
  'id',
]

export function hostileValue(random: Random): unknown {
  return random.pick(hostile)
}

/** A random value that is often valid by a schema. */
export function valueBy(
  schema: Schema,
  find: (ref: string) => Schema,
  random: Random,
  known: Known,
): unknown {
  return ofSchema(schema, 0)

  function ofSchema(given: Schema, depth: number): unknown {
    const { $ref, anyOf, oneOf, enum: choices, type } = given
    if (depth > 8) return null
    if ($ref !== undefined) return ofSchema(find($ref), depth + 1)
    if ('const' in given) return given.const
    if (choices !== undefined) return random.pick(choices)
    const variants = anyOf ?? oneOf
    if (variants !== undefined) return ofSchema(random.pick(variants), depth + 1)
    switch (typeof type === 'string' ? type : random.pick(type ?? ['string'])) {
      case 'object':
        return ofObject(given, depth)
      case 'array':
        return Array.from({ length: random.below(4) }, () => ofSchema(given.items ?? {}, depth + 1))
      case 'boolean':
        return random.happens(0.5)
      case 'null':
        return null
      case 'integer':
      case 'number':
        return ofNumber(given)
      default:
        return ofText(given)
    }
  }

  function ofObject({ properties = {}, required = [] }: Schema, depth: number): object {
    const entries = Object.entries(properties).filter(([name]) =>
      required.includes(name) ? random.happens(0.95) : random.happens(0.3),
    )
    return Object.fromEntries(
      entries.map(([name, property]) => [
        name,
        name in known && random.happens(0.8) ? known[name] : ofSchema(property, depth + 1),
      ]),
    )
  }

  function ofNumber({ minimum = 0, maximum = 1000 }: Schema): number {
    return random.pick([minimum, maximum, minimum - 1, maximum + 1, minimum + random.below(100)])
  }

  function ofText({ format = '', maxLength = 100, example }: Schema): unknown {
    if (format in formats) return random.pick(formats[format] ?? [])
    const long = 'x'.repeat(Math.min(maxLength + random.below(2), 20_000))
    return random.pick([...texts, long, ...(typeof example === 'string' ? [example, example] : [])])
  }
}

/** The value with a random change. */
export function mutated(value: unknown, random: Random): unknown {
  if (typeof value !== 'object' || value === null || random.happens(0.15)) return hostileValue(random)
  if (Array.isArray(value)) {
    const elements: unknown[] = [...(value as unknown[])]
    const at = random.below(elements.length + 1)
    if (random.happens(0.3)) elements.push(hostileValue(random))
    else if (at < elements.length) elements[at] = mutated(elements[at], random)
    else elements.splice(random.below(elements.length + 1), 1)
    return elements
  }
  const entries: [string, unknown][] = Object.entries(value)
  const at = random.below(entries.length)
  const [name = '', member] = entries[at] ?? []
  const change = entries.length === 0 ? 0 : random.next()
  if (change < 0.15) entries.push([random.pick(names), hostileValue(random)])
  else if (change < 0.3) entries.splice(at, 1)
  else if (change < 0.4) entries[at] = [random.pick([name.toUpperCase(), `${name} `, `${name}[]`]), member]
  else entries[at] = [name, mutated(member, random)]
  return Object.fromEntries(entries)
}

/** A JSON text with a random change. */
export function mutatedText(text: string, random: Random): string {
  const at = random.below(text.length + 1)
  const insert = (piece: string) => text.slice(0, at) + piece + text.slice(at)
  return random.pick([
    () => text.slice(0, at),
    () =>
      insert(random.pick(['{', '}', '[', ']', ',', ':', '"', '\\', '\u0000', '\ud800', '\n', '1e9', '/**/'])),
    () => text.replace('{', '{"a":1,"a":2,'),
    () => text.replace(/"(\w+)":/, (pair) => `${pair}1,${pair}`),
    () => `${'['.repeat(random.below(60))}${text}${']'.repeat(random.below(60))}`,
    () => `\ufeff${text}`,
    () => text.repeat(2),
  ])()
}

/** The form encoding of an object. */
export function formOf(value: unknown): string {
  const pairs = new URLSearchParams()
  const add = (name: string, member: unknown): void => {
    if (typeof member === 'object' && member !== null)
      for (const [key, inner] of Object.entries(member)) add(name === '' ? key : `${name}[${key}]`, inner)
    else pairs.append(name, textOf(member))
  }
  add('', value)
  return pairs.toString()
}

/** A value as the text of a parameter. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
