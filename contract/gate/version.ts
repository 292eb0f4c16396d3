/** Whether the first of two versions is the later one (semver.org section 11; releases alone, without suffixes). */
export function isLater(one: string, other: string): boolean {
  return compared(numbersOf(one), numbersOf(other)) > 0
}

/** Whether a version may break programs written for another: another major, or before 1.0.0 another minor. */
export function mayBreak(version: string, released: string): boolean {
  return isLater(version, released) && !isLater(nextBreaking(released), version)
}

/** The first version that may break programs written for this one. */
export function nextBreaking(released: string): string {
  const [major, minor] = numbersOf(released)
  return major === 0 ? `0.${minor + 1}.0` : `${major + 1}.0.0`
}

type Numbers = readonly [major: number, minor: number, patch: number]

function numbersOf(version: string): Numbers {
  const [, major, minor, patch] = /^(\d+)\.(\d+)\.(\d+)$/.exec(version) ?? []
  if (patch === undefined) throw new Error(`${version} is no version of three numbers`)
  return [Number(major), Number(minor), Number(patch)]
}

function compared(one: Numbers, other: Numbers): number {
  return one[0] - other[0] || one[1] - other[1] || one[2] - other[2]
}
