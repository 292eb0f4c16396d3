import { access } from '@portico/contract/access'
import { deprecated } from '@portico/contract/deprecation'
import { routes } from '@portico/contract/walk'
import { expect, test } from 'vitest'
import { z } from 'zod/v4'
import { methodComment } from '../method-comment.js'
import { renderObject } from '../render-type.js'

// Nothing in the contract is deprecated yet, so the tests use deprecated schemas and routes of their own.
const promise = { since: '2027-01-01', sunset: '2028-01-01', instead: 'name' }
const sentence = 'Deprecated since 2027-01-01, and may be gone from 2028-01-01 on: use `name` instead.'

test('a member that will go is struck out by editors, with its description before', () => {
  const nick = deprecated(z.string().describe('How friends call the user'), promise)
  const members = [
    { name: 'nick', schema: nick.optional() },
    { name: 'name', schema: z.string() },
  ]
  const written = renderObject(members, 'output', new Map())

  expect(written).toContain(
    `/**\n * How friends call the user.\n * @deprecated ${sentence}\n */\nnick?: string`,
  )
  expect(written.match(/@deprecated/g)).toHaveLength(1)
})

test('a method that will go is, too', () => {
  const [route] = routes()
  if (route === undefined) expect.unreachable('the contract has no route')
  const method = {
    ...{ route, output: 'User', item: undefined, required: [], codes: [] },
    ...{ refusesAsOAuth: false, caller: { name: 'client', error: 'ApiError', codes: {} } },
  }
  const going = access({
    tag: { name: 'Users', description: 'People.' },
    scope: 'read:users',
    deprecated: promise,
  })

  expect(methodComment({ ...method, route: { ...route, access: going } })).toContain(
    `@deprecated ${sentence}`,
  )
  expect(methodComment(method).join()).not.toContain('@deprecated')
})
