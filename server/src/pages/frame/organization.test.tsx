import { renderToString } from 'preact-render-to-string'
import { expect, test } from 'vitest'
import { galleryFrame, usualNames } from '../gallery.given.js'
import { logoOf, Organization } from './organization.js'
import { en } from '../texts/en.js'

const icon = 'https://cdn.example/icon.png'
const inline = 'https://cdn.example/inline.png'

test('the logo with the name stands before the icon, and the icon before nothing', () => {
  expect(logoOf(organization({ icon_logo_url: icon, inline_logo_url: inline }))?.url).toBe(inline)
  expect(logoOf(organization({ icon_logo_url: icon }))?.url).toBe(icon)
  expect(logoOf(organization({}))).toBeUndefined()
  expect(logoOf(undefined)).toBeUndefined()
})

test.each(['http://cdn.example/a.png', 'javascript:alert(1)', 'data:image/png;base64,AA', 'nothing'])(
  'no logo is loaded from %s',
  (url) => {
    expect(logoOf(organization({ icon_logo_url: url, inline_logo_url: url }))).toBeUndefined()
  },
)

test('a logo with the name in it has the name as its text, and an icon beside the name has none', () => {
  expect(render({ inline_logo_url: inline })).toContain('alt="Awesome company"')
  expect(render({ icon_logo_url: icon })).toMatch(/<img[^>]* alt(="")? /)
  expect(render({ icon_logo_url: icon })).toContain('<bdi>Awesome company</bdi>')
})

test('the host of a logo is not told from which page it is loaded', () => {
  expect(render({ inline_logo_url: inline })).toContain('referrerpolicy="no-referrer"')
})

function organization(logos: { icon_logo_url?: string; inline_logo_url?: string }) {
  return galleryFrame(en, usualNames, logos).organization
}

function render(logos: { icon_logo_url?: string; inline_logo_url?: string }): string {
  return renderToString(<Organization organization={organization(logos)} productName="Portico" />)
}
