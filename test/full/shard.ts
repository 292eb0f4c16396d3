/**
 * The part of a run that --shard selects.
 *
 * @param text Such as 1/4, the first of four.
 * @throws Error on another form, or a part that is not one of them.
 */
export function shardOf(text = '1/1'): { readonly shard: number; readonly count: number } {
  const [, shard = 0, count = 0] = (/^(\d+)\/(\d+)$/.exec(text) ?? []).map(Number)
  if (shard < 1 || shard > count) throw new Error('--shard takes which part of how many, such as --shard=1/4')
  return { shard, count }
}

/** Distributes files over groups, some of which are empty where there are fewer files. */
export function inGroups(files: readonly string[], count: number): readonly (readonly string[])[] {
  return Array.from({ length: count }, (_, group) => files.filter((_file, index) => index % count === group))
}
