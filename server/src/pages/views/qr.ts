import { generate } from 'lean-qr'

/** A QR code as the outline of its dark modules. */
interface QrCode {
  /** The side length in modules, with the quiet zone of 4 (ISO/IEC 18004 section 5.3.8). */
  readonly size: number
  /** For the `d` of an SVG path. */
  readonly path: string
}

const border = 4

/** The QR code of a text. */
export function toQrCode(text: string): QrCode {
  const bitmap = generate(text)
  const rows = Array.from({ length: bitmap.size }, (_, y) => rowOf(bitmap, y))
  return { size: bitmap.size + 2 * border, path: rows.join('') }
}

/** The dark modules of a row. Adjacent ones form one rectangle, because renderers leave hairlines between two. */
function rowOf(bitmap: ReturnType<typeof generate>, y: number): string {
  const modules = Array.from({ length: bitmap.size }, (_, x) => (bitmap.get(x, y) ? '1' : '0')).join('')
  return [...modules.matchAll(/1+/g)]
    .map(({ 0: run, index }) => `M${index + border} ${y + border}h${run.length}v1h-${run.length}z`)
    .join('')
}
