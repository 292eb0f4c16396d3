import { EventEmitter, once } from 'node:events'
import type { Deps } from '../deps.js'
import { restBetweenLooks } from './rest-between-looks.js'
import { watchLoop } from './watch-loop.js'

/** Work that is claimed, run and drained until it is stopped. */
export interface Loop {
  /** Claims no more work, and waits for running work as long as the configuration allows. */
  stop(): Promise<void>
  /**
   * Runs everything that is due or becomes due by that, and waits for running work.
   *
   * @returns The number of items that ended, successfully or not.
   */
  runDue(): Promise<number>
  /** Whether the loop has not been able to look for work for 15 s. */
  isStalled(): boolean
}

interface LoopSettings {
  readonly name: 'jobs' | 'deliveries'
  /** How often to look for work that other processes added or that has become due. */
  readonly pollMs: number
  /** Log messages for a failed look, and for work that is unfinished at the stop. */
  readonly messages: { readonly failing: string; readonly unfinished: string }
}

/** The callbacks of the loop. */
interface LoopWork {
  /** Starts due work, of all or of what was announced. @returns How many items. */
  look(): Promise<number>
  /** Starts everything that is due. @returns How many items. */
  startDue(): Promise<number>
  stopListening(): void
}

/** Opens a loop; start() begins looking for work. */
export function openLoop(
  { config, log, metrics, now }: Pick<Deps, 'config' | 'log' | 'metrics' | 'now'>,
  { name, pollMs, messages }: LoopSettings,
) {
  const rest = restBetweenLooks(pollMs)
  /** Emits `change` when an item has ended, and when stop() gives up waiting. */
  const signals = new EventEmitter().setMaxListeners(0)
  let underWay = 0
  let ended = 0
  let isStopping = false

  /**
   * Runs a claimed item.
   *
   * @param work Logs its own failures, and returns whether more is due than there was room for.
   */
  async function run(work: () => Promise<boolean>): Promise<void> {
    underWay += 1
    const isMoreDue = await work()
    underWay -= 1
    ended += 1
    signals.emit('change')
    if (isMoreDue) rest.lookNow()
  }

  function start({ look, startDue, stopListening }: LoopWork): Loop {
    const watch = watchLoop(name, { log, metrics, now })
    const working = lookUntilStopped()
    let stopped: Promise<void> | undefined

    async function lookUntilStopped(): Promise<void> {
      let isFailing = false
      while (!isStopping) {
        let started = 0
        try {
          started = await look()
          watch.looked()
          isFailing = false
        } catch (error) {
          if (!isFailing) log.error({ err: error }, messages.failing)
          isFailing = true
        }
        if (started === 0) await rest.pause()
      }
    }

    async function stop(): Promise<void> {
      isStopping = true
      stopListening()
      rest.end()
      watch.stop()
      await working
      let isOverdue = false
      const deadline = setTimeout(() => {
        isOverdue = true
        signals.emit('change')
      }, config.drainMs)
      while (underWay > 0 && !isOverdue) await once(signals, 'change')
      clearTimeout(deadline)
      if (underWay > 0) log.warn({ [name]: underWay }, messages.unfinished)
    }

    return {
      stop: () => (stopped ??= stop()),
      isStalled: watch.isStalled,
      async runDue() {
        const endedBefore = ended
        for (;;) {
          const endedBeforeLook = ended
          if ((await startDue()) > 0) continue
          // What ended during the look has left its place to others.
          if (ended > endedBeforeLook) continue
          if (underWay === 0) return ended - endedBefore
          await once(signals, 'change')
        }
      },
    }
  }

  return {
    run,
    start,
    lookSoon: rest.lookSoon,
    underWay: () => underWay,
    isStopping: () => isStopping,
  }
}
