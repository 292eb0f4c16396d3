import { contrastOf, distanceOf, toColor, toHex, type Color } from './color.js'

/** Used when an organization has no color, or an invalid one. */
const plainColor = '#475569'

/** The colors of a page that an organization does not choose, as in style.css. */
interface Scheme {
  /** Behind text, the one behind the main button first. */
  readonly grounds: readonly string[]
  readonly danger: string
  /** Where a color goes until it can be read: darker on a light ground, lighter on a dark one. */
  readonly step: number
}

export const schemes = {
  light: { grounds: ['#ffffff', '#f7f8fa', '#f3f5f8'], danger: '#b3261e', step: -0.01 },
  dark: { grounds: ['#161c28', '#10151f', '#0d1119'], danger: '#ffaaa0', step: 0.01 },
} as const satisfies Record<string, Scheme>

/** The colors of a page that follow from the one of its organization. */
export interface BrandColors {
  /** Of the main button. */
  readonly fill: string
  /** Of the same under a pointer. */
  readonly hover: string
  readonly onFill: '#ffffff' | '#000000'
  /** Of links, and of what has the focus. */
  readonly link: string
}

/** The custom properties that apply an organization's color to the style sheet, and the only CSS that it controls. */
export function toBrandStyle(color: string | undefined): string {
  const brand = color !== undefined && /^#[0-9a-f]{6}$/i.test(color) ? color.toLowerCase() : plainColor
  const light = propertiesOf(brandColorsOf(brand, schemes.light))
  const dark = propertiesOf(brandColorsOf(brand, schemes.dark))
  return `${light}@media (prefers-color-scheme: dark) {\n  ${dark}}\n`
}

function propertiesOf({ fill, hover, onFill, link }: BrandColors): string {
  return `:root { --brand: ${fill}; --brand-hover: ${hover}; --on-brand: ${onFill}; --link: ${link} }\n`
}

/**
 * Derives the colors of a page from one color. Text on each of them, and each link on its ground, has the 4.5:1 of WCAG 2.2,
 * criterion 1.4.3; none of them can be taken for the color of an error. A red becomes darker on the button, and its links have
 * hardly any color.
 */
export function brandColorsOf(brand: string, scheme: Scheme): BrandColors {
  const color = toColor(brand)
  const isRed = looksLikeDanger(color)
  const [surface] = scheme.grounds
  const fill = moved(color, isRed ? -0.01 : scheme.step, (hex) => {
    const isVisible = scheme.step < 0 || isRed || contrastOf(hex, surface ?? '') >= 3
    return isVisible && distanceOf(hex, scheme.danger) >= apart
  })
  const ink = isRed ? { ...color, chroma: Math.min(color.chroma, 0.03) } : color
  const link = moved(ink, scheme.step, (hex) => {
    // With hardly any color, less than the contrast of a text would look switched off.
    const isReadable = scheme.grounds.every((ground) => contrastOf(hex, ground) >= (isRed ? 9 : 4.5))
    return isReadable && distanceOf(hex, scheme.danger) >= apart
  })
  const onFill = textColorOn(fill)
  // Away from the text color, so contrast never drops.
  const away = toColor(fill)
  const hover = toHex({ ...away, lightness: away.lightness + (onFill === '#ffffff' ? -0.05 : 0.05) })
  return { fill, hover, onFill, link }
}

/** A distance in OKLab at which nobody confuses two colors. */
export const apart = 0.12

/** Whether a color has the hue of errors, within 25 degrees, and enough of it. */
function looksLikeDanger({ chroma, hue }: Color): boolean {
  const difference = Math.abs(hue - toColor(schemes.light.danger).hue)
  return chroma > 0.08 && Math.min(difference, 2 * Math.PI - difference) < (25 * Math.PI) / 180
}

/** The first color that fits, on the way to black or white, which always fit. */
function moved(color: Color, step: number, fits: (hex: string) => boolean): string {
  for (let { lightness } = color; lightness > 0 && lightness < 1; lightness += step) {
    const hex = toHex({ ...color, lightness })
    if (fits(hex)) return hex
  }
  return step < 0 ? '#000000' : '#ffffff'
}

/** White or black, whichever is easier to read: one of them always has the 4.5:1 of WCAG 2.2, criterion 1.4.3. */
export function textColorOn(background: string): '#ffffff' | '#000000' {
  return contrastOf(background, '#ffffff') >= 4.5 ? '#ffffff' : '#000000'
}
