import { providerTypes } from '@portico/contract/sso-onboarding'
import { beforeAll, describe, test } from 'vitest'
import { hasTool } from '../debian-tools.js'
import { openOnboardingBrowser, type OnboardingBrowser } from '../onboarding-browser.js'

let setup: OnboardingBrowser

beforeAll(async () => {
  if (hasTool('chromium')) setup = await openOnboardingBrowser()
}, 60_000)

/** Each product in one language, one look, and with or without scripts; every one of these comes several times. */
const walks = providerTypes
  .filter((type) => type !== 'test' && type !== 'custom_oidc')
  .map((type, index) => ({
    type,
    lang: index % 2 === 0 ? ('en' as const) : ('fr' as const),
    colorScheme: index % 3 === 0 ? ('dark' as const) : ('light' as const),
    width: index % 4 < 2 ? 1280 : 360,
    javaScriptEnabled: index % 5 !== 4,
  }))

describe.skipIf(!hasTool('chromium'))('an administrator', () => {
  test.each(walks)(
    'goes through the tutorial of $type to the test: $lang, $colorScheme, $width px, scripts: $javaScriptEnabled',
    (look) => setup.walk(look),
    120_000,
  )
})
