import { isUtf8 } from 'node:buffer'
import express, { type Request, type RequestHandler, type Response } from 'express'
import { BodyFault } from './body-fault.js'
import { measureJson, type JsonBounds } from './json-size.js'

// The only readers of bodies (the lint rule portico/bodies), so that each is bounded while it is read: in bytes, also
// once decompressed, and in what a parser would make of them. Refusals are BodyFaults.

const formType = 'application/x-www-form-urlencoded'

/** More fields than any form of our pages has, with room for those that other senders add. */
const maxFields = 100
/** Fields of a form that stands for the JSON of an operation. */
const maxOperationFields = 1000
/** Of names with brackets, such as profile[address][locality]. */
const maxFormDepth = 6
/** Of a form with a file, and characters before the content of each. */
const maxParts = 20
const maxPartHead = 2000

/**
 * Reads JSON into `req.body`, which is an object or a list afterwards; a body of another type is not read.
 *
 * @param bounds bytes: once unpacked.
 */
export function jsonReader({
  types = ['application/json'],
  ...bounds
}: JsonBounds & { readonly bytes: number; readonly types?: string[] }): RequestHandler {
  const verify = (_req: unknown, _res: unknown, bytes: Buffer, charset: string) => {
    if (charset !== 'utf-8') throw new BodyFault('unsupported', 'JSON must be in UTF-8.')
    if (!isUtf8(bytes)) throw new BodyFault('malformed', 'The body must be UTF-8.')
  }
  const read = express.text({ type: types, limit: bounds.bytes, verify })
  return afterwards(read, (req) => {
    const body: unknown = req.body
    if (typeof body === 'string') req.body = parseJson(body, bounds)
  })
}

/** @throws BodyFault `malformed`, `too_many` */
function parseJson(text: string, bounds: JsonBounds): object {
  // Some clients send no body as an empty one.
  if (text === '') return {}
  const names = measureJson(text, bounds)
  const value = parsed(text)
  if (typeof value !== 'object' || value === null)
    throw new BodyFault('malformed', 'The body must be a JSON object.')
  // An intermediary may have used the first of two equal names (RFC 8259 section 4).
  if (countNames(value) !== names) throw new BodyFault('malformed', 'The body has two members of one name.')
  return value
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new BodyFault('malformed', unreadable, { cause })
  }
}

function countNames(value: object): number {
  const members: unknown[] = Object.values(value)
  let count = Array.isArray(value) ? 0 : members.length
  for (const member of members) if (typeof member === 'object' && member !== null) count += countNames(member)
  return count
}

/** Reads the form of a page into `req.body`, by the names of its fields; repeated ones are lists. */
export function formReader(bytes: number): RequestHandler {
  return afterwards(express.urlencoded({ extended: false, limit: bytes, parameterLimit: maxFields }))
}

/** Reads a form that stands for JSON: brackets in names make objects and lists of it. */
export function nestedFormReader(bytes: number): RequestHandler {
  const bounds = { limit: bytes, parameterLimit: maxOperationFields, depth: maxFormDepth }
  return afterwards(express.urlencoded({ extended: true, ...bounds }))
}

/** Reads a form into `req.body` as unparsed text. */
export function formTextReader(bytes: number): RequestHandler {
  return afterwards(express.text({ type: formType, limit: bytes }), (req) => {
    const body: unknown = req.body
    if (typeof body === 'string' && body.split('&', maxFields + 1).length > maxFields) throw tooManyFields()
  })
}

/** Reads a form with a file into `req.body` as unparsed bytes. */
export function uploadReader(bytes: number): RequestHandler {
  return afterwards(express.raw({ type: 'multipart/form-data', limit: bytes }), (req) => {
    const body: unknown = req.body
    if (Buffer.isBuffer(body)) checkParts(body, req.headers['content-type'] ?? '')
  })
}

/** @throws BodyFault `too_many` */
function checkParts(body: Buffer, contentType: string): void {
  const boundary = /boundary=(?:"([^"]*)"|([^;\s]*))/i.exec(contentType)
  const mark = `--${boundary?.[1] ?? boundary?.[2] ?? ''}`
  let parts = 0
  for (let at = body.indexOf(mark); at >= 0; at = body.indexOf(mark, at + mark.length)) {
    parts += 1
    if (parts > maxParts) throw tooManyFields()
    const head = body.subarray(at, at + maxPartHead)
    if (head.length === maxPartHead && !head.includes('\r\n\r\n')) throw tooManyFields()
  }
}

/** A reader whose failures are BodyFaults, and the use of the body that was read. */
function afterwards(read: RequestHandler, use?: (req: Request) => void): RequestHandler {
  return (req: Request, res: Response, next) => {
    void read(req, res, (error?: unknown) => {
      if (error !== undefined) {
        next(toBodyFault(error))
        return
      }
      try {
        use?.(req)
      } catch (fault) {
        next(fault)
        return
      }
      next()
    })
  }
}

/** The parsers report faults by status and type. */
function toBodyFault(error: unknown): unknown {
  if (error instanceof BodyFault || !(error instanceof Error) || !('status' in error)) return error
  const type = 'type' in error ? error.type : undefined
  const options = { cause: error }
  if (type === 'parameters.too.many' || type === 'querystring.parse.rangeError') return tooManyFields(options)
  if (error.status === 413) return new BodyFault('too_large', 'The body is too large.', options)
  if (error.status === 415)
    return new BodyFault('unsupported', 'The charset or the encoding of the body is not known.', options)
  return error.status === 400 ? new BodyFault('malformed', unreadable, options) : error
}

const unreadable = 'The body cannot be read: send valid JSON, or an urlencoded form.'

function tooManyFields(options?: ErrorOptions): BodyFault {
  return new BodyFault('too_many', 'The form must have fewer fields, and names of fewer brackets.', options)
}
