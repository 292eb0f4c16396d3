import type { Clock } from './clock.js'
import type { Event, EventPage, EventsListInput } from './generated.js'
import type { RequestOptions } from './request-options.js'

/** From where to listen, to what, and how long. */
export interface ListenOptions {
  /**
   * The `cursor` of the last event that was dealt with; `latest`: only what happens from now on. Unless given, from the
   * oldest event that is kept, 90 days back.
   */
  readonly after?: string | undefined
  /** Only events of this code, or of a family such as `user.all`. */
  readonly code?: EventsListInput['code'] | undefined
  /** Ends the listening; it then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
  /** Milliseconds until it asks again when nothing is new; 1,000 unless given. */
  readonly pauseMs?: number | undefined
}

/** Reads a page of events. */
export type ReadEvents = (input: EventsListInput, options: RequestOptions) => Promise<EventPage>

/**
 * Makes the method that yields events, each exactly once and in their order, and waits for more when there are none.
 * It never ends by itself.
 *
 * To go on later where one has stopped, keep the `cursor` of each event after it was dealt with, and pass the last as
 * `after`. It rejects as `events.list` does, with `events_expired` when events behind `after` are not kept any more.
 */
export function listenBy(read: ReadEvents, clock: Clock) {
  return async function* listen(options: ListenOptions = {}): AsyncGenerator<Event, never, undefined> {
    const { code, signal, pauseMs = 1_000 } = options
    let { after } = options
    for (;;) {
      const page = await read({ limit: 100, after, code }, { signal })
      yield* page.data
      after = page.cursor
      if (!page.has_more) await clock.sleep(pauseMs, signal)
    }
  }
}

/** Listens to the events of the account, in the environment of the API key. */
export type Listen = ReturnType<typeof listenBy>
