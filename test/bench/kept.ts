import type { Settings } from './measure.js'

/** Makes something, runs the work on it, and takes it down. */
type Make<Made> = <Result>(work: (made: Made) => Promise<Result>) => Promise<Result>

/** A stage that a row of a quick look has left to the next row. */
interface Kept {
  readonly name: string
  readonly made: Promise<unknown>
  readonly takeDown: () => Promise<void>
}

let kept: Kept | undefined

/**
 * Makes a stage, runs work on it and takes it down. A quick look takes it down when the next work is on a stage of another name, because to
 * start one takes seconds, or when the work has failed.
 */
export async function onKept<Made, Result>(
  { isQuick }: Pick<Settings, 'isQuick'>,
  name: string,
  make: Make<Made>,
  work: (made: Made) => Promise<Result>,
): Promise<Result> {
  if (kept?.name !== name) await takeDownKept()
  if (!isQuick) return make(work)
  kept ??= keep(name, make)
  try {
    // Each name is used with one kind of stage.
    return await work((await kept.made) as Made)
  } catch (error) {
    await takeDownKept().catch(() => undefined)
    throw error
  }
}

function keep<Made>(name: string, make: Make<Made>): Kept {
  let release = (): void => undefined
  const released = new Promise<void>((resolve) => (release = resolve))
  let ended = Promise.resolve()
  const made = new Promise<Made>((resolve, reject) => {
    ended = make((value) => {
      resolve(value)
      return released
    })
    ended.catch(reject)
  })
  const takeDown = () => {
    release()
    return ended
  }
  return { name, made, takeDown }
}

/** Adds something to a stage, once for all rows that use it. */
export function onceOf<Stage extends object, Added>(
  add: (stage: Stage) => Promise<Added>,
): (stage: Stage) => Promise<Added> {
  const added = new WeakMap<Stage, Promise<Added>>()
  return (stage) => {
    const adding = added.get(stage) ?? add(stage)
    added.set(stage, adding)
    return adding
  }
}

/** Takes down the stage that is kept, if any: a row that has a stage of its own may use the same Postgres. */
export async function takeDownKept(): Promise<void> {
  const { takeDown } = kept ?? {}
  kept = undefined
  await takeDown?.()
}
