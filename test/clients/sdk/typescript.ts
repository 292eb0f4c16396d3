import { resolve } from 'node:path'
import ts from 'typescript'

/** Cache of parsed files, most of them declarations common to all programs, which take a second to parse. */
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
    // All options that affect parsing.
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

/** The compiler's errors in a program with this command line; empty text without any. */
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
