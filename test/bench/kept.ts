import type { Settings } from './measure.js'

/** Makes something, runs the work on it, and takes it down. */
type Make<Made> = <Result>(work: (made: Made) => Promise<Result>) => Promise<Result>

/** What takes seconds to start, as a row of a quick look has left it to the next. */
interface Kept {
  readonly name: string
  readonly made: Promise<unknown>
  readonly takeDown: () => Promise<void>
}

let kept: Kept | undefined

/** Runs work on what is made for it, which in a quick look is left to the next work on what has the same name. */
export async function onKept<Made, Result>(
  { isQuick }: Pick<Settings, 'isQuick'>,
  name: string,
  make: Make<Made>,
  work: (made: Made) => Promise<Result>,
): Promise<Result> {
  if (kept?.name !== name) await takeDownKept()
  if (!isQuick) return make(work)
  kept ??= keep(name, make)
  // A name is that of one thing.
  return work((await kept.made) as Made)
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

/** Another row may need its Postgres, and the core it is on. */
export async function takeDownKept(): Promise<void> {
  const { takeDown } = kept ?? {}
  kept = undefined
  await takeDown?.()
}
