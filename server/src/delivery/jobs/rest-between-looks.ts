/** Work is announced before its transaction commits, so that the first look may find nothing yet. */
const looksAfterAnnouncedMs = [5, 10, 20, 40, 80]

/** The waits of a worker that has found nothing: until the next poll, or shorter when work is about to be there. */
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
    /** Ends a pause, also when the next one is yet to begin. */
    lookNow(): void {
      if (looks[0] !== 0) looks = [0, ...looks]
      end()
    },
    /** Ends a pause, and lets no other begin: a stop may come while its worker looks. */
    end(): void {
      isEnded = true
      end()
    },
  }
}
