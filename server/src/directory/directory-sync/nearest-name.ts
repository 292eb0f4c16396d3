/** The name that has the fewest edits from a text. */
export function nearestName(text: string, names: readonly string[]): string | undefined {
  const lower = text.toLowerCase()
  const distances = names.map((name) => ({ name, distance: editsBetween(lower, name.toLowerCase()) }))
  return distances.toSorted((one, other) => one.distance - other.distance)[0]?.name
}

/** Levenshtein's distance, row by row. */
function editsBetween(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (const [place, letter] of [...from].entries()) {
    const next = [place + 1]
    for (const [index, other] of [...to].entries()) {
      const replaced = (row[index] ?? 0) + (letter === other ? 0 : 1)
      next.push(Math.min(replaced, (row[index + 1] ?? 0) + 1, (next[index] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}
