import { organizationColors } from '@portico/contract/organizations'
import { expect, test } from 'vitest'
import { textColorOn, toBrandStyle } from './brand.js'

test('text on a light color is black, on a dark one white', () => {
  expect(textColorOn('#ffffff')).toBe('#000000')
  expect(textColorOn('#ffd400')).toBe('#000000')
  expect(textColorOn('#000000')).toBe('#ffffff')
  expect(textColorOn('#1f3a5f')).toBe('#ffffff')
})

test('text on every color of the palette is as easy to read as WCAG 2.2 demands', () => {
  for (const color of organizationColors) expect(contrastOf(color, textColorOn(color))).toBeGreaterThan(4.5)
})

test('a color that is none cannot add to the style sheet', () => {
  expect(toBrandStyle('red; } body { display: none')).toBe(toBrandStyle(undefined))
})

function contrastOf(a: string, b: string): number {
  const [light = 0, dark = 0] = [luminanceOf(a), luminanceOf(b)].toSorted((one, other) => other - one)
  return (light + 0.05) / (dark + 0.05)
}

function luminanceOf(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((start) => {
    const part = Number.parseInt(color.slice(start, start + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
