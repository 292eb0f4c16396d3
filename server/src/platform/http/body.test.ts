import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { scimLimits } from '@portico/contract/scim'
import express, { type ErrorRequestHandler, type RequestHandler } from 'express'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { BodyFault } from './body-fault.js'
import { formReader, formTextReader, jsonReader, nestedFormReader, uploadReader } from './body.js'

const bounds = { bytes: 2_000_000, values: 1000, names: 150 }
const ended: (() => void)[] = []

afterEach(() => {
  vi.restoreAllMocks()
  for (const end of ended.splice(0)) end()
})

/** The result of reading a body: the parsed value, or the kind of fault. */
async function readBy(
  reader: RequestHandler,
  body: string | Buffer,
  type: string,
  headers: Record<string, string> = {},
): Promise<unknown> {
  const answerFault: ErrorRequestHandler = (error: unknown, _req, res, _next) =>
    void res.json(error instanceof BodyFault ? { kind: error.kind } : { error: String(error) })
  const answerBody: RequestHandler = (req, res) => void res.json({ body: req.body as unknown })
  const app = express().use(reader, answerBody, answerFault)
  const server = app.listen(0, '127.0.0.1')
  ended.push(() => server.close())
  await once(server, 'listening')
  // Only the address of a pipe is a string.
  const { port } = server.address() as AddressInfo
  const sent = {
    method: 'POST',
    headers: { 'content-type': type, ...headers },
    body: new Uint8Array(Buffer.from(body)),
  }
  return (await fetch(`http://127.0.0.1:${port}`, sent)).json()
}

const readJson = (body: string | Buffer, type = 'application/json', headers = {}) =>
  readBy(jsonReader(bounds), body, type, headers)
const readScim = (body: string) =>
  readBy(
    jsonReader({ bytes: scimLimits.bodyBytes, values: scimLimits.bodyValues, names: scimLimits.names }),
    body,
    'application/json',
  )
const listOf = (count: number, toText: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => toText(index)).join(',')

describe('JSON', () => {
  test('is read as it is', async () => {
    const body = { a: '"}],[{:\\', 'b"': [1, {}, [null, true]], é: { a: 1, b: { a: 2 } } }

    expect(await readJson(JSON.stringify(body, null, 2))).toEqual({ body })
    expect(await readJson(`\uFEFF${JSON.stringify(body)}`)).toEqual({ body })
  })

  test.each([
    ['1,000 numbers', `{"a":[${listOf(999, String)}]}`],
    ['150 names', `{${listOf(150, (index) => `"${index}":1`)}}`],
    ['the same names again and again', `[${listOf(300, () => '{"a":1,"b":2}')}]`],
    [
      '3 objects of the same 140 names',
      `[${listOf(3, () => `{${listOf(140, (index) => `"${index}":1`)}}`)}]`,
    ],
    ['32 levels', `${'['.repeat(32)}${']'.repeat(32)}`],
    ['a name of 1,000 characters', `{"${'a'.repeat(1000)}":1}`],
    ['brackets in a text', `{"a":"${'[{,:\\"'.repeat(1000)}"}`],
  ])('may have %s', async (_what, body) => {
    expect(await readJson(body)).toEqual({ body: JSON.parse(body) as unknown })
  })

  test.each([
    ['1,001 numbers', `{"a":[${listOf(1001, String)}]}`],
    ['1,001 lists', `[${listOf(1001, () => '[]')}]`],
    ['151 names', `{${listOf(151, (index) => `"${index}":1`)}}`],
    ['151 names, one for each object', `[${listOf(151, (index) => `{"${index}":1}`)}]`],
    [
      '5 objects of the same 140 names',
      `[${listOf(5, () => `{${listOf(140, (index) => `"${index}":1`)}}`)}]`,
    ],
    ['33 levels', `${'['.repeat(33)}${']'.repeat(33)}`],
    ['a million levels that do not end', '['.repeat(1_000_000)],
    ['90,000 names', `{${listOf(90_000, (index) => `"${index}":1`)}}`],
    ['a name of 1,001 characters', `{"${'a'.repeat(1001)}":1}`],
  ])('nothing is made of a body of %s', async (_what, body) => {
    const parse = vi.spyOn(JSON, 'parse')

    const read = readJson(body)

    expect(await read).toEqual({ kind: 'too_many' })
    expect(parse.mock.calls.filter(([text]) => text === body)).toEqual([])
  })

  test.each([
    ['two members of one name', '{"a":1,"a":1}'],
    ['two of one name, in other letters', '{"b":{"a":1,"\\u0061":1}}'],
    ['a text without an end', '{"a":"'],
    ['a million colons after one text', `{"${'a'.repeat(1000)}"${':'.repeat(1_000_000)}`],
    ['null', 'null'],
    ['a text alone', '"a"'],
  ])('is malformed with %s', async (_what, body) => {
    expect(await readJson(body)).toEqual({ kind: 'malformed' })
  })

  test('is UTF-8 (RFC 8259 section 8.1)', async () => {
    expect(await readJson(Buffer.from('{"a":"é"}', 'latin1'))).toEqual({ kind: 'malformed' })
    expect(await readJson(Buffer.from('{}', 'utf16le'), 'application/json; charset=utf-16le')).toEqual({
      kind: 'unsupported',
    })
  })

  test('is bounded in bytes after it is unpacked, too', async () => {
    const large = `{"a":"${'x'.repeat(bounds.bytes)}"}`

    expect(await readJson(large)).toEqual({ kind: 'too_large' })
    expect(await readJson(gzipSync(large), undefined, { 'content-encoding': 'gzip' })).toEqual({
      kind: 'too_large',
    })
  })

  test('of SCIM may be a group with as many members as one request names, and all that they have', async () => {
    const member = (index: number) => `{"value":"${index}","display":"A","type":"User","$ref":"/${index}"}`
    const body = `{"displayName":"A","members":[${listOf(scimLimits.members, member)}]}`

    expect(await readScim(body)).toEqual({ body: JSON.parse(body) as unknown })
    expect(await readScim(`{${listOf(90_000, (index) => `"n${index}":1`)}}`)).toEqual({ kind: 'too_many' })
  })
})

describe('a form', () => {
  const formType = 'application/x-www-form-urlencoded'
  const fields = (count: number) => `${'a=1&'.repeat(count - 1)}a=1`

  test.each([
    ['a page', formReader(1_000_000), 100],
    ['a page, as text', formTextReader(1_000_000), 100],
    ['an operation', nestedFormReader(1_000_000), 1000],
  ])('of %s has a bounded number of fields', async (_whose, reader, most) => {
    expect(await readBy(reader, fields(most), formType)).toHaveProperty('body')
    expect(await readBy(reader, fields(most + 1), formType)).toEqual({ kind: 'too_many' })
  })

  test('of an operation has names of six brackets at most', async () => {
    const reader = nestedFormReader(1_000_000)

    expect(await readBy(reader, `a${'[b]'.repeat(6)}=1`, formType)).toHaveProperty('body.a')
    expect(await readBy(reader, `a${'[b]'.repeat(7)}=1`, formType)).toEqual({ kind: 'too_many' })
  })

  test('with a file has a bounded number of parts, and little before the content of each', async () => {
    const reader = uploadReader(1_000_000)
    const part = (head: string) => `--b\r\nContent-Disposition: form-data; name="a"${head}\r\n\r\n1\r\n`
    const sent = (body: string) => readBy(reader, `${body}--b--\r\n`, 'multipart/form-data; boundary=b')

    expect(await sent(part('').repeat(10))).toHaveProperty('body')
    expect(await sent(part('').repeat(30))).toEqual({ kind: 'too_many' })
    expect(await sent(part('\r\nX: y'.repeat(1000)))).toEqual({ kind: 'too_many' })
  })
})
