import { execFileSync } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** One replacement of text in a file of the repository. */
export interface Edit {
  /** Path from the root of the repository. */
  readonly file: string
  /** The text in the file, independent of line breaks. */
  readonly find: string
  readonly replace: string
  /** Required number of occurrences of the text; default: 1. */
  readonly times?: number
}

/** A modifiable copy of the current sources of the repository. */
export interface RepositoryCopy {
  readonly root: string
  /** Applies the edits. An unexpected number of occurrences is an error, and then nothing is changed. */
  apply(edits: readonly Edit[]): Promise<void>
  read(file: string): Promise<string>
  write(file: string, content: string): Promise<void>
  /** Restores every file changed by apply() or write(), and removes added ones. */
  restore(): Promise<void>
  remove(): Promise<void>
}

const repository = fileURLToPath(new URL('../..', import.meta.url))

/** Copies tracked and untracked files. Packages are linked, except the workspaces, which belong to the copy. */
export async function copyRepository(): Promise<RepositoryCopy> {
  const root = await mkdtemp(join(tmpdir(), 'portico-copy-'))
  for (const file of sourceFiles()) await cp(join(repository, file), join(root, file), { recursive: true })
  await linkPackages(root)
  /** The original content of each changed file; undefined for added ones. */
  const originals = new Map<string, string | undefined>()

  async function write(file: string, content: string): Promise<void> {
    const path = join(root, file)
    if (!originals.has(file)) originals.set(file, existsSync(path) ? await readFile(path, 'utf8') : undefined)
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, content)
  }

  return {
    root,
    read: (file) => readFile(join(root, file), 'utf8'),
    write,
    async apply(edits) {
      const contents = new Map<string, string>()
      for (const edit of edits) {
        const content = contents.get(edit.file) ?? (await readFile(join(root, edit.file), 'utf8'))
        contents.set(edit.file, edited(content, edit))
      }
      for (const [file, content] of contents) await write(file, content)
    },
    async restore() {
      for (const [file, content] of originals) {
        if (content === undefined) await rm(join(root, file), { force: true })
        else await writeFile(join(root, file), content)
      }
      originals.clear()
    },
    remove: () => rm(root, { recursive: true, force: true }),
  }
}

/**
 * The content after an edit. The text matches regardless of line breaks and trailing commas that a formatter
 * may add.
 */
export function edited(content: string, { file, find, replace, times = 1 }: Edit): string {
  const pattern = new RegExp(looselySpaced(find), 'g')
  const found = content.match(pattern)?.length ?? 0
  if (found !== times)
    throw new Error(`${file} has this ${found} times, and should have it ${times} times:\n${find}`)
  return content.replace(pattern, () => replace)
}

function looselySpaced(text: string): string {
  const tokens = text.replace(/,\s*(?=[)\]}])/g, '').match(/\w+|[^\w\s]/g) ?? []
  const parts = tokens.map((token, index) => {
    const isBetweenWords = /^\w/.test(token) && /^\w/.test(tokens[index - 1] ?? '')
    const isEnd = /^[)\]}]$/.test(token)
    return `${isBetweenWords ? '\\s+' : isEnd ? ',?\\s*' : '\\s*'}${escaped(token)}`
  })
  return parts.join('').replace(/^(?:,\?)?\\s\*/, '')
}

/** A text escaped for a regular expression. */
export function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
}

function sourceFiles(): string[] {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: repository,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  })
  // A deleted but unstaged file is listed although it does not exist.
  return listed.split('\0').filter((file) => file !== '' && existsSync(join(repository, file)))
}

async function linkPackages(root: string): Promise<void> {
  const workspaces: unknown = JSON.parse(await readFile(join(repository, 'package.json'), 'utf8'))
  for (const folder of ['', ...workspacesOf(workspaces)]) {
    const from = join(repository, folder, 'node_modules')
    if (!existsSync(from)) continue
    const to = join(root, folder, 'node_modules')
    await mkdir(to, { recursive: true })
    const names = (await readdir(from)).filter((name) => name !== '@portico' && !/^\.(?!bin$)/.test(name))
    for (const name of names) await symlink(join(from, name), join(to, name))
  }
  await mkdir(join(root, 'node_modules/@portico'))
  for (const folder of workspacesOf(workspaces))
    await symlink(join(root, folder), join(root, 'node_modules/@portico', folder))
}

function workspacesOf(manifest: unknown): string[] {
  if (typeof manifest !== 'object' || manifest === null || !('workspaces' in manifest)) return []
  return Array.isArray(manifest.workspaces) ? manifest.workspaces.map(String) : []
}
