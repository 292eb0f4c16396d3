import type { MetaKey } from '@portico/contract/metadata'
import { expect, test } from 'vitest'
import { mappedValues, type Said } from './mapped-values.js'

function keyOf(name: string, type: MetaKey['type'], required = false) {
  return { id: name, name, type, required }
}

const keys = [
  keyOf('title', 'string'),
  keyOf('level', 'integer'),
  keyOf('tags', 'json'),
  keyOf('since', 'date', true),
]
const rules = [
  { from: 'title', to: 'metadata.title' },
  { from: 'level', to: 'metadata.level' },
  { from: 'tags', to: 'metadata.tags' },
  { from: 'since', to: 'metadata.since' },
  { from: 'site', to: 'profile.website' },
]

function mapped(said: Readonly<Record<string, Said>>) {
  const { metadata, profile, unfit } = mappedValues({ rules, keys }, (from) => said[from])
  return { ...Object.fromEntries(metadata.map(({ key, value }) => [key.name, value])), profile, unfit }
}

function simple(value: unknown): Said {
  return { whole: value, one: value }
}

test('values have the form of their key: text, and of json all that there is', () => {
  expect(
    mapped({
      title: simple('Head of Engines'),
      level: simple(7),
      tags: { whole: ['a', { b: 1 }], one: 'a' },
      since: simple('1815-12-10'),
      site: simple('https://ada.example'),
    }),
  ).toEqual({
    title: 'Head of Engines',
    level: '7',
    tags: '["a",{"b":1}]',
    since: '1815-12-10',
    profile: { website: 'https://ada.example' },
    unfit: [],
  })
})

test('what is said no more has no value, but that of a required key stays, and is told of', () => {
  expect(mapped({})).toEqual({
    ...{ title: null, level: null, tags: null },
    profile: { website: null },
    unfit: ['metadata.since'],
  })
  expect(mapped({ since: simple(' ') }).unfit).toEqual(['metadata.since'])
})

test.each([
  ['level', simple('seven'), 'metadata.level'],
  ['level', simple(1.5), 'metadata.level'],
  ['title', simple('x'.repeat(2001)), 'metadata.title'],
  ['title', simple('a\0b'), 'metadata.title'],
  ['title', simple('\ud800'), 'metadata.title'],
  ['title', { whole: { a: 1 }, one: undefined }, 'metadata.title'],
  ['tags', simple(JSON.parse('{"__proto__":{"admin":true}}')), 'metadata.tags'],
  ['site', simple('javascript:alert(1)'), 'profile.website'],
])('a value of %s that does not fit is left out, and told of: %j', (from, said, target) => {
  const since = simple('1815-12-10')
  const { unfit, profile, ...metadata } = mapped({ since, [from]: said })
  expect(unfit).toEqual([target])
  expect({ ...metadata, ...profile }).toMatchObject({ [from === 'site' ? 'website' : from]: null })
})
