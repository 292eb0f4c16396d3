import { createHash } from 'node:crypto'
import type { Page } from 'playwright-core'
import type { PageGallery } from '../given/page-gallery.js'

/** An image of a hosted page in the guides, `docs/images/<name>.webp`, with a dark variant beside it. */
export interface Screenshot {
  readonly name: string
  /** Path in the gallery of pages. */
  readonly path: string
  /** Width of the screen in px: a telephone or a desktop. */
  readonly width: 400 | 760
  /** The upper part of a longer page, in px. */
  readonly height?: number
}

export const screenshots: readonly Screenshot[] = [
  { name: 'sign-in', path: '/usual/en/identifier-every-method', width: 400 },
  { name: 'sign-in-ready', path: '/usual/en/ready', width: 400 },
  { name: 'password', path: '/usual/en/password', width: 400 },
  { name: 'set-password', path: '/usual/en/set-password', width: 400 },
  { name: 'totp-enroll', path: '/usual/en/enroll-code-app', width: 400 },
  { name: 'totp', path: '/usual/en/totp-app', width: 400 },
  { name: 'magic-link-sent', path: '/usual/en/link-sent', width: 400 },
  { name: 'magic-link', path: '/usual/en/magic-link', width: 400 },
  { name: 'onboarding-tutorial', path: '/usual/en/onboarding-tutorial-okta-1', width: 760 },
  { name: 'onboarding-review', path: '/usual/en/onboarding-review', width: 760 },
  { name: 'attempt', path: '/usual/en/onboarding-result-audience', width: 760, height: 720 },
  { name: 'branding', path: '/inline/en/identifier', width: 400 },
]

export const colorSchemes = ['light', 'dark'] as const

/** The guides display images at half their size, for high-density screens. */
const pixelsPerPx = 2

/** A logo for the organization of the gallery, whose logo URL does not exist. */
const logo =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 220 48" width="220" height="48"><rect width="48" height="48" rx="12" fill="#0f766e"/><path d="M14 34 24 12l10 22h-6l-4-10-4 10z" fill="#fff"/><text x="62" y="32" font-family="sans-serif" font-size="24" font-weight="700" fill="#0f766e">Awesome</text></svg>'

/** A digest of the page behind an image, which detects changes without comparing pixels. */
export function digestOf(
  { contentOf }: Pick<PageGallery, 'contentOf'>,
  { path, width, height }: Screenshot,
): string {
  const page = contentOf(path)
  const styles = [...page.matchAll(/<link rel="stylesheet" href="([^"]+)"/g)].map(([, url]) =>
    contentOf(url ?? ''),
  )
  if (page === '' || styles.length === 0 || styles.includes(''))
    throw new Error(`${path} is not in the gallery as it is styled`)
  // The URLs of style and script change with every asset, including those of other pages.
  const told = [
    page.replace(/\/assets\/[^/]+\//g, '/assets/'),
    ...styles,
    logo,
    String(width),
    ...(height === undefined ? [] : [String(height)]),
  ]
  return createHash('sha256').update(told.join('\0')).digest('base64url').slice(0, 22)
}

export async function takeScreenshot(
  { browser, origin }: PageGallery,
  { path, width, height: upper = Infinity }: Screenshot,
  colorScheme: (typeof colorSchemes)[number],
): Promise<Buffer> {
  const page = await browser.newPage({ colorScheme, viewport: { width, height: 400 } })
  await page.route('https://logo.example/**', (route) =>
    route.fulfill({ contentType: 'image/svg+xml', body: logo }),
  )
  await page.goto(origin + path)
  const height = Number(await page.evaluate('document.documentElement.scrollHeight'))
  await page.setViewportSize({ width, height })
  await page.evaluate('document.activeElement.blur()')
  const image = await webpOf(page, { x: 0, y: 0, width, height: Math.min(height, upper), scale: pixelsPerPx })
  await page.close()
  return image
}

interface Clip {
  x: number
  y: number
  width: number
  height: number
  scale: number
}

/** A screenshot as WebP, which Playwright itself cannot write. */
export async function webpOf(page: Page, clip: Clip, quality = 70): Promise<Buffer> {
  const session = await page.context().newCDPSession(page)
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality, clip })
  return Buffer.from(data, 'base64')
}
