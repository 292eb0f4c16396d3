import { expect, test } from 'vitest'
import { textsFor } from './locale.js'

const nothing = { uiLocales: undefined, organizationLocale: null, acceptLanguage: undefined }

test('the request decides before the organization, and the organization before the browser', () => {
  expect(textsFor({ uiLocales: 'fr-CA en', organizationLocale: 'en-GB', acceptLanguage: 'en' }).lang).toBe(
    'fr',
  )
  expect(textsFor({ ...nothing, organizationLocale: 'fr-FR', acceptLanguage: 'en' }).lang).toBe('fr')
  expect(textsFor({ ...nothing, acceptLanguage: 'de, en;q=0.3, fr;q=0.8' }).lang).toBe('fr')
})

test('a wish for a language that there is not gives way to the next one', () => {
  expect(textsFor({ uiLocales: 'de pt', organizationLocale: 'fr', acceptLanguage: 'en' }).lang).toBe('fr')
})

test('without a wish that can be met, the page is in English', () => {
  expect(textsFor(nothing).lang).toBe('en')
  expect(textsFor({ ...nothing, acceptLanguage: 'fr;q=0, *' }).lang).toBe('en')
})
