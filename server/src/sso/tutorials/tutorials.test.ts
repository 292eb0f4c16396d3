import { oidcProviderTypes, providerTypes } from '@portico/contract/sso-onboarding'
import { describe, expect, test } from 'vitest'
import { assertedEmail, assertedProfile } from '../sign-in/asserted-identity.js'
import { oidcValues, samlValues, type IdpGuide } from './tutorial.js'
import { languageFaults, namedValues, namesItsCheck, wordsOf } from './tutorials.given.js'
import { oidcTutorials, samlTutorials } from './tutorials.js'

describe.each(providerTypes.filter((type) => type !== 'custom_oidc'))('the tutorial of %s', (type) => {
  const tutorial = samlTutorials[type]

  test('is its own, and has steps that can be told apart', () => {
    expect(tutorial.id).toBe(type)
    expectSteps(tutorial)
  })

  test('offers our ACS URL and our entity ID to be copied, and no value that there is none of', () => {
    expect(namedValues(tutorial)).toContain('acs_url')
    expect(namedValues(tutorial)).toContain('entity_id')
    for (const name of namedValues(tutorial)) expect(samlValues).toContain(name)
  })

  test('says everything in English and in French, each in its own words', () => {
    expect([tutorial.metadata.how, ...wordsOf(tutorial)].flatMap(languageFaults)).toEqual([])
  })

  test('names attributes as they are read', () => {
    expectClaimsAsRead(tutorial)
  })

  test('says when it was last checked, where it is of a console', () => {
    expect(namesItsCheck(tutorial)).toBe(type !== 'custom_saml' && type !== 'test')
  })
})

describe.each(oidcProviderTypes)('the tutorial of %s by OpenID Connect', (type) => {
  const tutorial = oidcTutorials[type]

  test('is its own, and has steps that can be told apart', () => {
    expect(tutorial.id).toBe(type)
    expectSteps(tutorial)
  })

  test('offers our redirect URI to be copied, and no value that there is none of', () => {
    expect(namedValues(tutorial)).toContain('redirect_uri')
    for (const name of namedValues(tutorial)) expect(oidcValues).toContain(name)
  })

  test('says everything in English and in French, each in its own words', () => {
    const { issuer, clientId, clientSecret } = tutorial.client
    expect([issuer, clientId, clientSecret, ...wordsOf(tutorial)].flatMap(languageFaults)).toEqual([])
  })

  test('names claims as they are read', () => {
    expectClaimsAsRead(tutorial)
  })

  test('says when it was last checked, where it is of a console', () => {
    expect(namesItsCheck(tutorial)).toBe(type !== 'custom_oidc')
  })
})

function expectSteps({ steps }: IdpGuide): void {
  expect(steps.length).toBeGreaterThan(0)
  const ids = steps.map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
  for (const { blocks } of steps) expect(blocks.length).toBeGreaterThan(0)
}

function expectClaimsAsRead({ claims }: IdpGuide): void {
  const values = { email: 'ada@corp.example', given_name: 'Ada', family_name: 'Lovelace' }
  for (const claim of ['email', 'given_name', 'family_name'] as const) {
    expect(claims[claim].length).toBeGreaterThan(0)
    for (const name of claims[claim]) {
      const said = { nameId: 'u-1', attributes: { [name]: [values[claim]] } }
      expect({ email: assertedEmail(said), ...assertedProfile(said) }[claim]).toBe(values[claim])
    }
  }
}
