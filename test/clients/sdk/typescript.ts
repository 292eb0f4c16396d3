import { resolve } from 'node:path'
import ts from 'typescript'

/** Files that were read before, most of them declarations that every program has: to read them again costs a second each time. */
const read = new Map<string, ts.SourceFile>()

/** A program of the compiler in this process. */
export function programOf(
  files: readonly string[],
  options: ts.CompilerOptions,
  folder = ts.sys.getCurrentDirectory(),
): ts.Program {
  const host = ts.createCompilerHost(options)
  const getSourceFile = host.getSourceFile.bind(host)
  const { target, module, moduleResolution, moduleDetection, strict } = options
  host.getCurrentDirectory = () => folder
  host.getSourceFile = (name, version, onError, isNew) => {
    const format = typeof version === 'object' ? version.impliedNodeFormat : version
    // All that decides what becomes of its text.
    const key = [name, target, module, moduleResolution, moduleDetection, strict, format].join('|')
    const before = read.get(key)
    if (before !== undefined && before.text === ts.sys.readFile(name)) return before
    const file = getSourceFile(name, version, onError, isNew)
    if (file !== undefined) read.set(key, file)
    return file
  }
  return ts.createProgram(files, options, host)
}

/** The same by a command line of the compiler. */
export function programOfCommand(folder: string, args: readonly string[]): ts.Program {
  const { options, fileNames, errors } = ts.parseCommandLine(args)
  if (errors.length > 0) throw new Error(textOf(folder, errors))
  const inFolder = (path: string) => resolve(folder, path)
  const typeRoots = options.typeRoots?.map(inFolder)
  return programOf(fileNames.map(inFolder), { ...options, ...(typeRoots && { typeRoots }) }, folder)
}

/** What the compiler says of a program, by its command line; empty text when nothing. */
export function complaintsOf(folder: string, args: readonly string[]): string {
  return textOf(folder, ts.getPreEmitDiagnostics(programOfCommand(folder, args)))
}

function textOf(folder: string, diagnostics: readonly ts.Diagnostic[]): string {
  return ts.formatDiagnostics(diagnostics, {
    getCurrentDirectory: () => folder,
    getCanonicalFileName: (name) => name,
    getNewLine: () => '\n',
  })
}
