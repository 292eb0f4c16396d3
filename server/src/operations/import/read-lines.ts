import { createReadStream } from 'node:fs'

/** A line of a file, without its end. */
export interface Line {
  /** From 1. */
  readonly number: number
  /** Undefined for one that is too long. */
  readonly bytes: Buffer | undefined
}

/** The API's bound of a body. */
export const maxLineBytes = 100_000

const lineFeed = 0x0a

/** The lines of a file, of which no more than one and a piece are in memory at once. */
export async function* readLines(file: string): AsyncGenerator<Line> {
  let number = 1
  let pieces: Buffer[] = []
  let length = 0
  const take = (piece: Buffer) => {
    length += piece.length
    // A line that is too long is not kept, only counted.
    pieces = length > maxLineBytes ? [] : [...pieces, piece]
  }
  const lineOf = (): Line => {
    const line = { number: number++, bytes: length > maxLineBytes ? undefined : Buffer.concat(pieces) }
    pieces = []
    length = 0
    return line
  }
  for await (const chunk of piecesOf(file)) {
    let from = 0
    for (let end = chunk.indexOf(lineFeed); end !== -1; end = chunk.indexOf(lineFeed, from)) {
      take(chunk.subarray(from, end))
      yield lineOf()
      from = end + 1
    }
    take(chunk.subarray(from))
  }
  if (length > 0) yield lineOf()
}

/** How many lines a file has. */
export async function countLines(file: string): Promise<number> {
  let count = 0
  let isEnded = true
  for await (const chunk of piecesOf(file)) {
    for (let at = chunk.indexOf(lineFeed); at !== -1; at = chunk.indexOf(lineFeed, at + 1)) count += 1
    isEnded = chunk.at(-1) === lineFeed
  }
  return isEnded ? count : count + 1
}

/** A file in pieces, which are buffers where no encoding is named. */
function piecesOf(file: string): AsyncIterable<Buffer> {
  return createReadStream(file)
}
