import { readFileSync } from 'node:fs'

/** Width and height of a lossy WebP as Chromium writes it, in px (RFC 9649 section 2.5, RFC 6386 section 9.1). */
export function sizeOfWebp(path: string): { width: number; height: number } {
  const file = readFileSync(path)
  const kind = file.toString('latin1', 12, 16)
  if (kind === 'VP8X') return { width: file.readUIntLE(24, 3) + 1, height: file.readUIntLE(27, 3) + 1 }
  if (kind !== 'VP8 ') throw new Error(`${path} is no lossy WebP`)
  return { width: file.readUInt16LE(26) & 0x3fff, height: file.readUInt16LE(28) & 0x3fff }
}
