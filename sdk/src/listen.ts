import type { Clock } from './clock.js'
import type { Event, EventPage, EventsListInput } from './generated.js'
import type { RequestOptions } from './request-options.js'

/** The start, filter and end of listening. */
export interface ListenOptions {
  /**
   * The `cursor` of the last event that was processed; `latest`: only future events. By default from the oldest event,
   * which is 90 days old.
   */
  readonly after?: string | undefined
  /** Only events of this code, or of a family such as `user.all`. */
  readonly code?: EventsListInput['code'] | undefined
  /** Ends the iteration, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
  /** Milliseconds between polls without new events; 1,000 by default. */
  readonly pauseMs?: number | undefined
}

/** Reads a page of events. */
export type ReadEvents = (input: EventsListInput, options: RequestOptions) => Promise<EventPage>

/**
 * Makes the method that yields events in order, each exactly once, and waits for new ones. It never ends by itself.
 *
 * To resume later, store the `cursor` of each event after processing it, and pass the last one as `after`. It rejects like
 * `events.list`, with `events_expired` when events after the cursor have been deleted.
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
