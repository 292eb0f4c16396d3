import { providerTypes } from '@portico/contract/sso-onboarding'
import { describe, expect, test } from 'vitest'
import { tutorialValues, type Block, type Words } from './tutorial.js'
import { assertedEmail, assertedProfile } from '../sso-sign-in/asserted-identity.js'
import { tutorials } from './tutorials.js'

describe.each(providerTypes)('the tutorial of %s', (type) => {
  const tutorial = tutorials[type]
  const blocks = tutorial.steps.flatMap((step) => step.blocks)

  test('is its own, and has steps that can be told apart', () => {
    expect(tutorial.id).toBe(type)
    expect(tutorial.steps.length).toBeGreaterThan(0)
    const ids = tutorial.steps.map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
    for (const { blocks: own } of tutorial.steps) expect(own.length).toBeGreaterThan(0)
  })

  test('offers our ACS URL and our entity ID to be copied', () => {
    const copied = blocks.flatMap((block) => (block.t === 'copy' ? [block.value] : []))
    expect(copied).toContain('acs_url')
    expect(copied).toContain('entity_id')
  })

  test('says everything in English and in French, each in its own words', () => {
    for (const { en, fr } of wordsOf(tutorial)) {
      expect(en.trim()).not.toBe('')
      expect(fr.trim()).not.toBe('')
      // What stands in the console is the same in both.
      if (/[a-z]{4,} [a-z]{2,} [a-z]{2,}/.test(en.replace(/\*\*.*?\*\*/g, ''))) expect(fr).not.toBe(en)
      expect(fr.match(/\*\*.*?\*\*/g) ?? []).toEqual(en.match(/\*\*.*?\*\*/g) ?? [])
      expect(fr).not.toMatch(/\w [:;?!]/)
    }
  })

  test.each(['email', 'given_name', 'family_name'] as const)(
    'names attributes as they are read: %s',
    (claim) => {
      const values = { email: 'ada@corp.example', given_name: 'Ada', family_name: 'Lovelace' }
      expect(tutorial.claims[claim].length).toBeGreaterThan(0)
      for (const name of tutorial.claims[claim]) {
        const said = { nameId: 'u-1', attributes: { [name]: [values[claim]] } }
        expect({ email: assertedEmail(said), ...assertedProfile(said) }[claim]).toBe(values[claim])
      }
    },
  )

  test('says when it was last checked', () => {
    expect(tutorial.checkedOn).toMatch(/^\d{4}-\d{2}-\d{2}$/)
    expect(new Date(tutorial.checkedOn).toISOString().slice(0, 10)).toBe(tutorial.checkedOn)
  })

  test('asks for no value that there is none of', () => {
    const named = blocks.flatMap((block) =>
      block.t === 'snippet' ? [...block.template.matchAll(/\{([a-z_]+)\}/g)].map(([, name]) => name) : [],
    )
    for (const name of named) expect(tutorialValues).toContain(name)
  })
})

function wordsOf({ steps, metadata, quirks }: (typeof tutorials)['okta']): Words[] {
  const ofBlock = (block: Block) => ('words' in block ? [block.words] : [])
  return [
    metadata.how,
    ...quirks,
    ...steps.flatMap(({ title, blocks }) => [title, ...blocks.flatMap(ofBlock)]),
  ]
}
