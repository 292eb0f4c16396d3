import { constants } from 'node:os'

/** npm repeats the signal that the terminal has sent to its whole group already; both mean one Ctrl-C. */
const echoMs = 1_000

/**
 * Waits for SIGTERM or SIGINT, then closes. A second signal ends the process at once.
 *
 * @param failed Resolves when the process cannot go on: it closes as well, and its exit code is 1.
 */
export async function closeOnSignal(
  close: () => Promise<void>,
  tell: (text: string) => void,
  failed?: Promise<unknown>,
): Promise<void> {
  const signalled = new Promise<void>((resolve) => {
    let firstAt: number | undefined
    const onSignal = (signal: 'SIGINT' | 'SIGTERM') => {
      if (firstAt === undefined) {
        firstAt = performance.now()
        tell('Stopping: requests under way are finished. Again to stop at once.\n')
        resolve()
      } else if (performance.now() - firstAt > echoMs) {
        // Shells report a signal by this code.
        process.exit(128 + constants.signals[signal])
      }
    }
    process.on('SIGINT', onSignal)
    process.on('SIGTERM', onSignal)
  })
  const exitCode = await Promise.race([signalled.then(() => 0), ...(failed ? [failed.then(() => 1)] : [])])
  await close()
  // Handles left open by a library must not keep a stopped service alive.
  process.exit(exitCode)
}
