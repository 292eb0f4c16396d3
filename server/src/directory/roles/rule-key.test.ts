import { expect, test } from 'vitest'
import { ruleKey } from './rule-key.js'

test('attributes and values are compared in any case, values after NFKC', () => {
  expect(ruleKey('memberOf', 'Ａdmins')).toBe(ruleKey('MEMBEROF', 'admins'))
  expect(ruleKey(null, 'Finance')).toBe('=finance')
})

test('a value with "=" is no value of an attribute whose name has it', () => {
  expect(ruleKey('a', 'b=c')).toBe('a=b=c')
  expect(ruleKey('a=b', 'c')).not.toBe(ruleKey('a', 'b=c'))
  expect(ruleKey('=b', 'c')).not.toBe(ruleKey(null, 'b=c'))
})
