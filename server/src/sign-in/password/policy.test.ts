import { describe, expect, test } from 'vitest'
import { openCommonPasswords } from '../../platform/passwords/common-passwords.js'
import { findPasswordFault, hasAllowedLength } from './policy.js'

const lengths = { min: 8, max: 20 }
const ownTexts = ['ada@awesome.example', 'Ada', 'Lovelace', 'Ada Lovelace', 'Awesome company', 'Portico']

describe('the length of a password', () => {
  test.each([
    ['seven characters', 'a1b2c3d', false],
    ['eight', 'a1b2c3d4', true],
    ['twenty', 'x'.repeat(20), true],
    ['twenty-one', 'x'.repeat(21), false],
    ['eight of four bytes each', '🌊🌲🌋🌵🌾🍁🍄🍀', true],
    ['seven of four bytes each', '🌊🌲🌋🌵🌾🍁🍄', false],
    ['twenty letters with an accent each, typed as two signs', 'e\u0301'.repeat(20), true],
    ['seven letters with an accent each, typed as two signs', 'e\u0301'.repeat(7), false],
  ])('%s', (_name, plainText, isAllowed) => {
    expect(hasAllowedLength(plainText, lengths)).toBe(isAllowed)
    expect(findPasswordFault(plainText, lengths, [])?.code).toBe(isAllowed ? undefined : 'wrong_length')
  })
})

describe('a password made of what everybody knows of its user', () => {
  test.each([
    'ada@awesome.example',
    'ADA@AWESOME.EXAMPLE',
    'adaawesomeexample',
    'Lovelace1815',
    'l o v e l a c e !!!',
    'Ada.Lovelace',
    'awesome-company-1',
    'ＡｗｅｓｏｍｅCo1',
    'Portico!2026',
    'porticoportico',
    'adaPortico99abc',
  ])('%s is refused', (plainText) => {
    expect(findPasswordFault(plainText, { min: 8, max: 40 }, ownTexts)?.code).toBe('too_personal')
  })

  test.each([
    'velvet harbour 41',
    'Lovelace rowed home',
    'portico lanterns',
    'granada in winter',
    '29175510038',
    '海辺の灯台と古い時計',
  ])('%s has more in it', (plainText) => {
    expect(findPasswordFault(plainText, { min: 8, max: 40 }, ownTexts)).toBeUndefined()
  })

  test('words of two letters say nothing', () => {
    expect(findPasswordFault('jojojojojo', lengths, ['Jo', 'Li'])).toBeUndefined()
  })
})

describe('the list of common passwords', () => {
  const isCommon = openCommonPasswords()

  test.each([
    '123456',
    'password',
    'PassWord',
    'qwerty',
    'iloveyou',
    'letmein',
    'ｐａｓｓｗｏｒｄ',
    'monkey12',
  ])('has %s', (plainText) => {
    expect(isCommon(plainText)).toBe(true)
  })

  test('has hardly any other: of a hundred thousand made up here, at most a handful', () => {
    const madeUp = Array.from({ length: 100_000 }, (_, index) => `velvet harbour ${index} lanterns`)

    expect(madeUp.filter(isCommon).length).toBeLessThan(20)
  })
})
