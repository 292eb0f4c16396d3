/** Work is announced before its transaction commits, so that the first look may find nothing yet. */
const looksAfterAnnouncedMs = [5, 10, 20, 40, 80]

/** The pauses of an idle worker: until the next poll, or shorter when work was announced. */
export function restBetweenLooks(pollMs: number) {
  let looks: number[] = []
  let isLong = false
  let isEnded = false
  let end = () => {}
  return {
    async pause(): Promise<void> {
      if (isEnded) return
      const lookInMs = looks.shift()
      isLong = lookInMs === undefined
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, lookInMs ?? pollMs)
        end = () => {
          clearTimeout(timer)
          resolve()
        }
      })
      isLong = false
    },
    lookSoon(): void {
      looks = [...looksAfterAnnouncedMs]
      if (isLong) end()
    },
    /** Ends the current pause, or else the next one. */
    lookNow(): void {
      if (looks[0] !== 0) looks = [0, ...looks]
      end()
    },
    /** Ends the current pause and every later one: a stop may come while the worker looks. */
    end(): void {
      isEnded = true
      end()
    },
  }
}
