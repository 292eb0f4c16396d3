import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { controlReference, serviceReference } from './site/reference.js'
import { sdkCall } from './site/sdk-call.js'
import { readSequence } from './site/sequence.js'

/** Files of other programs, which are not here to be asked. Each block of them is marked `unchecked`. */
const foreign = new Set(['caddyfile', 'dockerfile', 'ini', 'nginx', 'sql', 'yaml'])

// Fails when a code block of a document, or a call that the reference shows, does not compile or parse as what it says
// it is. To run it: node --import tsx docs/check-blocks.ts
const faults = faultsOf([...documents().flatMap(blocksOf), ...referenceCalls()])
for (const fault of faults) process.stderr.write(`${fault}\n`)
process.exitCode = faults.length > 0 ? 1 : 0

interface Block {
  /** Path from the root of the repository. */
  readonly file: string
  /** Of the first line inside the fence, from 1. */
  readonly line: number
  readonly language: string
  /** What follows the language, for example `journey`. */
  readonly mark: string
  readonly text: string
}

/** Every document whose blocks are promises. */
function documents(): string[] {
  const guides = readdirSync(pathOf('docs'), { recursive: true, encoding: 'utf8' })
    // The site is built there, with the Markdown of its pages.
    .filter((name) => name.endsWith('.md') && !name.startsWith('dist'))
    .map((name) => `docs/${name.replaceAll('\\', '/')}`)
  const atRoot = readdirSync(pathOf('.')).filter((name) => name.endsWith('.md'))
  return [...atRoot, 'sdk/README.md', ...guides.toSorted()]
}

function blocksOf(file: string): Block[] {
  const blocks: Block[] = []
  let open: { fence: string; indent: number; block: Omit<Block, 'text'>; lines: string[] } | undefined
  for (const [index, line] of readFileSync(pathOf(file), 'utf8').split('\n').entries()) {
    if (open !== undefined) {
      if (line.trim() !== open.fence) {
        open.lines.push(line.slice(open.indent))
        continue
      }
      blocks.push({ ...open.block, text: `${open.lines.join('\n')}\n` })
      open = undefined
      continue
    }
    const [, space = '', fence, language = '', mark = ''] = /^( *)(`{3,})(\S*)(.*)$/.exec(line) ?? []
    if (fence === undefined) continue
    const block = { file, line: index + 2, language, mark: mark.trim() }
    open = { fence, indent: space.length, block, lines: [] }
  }
  return blocks
}

/** The call of each operation, as the reference shows it. */
function referenceCalls(): Block[] {
  const declared = [
    {
      of: serviceReference(),
      given: `import type { Client } from '@portico/sdk'\ndeclare const client: Client`,
    },
    {
      of: controlReference(),
      given: `import type { Portico } from '@portico/sdk/testing'\ndeclare const portico: Portico`,
    },
  ]
  return declared.flatMap(({ of: { operations, caller }, given }) =>
    operations.map((operation) => ({
      file: `the call of ${caller}.${operation.operationId}`,
      line: 1,
      language: 'ts',
      mark: '',
      text: `${given}\nexport {}\n${sdkCall(operation, caller)}\nconsole.log(answer)\n`,
    })),
  )
}

function faultsOf(blocks: readonly Block[]): string[] {
  const typed = blocks.filter((block) => block.language === 'ts' && !isCopy(block))
  return [...blocks.flatMap(blockFaults), ...typeFaults(typed)]
}

function blockFaults(block: Block): string[] {
  const { language, mark, text } = block
  if (isCopy(block)) return [copyFault(block)].flatMap((fault) => fault ?? []).map(located(block))
  if (language === 'ts' || language === 'text') return []
  if (language === 'json') return [jsonFault(text)].flatMap((fault) => fault ?? []).map(located(block))
  if (language === 'sh') return [shellFault(text)].flatMap((fault) => fault ?? []).map(located(block))
  if (language === 'python') return [pythonFault(text)].flatMap((fault) => fault ?? []).map(located(block))
  if (language === 'mermaid') return [diagramFault(text)].flatMap((fault) => fault ?? []).map(located(block))
  if (!foreign.has(language))
    return [located(block)(`"${language}" is none of the languages that are checked; plain text is text`)]
  return mark === 'unchecked'
    ? []
    : [located(block)(`write \`\`\`${language} unchecked: nothing here can check it`)]
}

function located({ file, line }: Block): (fault: string) => string {
  return (fault) => `${file}:${line} ${fault}`
}

/** A block that shows a file of the repository, which its mark names, and which is compiled itself. */
function isCopy({ mark }: Block): boolean {
  return /^[\w./-]+\/[\w-]+\.\w+$/.test(mark)
}

function copyFault({ mark, text }: Block): string | undefined {
  if (!existsSync(pathOf(mark))) return `there is no ${mark}`
  return readFileSync(pathOf(mark), 'utf8') === text ? undefined : `is not what ${mark} says`
}

function jsonFault(text: string): string | undefined {
  try {
    JSON.parse(text)
    return undefined
  } catch (error) {
    return String(error)
  }
}

/** Whether it is of the part of Mermaid that the site draws. */
function diagramFault(text: string): string | undefined {
  try {
    readSequence(text.trim())
    return undefined
  } catch (error) {
    return String(error)
  }
}

/** Reads the commands without running them. */
function shellFault(text: string): string | undefined {
  const { status, stderr } = spawnSync('bash', ['-n'], { input: text, encoding: 'utf8' })
  return status === 0 ? undefined : stderr.trim()
}

/** Reads the program without running it, where there is a Python; the tests run each that a guide has. */
function pythonFault(text: string): string | undefined {
  const args = ['-c', 'import ast, sys; ast.parse(sys.stdin.read())']
  const { error, status, stderr } = spawnSync('python3', args, { input: text, encoding: 'utf8' })
  return error !== undefined || status === 0 ? undefined : stderr.trim()
}

/** Every block is a module of its own, beside this file, that exists for the compiler alone. */
function typeFaults(blocks: readonly Block[]): string[] {
  const byPath = new Map(
    blocks.map((block) => [
      pathOf(`docs/${basename(block.file)}.${block.line}.${blocks.indexOf(block)}.ts`),
      block,
    ]),
  )
  const options = compilerOptions()
  const host = ts.createCompilerHost(options)
  const readFile = host.readFile.bind(host)
  host.readFile = (path) => byPath.get(path)?.text ?? readFile(path)

  const program = ts.createProgram([...byPath.keys()], options, host)
  return [...byPath].flatMap(([path, block]) => {
    const source = program.getSourceFile(path)
    const diagnostics = [
      ...program.getSyntacticDiagnostics(source),
      ...program.getSemanticDiagnostics(source),
    ]
    return diagnostics.map(({ start = 0, messageText }) => {
      const { line = 0 } = source?.getLineAndCharacterOfPosition(start) ?? {}
      return `${block.file}:${block.line + line} ${ts.flattenDiagnosticMessageText(messageText, '\n')}`
    })
  })
}

/** Those of the repository: strict, and the SDK from its sources. */
function compilerOptions(): ts.CompilerOptions {
  const path = pathOf('tsconfig.json')
  const parsed = ts.getParsedCommandLineOfConfigFile(
    path,
    {},
    { ...ts.sys, onUnRecoverableConfigFileDiagnostic: () => undefined },
  )
  if (parsed === undefined) throw new Error(`${path} cannot be read`)
  return parsed.options
}

function pathOf(file: string): string {
  return join(fileURLToPath(new URL('..', import.meta.url)), file)
}
