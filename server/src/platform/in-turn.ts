/** Runs a function one call at a time, in the order of its calls. */
export function inTurn<Parameters extends unknown[], Result>(
  work: (...parameters: Parameters) => Promise<Result>,
): (...parameters: Parameters) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve()
  return (...parameters) => {
    const result = last.then(() => work(...parameters))
    last = result.catch(() => undefined)
    return result
  }
}
