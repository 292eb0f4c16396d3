import { organizationColors } from '@portico/contract/organizations'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { packageRoot } from '../../platform/package-root.js'
import { apart, brandColorsOf, schemes, textColorOn, toBrandStyle } from './brand.js'
import { contrastOf, distanceOf, toColor, toHex } from './color.js'

/** The palette, the corners, and 200 colors of a generator with a fixed seed. */
const colors = [
  ...organizationColors,
  '#000000',
  '#ffffff',
  '#ff0000',
  '#d32f2f',
  '#ffff00',
  ...randomColors(200),
]

test('text on a light color is black, on a dark one white', () => {
  expect(textColorOn('#ffffff')).toBe('#000000')
  expect(textColorOn('#ffd400')).toBe('#000000')
  expect(textColorOn('#000000')).toBe('#ffffff')
  expect(textColorOn('#1f3a5f')).toBe('#ffffff')
})

test('text on every color of the palette is as easy to read as WCAG 2.2 demands', () => {
  for (const color of organizationColors) expect(contrastOf(color, textColorOn(color))).toBeGreaterThan(4.5)
})

test.each(['light', 'dark'] as const)(
  'of every color come a button and links that are as easy to read as WCAG 2.2 demands, and no error: %s',
  (name) => {
    const scheme = schemes[name]
    for (const color of colors) {
      const { fill, hover, onFill, link } = brandColorsOf(color, scheme)
      expect(contrastOf(onFill, fill), color).toBeGreaterThanOrEqual(4.5)
      expect(contrastOf(onFill, hover), color).toBeGreaterThanOrEqual(4.5)
      for (const ground of scheme.grounds) expect(contrastOf(link, ground), color).toBeGreaterThanOrEqual(4.5)
      for (const own of [fill, link])
        expect(distanceOf(own, scheme.danger), color).toBeGreaterThanOrEqual(apart)
    }
  },
)

test('a color that can be read as it is stays as it is', () => {
  expect(brandColorsOf('#0f766e', schemes.light)).toMatchObject({ fill: '#0f766e', link: '#0f766e' })
  expect(brandColorsOf('#ffd400', schemes.light)).toMatchObject({ fill: '#ffd400', onFill: '#000000' })
})

test('the links of a red have hardly any color, and its button is darker than an error', () => {
  const { fill, link } = brandColorsOf('#dc2626', schemes.light)
  expect(toColor(link).chroma).toBeLessThan(0.04)
  expect(toColor(fill).lightness).toBeLessThan(toColor(schemes.light.danger).lightness - 0.1)
})

test('the colors that a brand is compared with are those of the style sheet', () => {
  const [light = '', dark = ''] = readFileSync(
    new URL('src/pages/frame/style.css', packageRoot),
    'utf8',
  ).split('@media (prefers-color-scheme: dark)')
  for (const [css, { grounds, danger }] of [
    [light, schemes.light],
    [dark, schemes.dark],
  ] as const) {
    const [surface, sunken, ground] = grounds
    expect(css).toContain(`--surface: ${surface};`)
    expect(css).toContain(`--sunken: ${sunken};`)
    expect(css).toContain(`--ground: ${ground};`)
    expect(css).toContain(`--fault: ${danger};`)
  }
})

test('a color that is none cannot add to the style sheet', () => {
  expect(toBrandStyle('red; } body { display: none')).toBe(toBrandStyle(undefined))
})

test('a color is the same after a conversion there and back', () => {
  for (const color of colors) expect(toHex(toColor(color))).toBe(color)
})

function randomColors(count: number): string[] {
  let state = 41
  return Array.from({ length: count }, () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return `#${(state >> 7).toString(16).padStart(6, '0').slice(-6)}`
  })
}
