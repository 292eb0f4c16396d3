/** Time and randomness of the client; replaced in tests. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number
  /** Resolves after the given milliseconds, or rejects with the signal's reason. */
  sleep(ms: number, signal: AbortSignal | undefined): Promise<void>
  /** A number from 0 to below 1. */
  random(): number
}

export const systemClock: Clock = {
  now: () => Date.now(),
  random: () => Math.random(),
  async sleep(ms, signal) {
    let timer: ReturnType<typeof setTimeout> | undefined
    const elapsed = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, ms)
    })
    try {
      await unlessAborted(elapsed, signal)
    } finally {
      clearTimeout(timer)
    }
  },
}

/** The promise, or a rejection with the signal's reason, whichever is first. The work itself continues. */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work
  let abort = (): void => undefined
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason)
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort)
  })
  try {
    return await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
