import { gzipSync } from 'node:zlib'
import type { Sent, Target } from './target.js'

/** A malicious or malformed request. */
export interface Abuse {
  readonly name: string
  /** Undefined if it does not apply to the target. */
  sentTo(target: Target): Sent | undefined
  expected(target: Target): Expected
}

/** The expected status of a declared answer: one status, any 4xx, or any. */
export type Expected = number | 'refused' | 'any'

const formType = 'application/x-www-form-urlencoded'
const bomb = gzipSync(Buffer.alloc(50_000_000, 'x'))

const always = () => 'refused' as const
const never = () => 'any' as const
const where = ({ isStrict }: Target) => (isStrict ? 'refused' : 'any')
const tooLarge = () => 413

function sent({ method, path, headers }: Target, more: Partial<Sent> = {}): Sent {
  return { method, path, ...more, headers: { ...headers, ...more.headers } }
}

/** A JSON body, if the target reads one. */
function json(
  name: string,
  body: (target: Target) => string | Buffer,
  headers: Sent['headers'] = {},
  expected: Abuse['expected'] = always,
): Abuse {
  const sentTo = (target: Target) =>
    target.reads.includes('json')
      ? sent(target, { body: body(target), headers: { 'content-type': target.jsonType, ...headers } })
      : undefined
  return { name: `JSON: ${name}`, sentTo, expected }
}

/** A form, if the target reads one. */
function form(
  name: string,
  body: (target: Target) => string | Buffer,
  headers: Sent['headers'] = {},
  expected: Abuse['expected'] = always,
): Abuse {
  const sentTo = (target: Target) =>
    target.reads.includes('form')
      ? sent(target, { body: body(target), headers: { 'content-type': formType, ...headers } })
      : undefined
  return { name: `form: ${name}`, sentTo, expected }
}

const part = 'Content-Disposition: form-data; name="file"'

function upload(name: string, body: string, boundary = '; boundary=b'): Abuse {
  const headers = { 'content-type': `multipart/form-data${boundary}` }
  const sentTo = (target: Target) =>
    target.reads.join() === 'form' ? sent(target, { body, headers }) : undefined
  return { name: `upload: ${name}`, sentTo, expected: never }
}

/** A query, which strict targets refuse. */
function query(name: string, text: string, expected: Abuse['expected'] = never): Abuse {
  const sentTo = (target: Target) =>
    sent(target, { path: `${target.path}${target.path.includes('?') ? '&' : '?'}${text}` })
  return { name: `query: ${name}`, sentTo, expected }
}

/** Text in place of the first variable part of the path. */
function inPath(name: string, text: string): Abuse {
  const sentTo = (target: Target) =>
    target.place === undefined
      ? undefined
      : sent(target, { path: target.path.replace(target.place, () => text) })
  return { name: `path: ${name}`, sentTo, expected: never }
}

/** Member names, as many as fit into a body, up to a maximum. */
function names(target: Target, most: number): string {
  const members = Array.from(
    { length: Math.min(most, Math.floor(target.maxBytes / 10)) },
    (_, index) => `"${index.toString(36).padStart(4, 'n')}":1`,
  )
  return `{${members.join(',')}}`
}

const gzip = { 'content-encoding': 'gzip' }
const utf16 = { 'content-type': 'application/json; charset=utf-16le' }

/** Requests with a body, also to targets that read none. */
const anyBody: Abuse[] = [
  {
    name: 'no body',
    sentTo: (target) => (target.method === 'GET' ? undefined : sent(target, { body: '' })),
    expected: never,
  },
  {
    name: 'a body of another type',
    sentTo: (target) => sent(target, { body: '<a/>', headers: { 'content-type': 'text/xml' } }),
    expected: ({ isStrict, reads }) => (isStrict && reads.includes('form') ? 'refused' : 'any'),
  },
  {
    name: 'a body that is not what it is called',
    sentTo: (target) => sent(target, { body: '{', headers: { 'content-type': target.jsonType } }),
    expected: ({ isStrict, reads }) => (isStrict && reads.includes('json') ? 'refused' : 'any'),
  },
  {
    name: 'a token in a form',
    sentTo: (target) =>
      target.method === 'POST'
        ? sent(target, { body: 'access_token=x', headers: { 'content-type': formType } })
        : undefined,
    expected: ({ isStrict, reads }) => (isStrict && reads.includes('form') ? 'refused' : 'any'),
  },
]

const bodies: Abuse[] = [
  json('one byte too many', ({ maxBytes }) => `{"a":"${'x'.repeat(maxBytes - 7)}"}`, {}, tooLarge),
  json('a gzip bomb', () => bomb, gzip, tooLarge),
  json('gzip that ends too soon', () => bomb.subarray(0, 30), gzip),
  json('90,000 names', (target) => names(target, 90_000)),
  json('90,000 numbers', ({ maxBytes }) => `{"a":[${'1,'.repeat(Math.min(150_000, maxBytes / 2 - 10))}1]}`),
  json('depth 10,000', () => `{"a":${'['.repeat(10_000)}${']'.repeat(10_000)}}`),
  json('depth 10,000, of objects', () => `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`),
  json('one name twice', () => '{"no_such_member":1,"no_such_member":1}'),
  json('one name twice, inside', () => '{"profile":{"a":1,"\\u0061":1}}'),
  json('__proto__', () => '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}'),
  json('a lone surrogate', () => '{"client_id":"\\ud800","userName":"\\ud800"}'),
  json('a lone surrogate as a name', () => '{"\\udc00":1}'),
  json('NUL', () => '{"client_id":"\\u0000","userName":"\\u0000"}'),
  json('NUL as a name', () => '{"a\\u0000":1}'),
  json('a list', () => '[]', {}, where),
  json('null', () => 'null'),
  json('UTF-16', () => Buffer.from('{}', 'utf16le'), utf16),
  json('Latin-1', () => Buffer.from('{"a":"\xe9"}', 'latin1')),
  form('one byte too many', ({ maxBytes }) => `a=${'x'.repeat(maxBytes - 1)}`, {}, tooLarge),
  form('a gzip bomb', () => bomb, gzip, tooLarge),
  form('as many names as go in', ({ maxBytes }) => 'a=1&'.repeat(Math.min(90_000, maxBytes / 4 - 1))),
  form('depth 10,000', ({ maxBytes }) => `a${'[b]'.repeat(Math.min(10_000, maxBytes / 3 - 4))}=1`, {}, where),
  form('one name twice', () => 'client_id=a&client_id=b', {}, where),
  form('__proto__', () => '__proto__[polluted]=1&constructor[prototype][polluted]=1', {}, never),
  form('half of a surrogate pair', () => 'client_id=%ED%A0%80', {}, never),
  form('NUL', () => 'client_id=%00', {}, where),
]

/** Forms with files, which only pages accept; pages without uploads ignore files. */
const uploads: Abuse[] = [
  upload('9,000 parts', `--b\r\n${part}\r\n\r\n1\r\n`.repeat(9000)),
  upload('90,000 lines before a part', `--b\r\n${part}\r\n${'X: y\r\n'.repeat(90_000)}\r\n1\r\n`),
  upload('no end', `--b\r\n${part}\r\n\r\n`),
  upload('no boundary', part, ''),
]

const others: Abuse[] = [
  query('an unknown parameter', 'no_such_parameter=1', ({ isStrict, reads }) =>
    isStrict && reads.includes('form') ? 'refused' : 'any',
  ),
  query('a parameter twice', 'client_id=a&client_id=b&page=1&page=2'),
  query('2,000 parameters', 'a&'.repeat(2000)),
  query('brackets in brackets', `a${'[b]'.repeat(2000)}=1`),
  query('__proto__', '__proto__[polluted]=1&__proto__=1'),
  query('NUL', 'page=%00&client_id=%00&ui_locales=%00'),
  query('no UTF-8', 'page=%ED%A0%80&client_id=%zz&filter=%'),
  query('a token', 'access_token=x'),
  inPath('%', '%'),
  inPath('NUL', '%00'),
  inPath('half of a surrogate pair', '%ED%A0%80'),
  inPath('dots', '..%2f..%2f'),
  inPath('__proto__', '__proto__'),
  inPath('5,000 characters', 'x'.repeat(5000)),
  {
    name: 'two Host headers',
    sentTo: (target) => sent(target, { headers: { host: ['localhost', 'evil.example'] } }),
    expected: always,
  },
]

export const abuses: readonly Abuse[] = [...anyBody, ...bodies, ...uploads, ...others]

/** Requests that the HTTP server refuses before routing, with an answer without a body. */
export function isOfServer({ name }: Abuse): boolean {
  return name === 'two Host headers'
}
