import { providerTypes } from '@portico/contract/sso-onboarding'
import { beforeAll, describe, test } from 'vitest'
import { browserTool, hasTool } from '../debian-tools.js'
import { openOnboardingBrowser, type OnboardingBrowser } from '../given/onboarding-browser.js'

let setup: OnboardingBrowser

beforeAll(async () => {
  if (hasTool(browserTool)) setup = await openOnboardingBrowser({ hasAxe: true })
}, 60_000)

/** Each product in one language and one look, with or without scripts; each of these occurs several times. */
const walks = providerTypes
  .filter((type) => type !== 'test' && type !== 'custom_oidc')
  .map((type, index) => ({
    type,
    lang: index % 2 === 0 ? ('en' as const) : ('fr' as const),
    colorScheme: index % 3 === 0 ? ('dark' as const) : ('light' as const),
    width: index % 4 < 2 ? 1280 : 360,
    javaScriptEnabled: index % 5 !== 4,
  }))

// Every product from the invitation to the test, with axe on each page, which takes minutes.
describe.skipIf(!hasTool(browserTool))('an administrator', () => {
  test.each([
    { type: 'okta', lang: 'en', colorScheme: 'light', width: 1280, javaScriptEnabled: true },
    { type: 'entra_id', lang: 'fr', colorScheme: 'dark', width: 360, javaScriptEnabled: false },
  ] as const)(
    'goes from the invitation to the end of the test: $type, $lang, $width px, scripts: $javaScriptEnabled',
    (look) => setup.walk(look),
    120_000,
  )

  test.each([
    { type: 'entra_id', lang: 'en', colorScheme: 'dark', width: 320, javaScriptEnabled: true },
    { type: 'custom_oidc', lang: 'fr', colorScheme: 'light', width: 1280, javaScriptEnabled: true },
  ] as const)(
    'connects a provider by OpenID Connect, and makes the secret of the directory: $type, $lang, $width px',
    (look) => setup.walkOidc(look),
    120_000,
  )

  test.each(walks)(
    'goes through the tutorial of $type to the test: $lang, $colorScheme, $width px, scripts: $javaScriptEnabled',
    (look) => setup.walk(look),
    120_000,
  )
})
