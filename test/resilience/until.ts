import { setTimeout as pause } from 'node:timers/promises'

/** Resolves once it is so. What the test's own time limit is too long for has a limit here. */
export async function until(
  isSo: () => boolean | Promise<boolean>,
  { withinMs = 60_000, everyMs = 10 } = {},
): Promise<void> {
  const deadline = performance.now() + withinMs
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`not so within ${withinMs} ms: ${isSo.toString()}`)
    await pause(everyMs)
  }
}
