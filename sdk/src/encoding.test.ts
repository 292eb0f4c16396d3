import { expect, test } from 'vitest'
import { encodeRequest, formOf } from './encoding.js'

test('nested names are in brackets, and what is undefined or null is left out', () => {
  const form = formOf({ q: { status_in: ['up', 'down'], from: null }, page: 2, all: true, after: undefined })

  expect(decodeURIComponent(form)).toBe('q[status_in][]=up&q[status_in][]=down&page=2&all=true')
})

test('a filter by an empty list is said, and not left out: the list would be wider', () => {
  expect(decodeURIComponent(formOf({ q: { status_in: [] } }))).toBe('q[status_in][]=')
})

test('what is not in the path is in the body, and in the query of a request without one', () => {
  const input = { id: 7, since: 'a b', name: null }

  expect(encodeRequest(['POST', '/x/:id', 'b'], input)).toEqual({
    target: '/x/7',
    body: '{"since":"a b","name":null}',
    contentType: 'application/json',
  })
  expect(encodeRequest(['POST', '/x/:id', 'bf'], input)).toEqual({
    target: '/x/7',
    body: 'since=a+b',
    contentType: 'application/x-www-form-urlencoded',
  })
  expect(encodeRequest(['GET', '/x/:id', ''], input)).toEqual({ target: '/x/7?since=a+b' })
})

test('a deletion without a body sends none, and one with a body sends it', () => {
  expect(encodeRequest(['DELETE', '/x/:id', ''], { id: 'a' }).body).toBeUndefined()
  expect(encodeRequest(['DELETE', '/x', 'b'], { key_name: 'a' }).body).toBe('{"key_name":"a"}')
})

test('an update of nothing sends an empty object', () => {
  expect(encodeRequest(['PUT', '/x/:id', 'b'], { id: 'a' }).body).toBe('{}')
})

test.each([undefined, null, true, {}, '\ud800'])('the path parameter %j is refused', (id) => {
  expect(() => encodeRequest(['GET', '/x/:id', ''], { id })).toThrow(TypeError)
})
