import { setTimeout as pause } from 'node:timers/promises'

/** Resolves once the condition holds; has its own timeout for waits shorter than that of the test. */
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
