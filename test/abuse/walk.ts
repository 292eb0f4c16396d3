import { abuses, isOfServer, type Abuse, type Expected } from './abuses.js'
import type { Answer, Send, Target } from './target.js'

/** Sends every abuse to each target, and returns one line per faulty answer. */
export async function faultsOf(targets: readonly Target[], send: Send): Promise<string[]> {
  const faults: string[] = []
  for (const abuse of abuses)
    await Promise.all(
      targets.map(async (target) => {
        const fault = await faultOf(target, abuse, send)
        if (fault !== undefined) faults.push(`${target.name} - ${abuse.name}: ${fault}`)
      }),
    )
  return faults
}

async function faultOf(target: Target, abuse: Abuse, send: Send): Promise<string | undefined> {
  const sent = abuse.sentTo(target)
  if (sent === undefined) return undefined
  const answer = await send(sent)
  if (!isAsExpected(abuse.expected(target), answer)) return `${answer.status} ${answer.text.slice(0, 200)}`
  if (isOfServer(abuse)) return answer.text === '' ? undefined : answer.text
  return target.faultOf(answer)
}

function isAsExpected(expected: Expected, { status }: Answer): boolean {
  if (expected === 'any') return true
  return expected === 'refused' ? status >= 400 && status < 500 : status === expected
}
