import slugify from '@sindresorhus/slugify'
import { randomBase32 } from '../../platform/crypto/secret.js'

/** The first segments of the service's own paths, and of those below /console, which no domain may be. */
const reserved = new Set([
  'start',
  'signed-in',
  'a',
  'api',
  't',
  'saml',
  'scim',
  'oauth',
  'assets',
  'admin',
  'www',
  'docs',
  'console',
  'portal',
  'onboarding',
  'relay',
  'outbox',
  'test-idp',
])

/** A domain from a name: transliterated lower-case words joined by dashes; random when the name gives no word. */
export function slugOf(name: string): string {
  // NFKC turns forms such as fullwidth letters and ligatures into plain letters, but a trademark sign into TM.
  const plain = name.replace(/[™℠]/g, ' ').normalize('NFKC')
  const slug = slugify(plain, { decamelize: false }).slice(0, 100).replace(/-+$/, '')
  return slug === '' ? `org-${randomBase32(6)}` : slug
}

/** Whether a slug is the first segment of a path of the service's own. */
export function isReserved(slug: string): boolean {
  return reserved.has(slug)
}
