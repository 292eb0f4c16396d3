import { expect, test } from 'vitest'
import { isEmailDomainAllowed } from './allowed-domain.js'

test('without a list of domains every address may sign in', () => {
  expect(isEmailDomainAllowed(null, 'ada@corp.example')).toBe(true)
  expect(isEmailDomainAllowed([], 'ada@corp.example')).toBe(true)
})

test('with one, only the very domains in it may', () => {
  expect(isEmailDomainAllowed(['corp.example'], 'ada@corp.example')).toBe(true)
  expect(isEmailDomainAllowed(['corp.example'], 'ada@sub.corp.example')).toBe(false)
  expect(isEmailDomainAllowed(['corp.example'], 'ada@evilcorp.example')).toBe(false)
  expect(isEmailDomainAllowed(['corp.example'], 'corp.example@evil.example')).toBe(false)
})
