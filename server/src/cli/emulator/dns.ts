import type { DnsAnswer, NewDnsAnswer } from '@portico/contract/emulator'
import type { ReadTxt } from '../../platform/outbound/txt.js'

/** The name servers of an emulator: what tests have told it, and nothing else. */
export interface Dns {
  set(name: string, answer: NewDnsAnswer): DnsAnswer
  clear(): void
  readonly readTxt: ReadTxt
}

export function createDns(): Dns {
  const answers = new Map<string, NewDnsAnswer>()
  return {
    set(name, answer) {
      answers.set(name.toLowerCase(), answer)
      return { name, texts: answer.texts ?? null, answer: answer.answer ?? null }
    },
    clear: () => answers.clear(),
    readTxt: (name) => {
      const { texts, answer = 'none' } = answers.get(name) ?? {}
      return Promise.resolve(texts === undefined ? { outcome: answer } : { outcome: 'found', texts })
    },
  }
}
