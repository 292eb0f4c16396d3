/** Used when an organization has no color, or an invalid one. */
const plainColor = '#475569'

/** The custom properties that apply an organization's color to the style sheet, and the only CSS that it controls. */
export function toBrandStyle(color: string | undefined): string {
  const brand = color !== undefined && /^#[0-9a-f]{6}$/i.test(color) ? color.toLowerCase() : plainColor
  const text = textColorOn(brand)
  // On hover the color moves away from the text color, so contrast never drops.
  const away = text === '#ffffff' ? '#000000' : '#ffffff'
  return `:root { --brand: ${brand}; --on-brand: ${text}; --away: ${away} }\n`
}

/** White or black, whichever is easier to read: one of them always has the 4.5:1 of WCAG 2.2, criterion 1.4.3. */
export function textColorOn(background: string): '#ffffff' | '#000000' {
  const luminance = luminanceOf(background)
  const contrastOfWhite = 1.05 / (luminance + 0.05)
  return contrastOfWhite >= 4.5 ? '#ffffff' : '#000000'
}

/** Relative luminance (WCAG 2.2) of #rrggbb. */
function luminanceOf(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((start) => {
    const channel = Number.parseInt(color.slice(start, start + 2), 16) / 255
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
