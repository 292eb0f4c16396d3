import { execFileSync } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** One replacement of text in a file of the repository. */
export interface Edit {
  /** From the root of the repository. */
  readonly file: string
  /** The text as the file has it; how it is broken into lines does not matter. */
  readonly find: string
  readonly replace: string
  /** How often the file must have the text; 1 when it is not said. */
  readonly times?: number
}

/** The sources of the repository, as they are now, in a folder where they may be changed. */
export interface RepositoryCopy {
  readonly root: string
  /** Makes the edits. A text that is not there as often as it is said to be is an error, and then nothing is changed. */
  apply(edits: readonly Edit[]): Promise<void>
  read(file: string): Promise<string>
  write(file: string, content: string): Promise<void>
  /** Gives back every file that apply() or write() has touched its first content, and removes what they added. */
  restore(): Promise<void>
  remove(): Promise<void>
}

const repository = fileURLToPath(new URL('../..', import.meta.url))

/** Copies what git knows and what it would add. Packages are linked, but for the workspaces', which are the copy's own. */
export async function copyRepository(): Promise<RepositoryCopy> {
  const root = await mkdtemp(join(tmpdir(), 'portico-copy-'))
  for (const file of sourceFiles()) await cp(join(repository, file), join(root, file), { recursive: true })
  await linkPackages(root)
  /** What each touched file was; undefined where there was none. */
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
 * The content after an edit. Where a formatter may break lines, and may end a list with a comma, the text matches
 * either way.
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

/** A text as a regular expression that matches it alone. */
export function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
}

function sourceFiles(): string[] {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: repository,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  })
  // A file that was deleted and not yet staged is listed, and is not there.
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
