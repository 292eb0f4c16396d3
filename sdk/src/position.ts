/** In milliseconds. By then a change is wherever the service reads. */
const keptMs = 60_000
/** Of more than 20 the service looks at none, and reads where all changes are. */
const maxSent = 21

/** Where in the service's database the newest changes of a client are. */
export interface Positions {
  /** The value of the header for reads; undefined without a recent change. */
  current(): string | undefined
  /** Called before a request is sent. Returns what remembers the position that its answer has. */
  sending(): (answer: Headers) => void
}

/**
 * Remembers the header `Portico-Position` of a client's changes. A read that sends it back sees them, also where the service
 * reads from a replica of its database.
 */
export function createPositions(now: () => number): Positions {
  let known: readonly string[] = []
  let until = 0
  return {
    current: () => (now() < until ? known.slice(0, maxSent).join(', ') : undefined),
    sending() {
      const before = known
      return (answer) => {
        const position = answer.get('portico-position') ?? ''
        if (!/^[\w-]{1,200}$/.test(position)) return
        // A change that was sent after the answer of another is after it in the log. Of those that ran at once none says which.
        known = [...known.filter((each) => !before.includes(each)), position]
        until = now() + keptMs
      }
    },
  }
}
