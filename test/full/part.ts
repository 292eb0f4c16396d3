/**
 * The part of a run that an option selects.
 *
 * @param option Such as --shard.
 * @param text Such as 1/4, the first of four.
 * @throws Error on another form, or a part that is not one of them.
 */
export function partOf(option: string, text: string): { readonly part: number; readonly count: number } {
  const [, part = 0, count = 0] = (/^(\d+)\/(\d+)$/.exec(text) ?? []).map(Number)
  if (part < 1 || part > count)
    throw new Error(`${option} takes which part of how many, such as 1/4, and not ${text}`)
  return { part, count }
}

/** Distributes files over groups, some of which are empty where there are fewer files. */
export function inGroups(files: readonly string[], count: number): readonly (readonly string[])[] {
  return Array.from({ length: count }, (_, group) => files.filter((_file, index) => index % count === group))
}
