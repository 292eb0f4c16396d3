import { createHash } from 'node:crypto'

/** A tag that changes with the text (RFC 9110 section 8.8.3). With it, Express answers 304 to a matching If-None-Match. */
export function tagOf(text: string): string {
  return `"${createHash('sha256').update(text).digest('base64url')}"`
}
