import { expect, test } from 'vitest'
import { isMatch } from './element-filter.js'
import { readElementFilter, readFilter } from './filter.js'
import { attributeNamed, userSchemas } from '../../directory/directory-sync/schema-path.js'
import { ScimError } from './scim-error.js'

const ignore = () => undefined

/** The first comparison of a filter, with the names that it found. */
function comparisonOf(text: string) {
  const filter = readFilter(userSchemas, text, ignore)
  if (filter.kind !== 'comparison') return filter.kind
  const { schema, attribute, sub } = filter.subject
  return [schema.name, attribute.name, sub?.name, filter.operator, filter.value]
}

test.each([
  ['userName eq "ada"', ['User', 'userName', undefined, 'eq', 'ada']],
  ['USERNAME EQ "ada"', ['User', 'userName', undefined, 'eq', 'ada']],
  ['urn:ietf:params:scim:schemas:core:2.0:User:userName sw "a"', ['User', 'userName', undefined, 'sw', 'a']],
  [
    'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:manager.value eq "7"',
    ['EnterpriseUser', 'manager', 'value', 'eq', '7'],
  ],
  ['emails co "example"', ['User', 'emails', 'value', 'co', 'example']],
  ['name.familyName eq "O\'Hara"', ['User', 'name', 'familyName', 'eq', "O'Hara"]],
  ['active eq true', ['User', 'active', undefined, 'eq', true]],
  ['active eq True', ['User', 'active', undefined, 'eq', true]],
  ['active eq "False"', ['User', 'active', undefined, 'eq', false]],
  ['manager eq "7"', ['EnterpriseUser', 'manager', 'value', 'eq', '7']],
  ['externalId eq jyoung', ['User', 'externalId', undefined, 'eq', 'jyoung']],
  ['id eq 2819c223-7f76', ['User', 'id', undefined, 'eq', '2819c223-7f76']],
  ['externalId eq 701984', ['User', 'externalId', undefined, 'eq', '701984']],
])('%s', (text, comparison) => {
  expect(comparisonOf(text)).toEqual(comparison)
})

test.each(['a"b', 'a\\', 'a\\\\b', '\u0041', 'true) or (', 'line\nbreak', '", "', 'é'])(
  'the text %j is compared as it is',
  (text) => {
    expect(comparisonOf(`userName eq ${JSON.stringify(text)}`)).toEqual([
      'User',
      'userName',
      undefined,
      'eq',
      text,
    ])
  },
)

test('and binds before or, not before both', () => {
  const filter = readFilter(userSchemas, 'not (active eq true) and title pr or userName eq "a"', ignore)
  expect(filter).toMatchObject({
    kind: 'or',
    filters: [{ kind: 'and', filters: [{ kind: 'not' }, { kind: 'present' }] }, { kind: 'comparison' }],
  })
})

test('what is compared behind brackets is about the element in them', () => {
  const filter = readFilter(userSchemas, 'emails[type eq "work"].value eq "a" and active eq true', ignore)
  expect(filter).toMatchObject({
    kind: 'and',
    filters: [
      {
        kind: 'element',
        list: { attribute: { name: 'emails' } },
        filter: {
          kind: 'and',
          filters: [
            { subject: { name: 'type' }, value: 'work' },
            { subject: { name: 'value' }, value: 'a' },
          ],
        },
      },
      { kind: 'comparison', value: true },
    ],
  })
})

test('null is compared as what is not there', () => {
  expect(readFilter(userSchemas, 'title eq null', ignore)).toMatchObject({
    kind: 'not',
    filter: { kind: 'present' },
  })
  expect(readFilter(userSchemas, 'title ne null', ignore)).toMatchObject({ kind: 'present' })
})

test.each([
  ['nothing', ''],
  ['an attribute that is none', 'nothing eq "x"'],
  ['a prototype', '__proto__.x eq "x"'],
  ['a password', 'password eq "x"'],
  ['an object', 'name eq "x"'],
  ['a text that is not closed', 'userName eq "x'],
  ['line breaks that are not closed', `userName eq "${'\n'.repeat(60)}`],
  ['an unknown operator', 'userName is "x"'],
  ['words behind', 'userName eq "x" userName'],
  ['a boolean that is none', 'active eq "perhaps"'],
  ['a boolean by order', 'active gt true'],
  ['a time that is none', 'meta.lastModified gt "yesterday"'],
  ['null by order', 'title gt null'],
  ['brackets that stay open', 'emails[type eq "work"'],
  ['brackets in brackets', 'emails[value[type eq "work"]]'],
  ['brackets of a text', 'userName[type eq "work"]'],
  ['2,000 characters', `userName eq "${'x'.repeat(2000)}"`],
  ['brackets 31 deep', `${'('.repeat(31)}title pr${')'.repeat(31)}`],
  ['10,000 brackets', '('.repeat(10_000)],
  ['a NUL', 'userName eq "\\u0000"'],
  ['SQL', "userName eq 'x' or 1=1 --"],
])('400 invalidFilter: %s', (_what, text) => {
  expect(() => readFilter(userSchemas, text, ignore)).toThrow(ScimError)
  try {
    readFilter(userSchemas, text, ignore)
  } catch (error) {
    expect(error instanceof ScimError && error.fault).toEqual({ status: 400, scimType: 'invalidFilter' })
  }
})

test('brackets 30 deep are read', () => {
  expect(readFilter(userSchemas, `${'('.repeat(30)}title pr${')'.repeat(30)}`, ignore).kind).toBe('present')
})

const emails = attributeNamed(userSchemas.core.attributes, 'emails')
const work = { value: 'Ada@awesome.example', type: 'work', primary: true }

test.each([
  ['type eq "WORK"', true],
  ['type ne "work"', false],
  ['type eq "work" and primary eq "True"', true],
  ['primary eq false', false],
  ['not (display pr)', true],
  ['display ne "x"', true],
  ['value co "AWESOME"', true],
  ['value sw "ada" and value ew ".example"', true],
  ['type gt "home" and type le "work"', true],
  ['type eq "home" or type eq "other"', false],
])('an element with %s: %s', (text, fits) => {
  if (emails === undefined) throw new Error('emails is an attribute of users')
  expect(isMatch(readElementFilter(emails, text, ignore), work)).toBe(fits)
})

test('an element that says nothing of primary is not primary', () => {
  if (emails === undefined) throw new Error('emails is an attribute of users')
  expect(isMatch(readElementFilter(emails, 'primary eq false', ignore), { value: 'x' })).toBe(true)
})
