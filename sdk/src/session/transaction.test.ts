import { expect, test } from 'vitest'
import { createCookieJar } from './cookies.js'
import { createSealer } from './seal.js'
import { createTransactions } from './transaction.js'

const transaction = { nonce: 'n', verifier: 'v', returnTo: '/invoices', organization: 'awesome-company' }
const sealer = createSealer(['a-secret-of-at-least-32-characters'], ['https://app.example'])
const transactions = createTransactions(createCookieJar(true), sealer)

/** What a browser sends after these Set-Cookie headers, in their order. */
function cookieHeader(...setCookies: readonly string[]): string {
  const jar = new Map<string, string>()
  for (const setCookie of setCookies) {
    const [, name = '', value = '', age] = /^([^=]+)=([^;]*);.*Max-Age=(\d+)/.exec(setCookie) ?? []
    if (age === '0') jar.delete(name)
    else jar.set(name, value)
  }
  return [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
}

test('the answer to a sign-in finds what was begun, in a cookie of its own for ten minutes', async () => {
  const { state, setCookies } = await transactions.begin(transaction, null)

  expect(state).toMatch(/^[\w-]{43}$/)
  expect(setCookies).toEqual([
    expect.stringMatching(
      new RegExp(
        `^__Host-portico-tx-${state.slice(0, 8)}=v1\\.[\\w.-]+; Path=/; Max-Age=600; HttpOnly; SameSite=Lax; Secure$`,
      ),
    ),
  ])
  expect(await transactions.find(state, cookieHeader(...setCookies))).toEqual(transaction)
})

test('tabs do not disturb one another: each finds its own', async () => {
  const one = await transactions.begin({ ...transaction, returnTo: '/one' }, null)
  const two = await transactions.begin({ ...transaction, returnTo: '/two' }, cookieHeader(...one.setCookies))
  const cookies = cookieHeader(...one.setCookies, ...two.setCookies)

  expect(await transactions.find(one.state, cookies)).toMatchObject({ returnTo: '/one' })
  expect(await transactions.find(two.state, cookies)).toMatchObject({ returnTo: '/two' })
})

test('a browser keeps five at most: the oldest go', async () => {
  let setCookies: readonly string[] = []
  const states: string[] = []
  for (let index = 0; index < 8; index += 1) {
    const begun = await transactions.begin(transaction, cookieHeader(...setCookies))
    setCookies = [...setCookies, ...begun.setCookies]
    states.push(begun.state)
  }
  const cookies = cookieHeader(...setCookies)

  expect(cookies.split('; ')).toHaveLength(5)
  const found = await Promise.all(states.map((state) => transactions.find(state, cookies)))
  expect(found.map((each) => each !== undefined)).toEqual([false, false, false, true, true, true, true, true])
})

test('an answer with another state finds nothing, also with the same first characters', async () => {
  const { state, setCookies } = await transactions.begin(transaction, null)
  const cookies = cookieHeader(...setCookies)
  const other = await transactions.begin(transaction, null)
  const similar = state.slice(0, 8) + other.state.slice(8)

  for (const wrong of [other.state, similar, state.slice(0, 42), `${state}A`, '', `${state}=x; a`])
    expect(await transactions.find(wrong, cookies)).toBeUndefined()
})

test('the cookie of another sign-in under the name of this one does not open', async () => {
  const one = await transactions.begin(transaction, null)
  const two = await transactions.begin(transaction, null)
  const [, value = ''] = cookieHeader(...two.setCookies).split('=')

  const tossed = `__Host-portico-tx-${one.state.slice(0, 8)}=${value}`
  expect(await transactions.find(one.state, tossed)).toBeUndefined()
})

test('once it has ended it is not found', async () => {
  const { state, setCookies } = await transactions.begin(transaction, null)
  const cookies = cookieHeader(...setCookies, transactions.end(state))

  expect(await transactions.find(state, cookies)).toBeUndefined()
})

test('the names have no prefix on http of loopback', async () => {
  const { state, setCookies } = await createTransactions(createCookieJar(false), sealer).begin(
    transaction,
    null,
  )

  expect(setCookies.join()).toMatch(
    new RegExp(`^portico-tx-${state.slice(0, 8)}=[^;]+; [^;]+; [^;]+; HttpOnly; SameSite=Lax$`),
  )
})
