import { parseArgs } from 'node:util'
import { allPieces, defaultParts, maxPartMinutes, parts, type Piece } from './pieces.js'
import { runPieces } from './run-pieces.js'
import { partOf } from './part.js'

const usage = `npm run test:full                         everything that is proved, in one go
npm run test:full -- --part 3/${defaultParts}          the third of ${defaultParts} parts, each of at most ${maxPartMinutes} minutes
npm run test:full -- --list               what is in the ${defaultParts} parts
npm run test:full -- --list --part 3/${defaultParts}   what is in one of them
npm run test:full -- embedded             the pieces whose name contains every word`

const say = (line: string) => process.stdout.write(`${line}\n`)

try {
  await main()
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  say('0 passed, 1 failed')
  process.exitCode = 1
}

async function main(): Promise<void> {
  const { values, positionals: words } = parseArgs({
    allowPositionals: true,
    options: { part: { type: 'string' }, list: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
  })
  if (values.help) return void say(usage)
  if (words.length > 0 && (values.list || values.part !== undefined))
    throw new Error(`Either a part, or the words of a name.\n${usage}`)
  if (values.list) return list(values.part)
  const pieces = values.part === undefined ? named(words) : inPart(values.part)
  process.exitCode = (await runPieces(pieces, say)) ? 0 : 1
}

function named(words: readonly string[]): readonly Piece[] {
  const pieces = allPieces().filter(({ name }) => words.every((word) => name.includes(word)))
  if (pieces.length === 0) throw new Error('There is no piece of that name: npm run test:full -- --list')
  return pieces
}

function inPart(text: string): readonly Piece[] {
  const { part, count } = partOf('--part', text)
  const pieces = allPieces()
  const dealt = parts(pieces, count)[part - 1] ?? []
  if (dealt.length === 0) throw new Error(`There are ${pieces.length} pieces, too few for ${count} parts`)
  return dealt
}

function list(text: string | undefined): void {
  const only = text === undefined ? undefined : partOf('--part', text)
  const count = only?.count ?? defaultParts
  for (const [index, pieces] of parts(allPieces(), count).entries()) {
    if (only !== undefined && only.part !== index + 1) continue
    const minutes = pieces.reduce((sum, piece) => sum + piece.minutes, 0)
    say(`${index + 1}/${count}, about ${Math.ceil(minutes)} minutes`)
    for (const { name, minutes } of pieces) say(`  ${name} (${minutes})`)
  }
}
