import { existsSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { root } from './contents.js'
import { html } from './html.js'
import { sizeOfWebp } from './image-size.js'

/** Of images, which are taken for screens of that density. */
const pixelsPerPx = 2

/** An image in both colors, where there is one of the dark. The style sheet shows the one that fits. */
export function picture(file: string, alt: string): string {
  const path = join(root, file)
  const { width, height } = sizeOfWebp(path)
  const dark = file.replace(/\.webp$/, '-dark.webp')
  const image = (name: string, kind: string) =>
    html`<img
      class="${kind}"
      src="/images/${posix.basename(name)}"
      alt="${alt}"
      width="${width / pixelsPerPx}"
      height="${height / pixelsPerPx}"
      loading="lazy"
    />`.markup
  return existsSync(join(dirname(path), posix.basename(dark)))
    ? `<span class="shot">${image(file, 'in-light')}${image(dark, 'in-dark')}</span>`
    : `<span class="shot">${image(file, '')}</span>`
}
