import { systemClock } from '../../platform/system-clock.js'

/** The clock of an emulator: that of the machine, until a test moves it ahead. */
interface MovableClock {
  readonly now: () => Date
  /** Goes on from a moment that is not in the past. */
  moveTo(at: Date): void
  /** Goes on from the machine's time. */
  reset(): void
}

export function createMovableClock(): MovableClock {
  let start = systemClock().getTime()
  // Monotonic, independent of changes to the machine's own clock.
  let startTick = performance.now()
  const now = () => new Date(start + Math.floor(performance.now() - startTick))
  const goOnFrom = (ms: number) => {
    start = ms
    startTick = performance.now()
  }
  return {
    now,
    moveTo: (at) => goOnFrom(Math.max(at.getTime(), now().getTime())),
    reset: () => goOnFrom(systemClock().getTime()),
  }
}
