import { execFileSync } from 'node:child_process'
import { randomInt } from 'node:crypto'

/** An address of this machine that can be made unreachable temporarily. */
export interface VanishingAddress {
  readonly host: string
  /** Makes the kernel refuse it (EHOSTUNREACH) until the work is done; open connections get no answers. */
  during(work: () => Promise<void>): Promise<void>
  remove(): void
}

/** Adds an address; undefined if the network cannot be configured, for example without root or iproute2. */
export function addVanishingAddress(): VanishingAddress | undefined {
  const host = `10.${randomInt(200, 255)}.${randomInt(255)}.${randomInt(1, 255)}`
  const ip = (words: string) => void execFileSync('ip', words.split(' '), { stdio: 'pipe' })
  const add = () => ip(`address add ${host}/32 dev lo`)
  const remove = () => ip(`address del ${host}/32 dev lo`)
  try {
    add()
  } catch {
    return undefined
  }
  return {
    host,
    async during(work) {
      ip(`route add unreachable ${host}/32`)
      remove()
      await work()
      add()
      ip(`route del unreachable ${host}/32`)
    },
    remove,
  }
}
