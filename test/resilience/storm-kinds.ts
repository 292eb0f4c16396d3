import type { ServerResponse } from 'node:http'
import type { Treatment } from './ledger.js'

/** A kind of receiver: its behaviour, and the expected final state of its deliveries. */
export interface Kind {
  readonly title: string
  readonly treat: Treatment
  readonly events: number
  readonly retryOnTimeout?: boolean
  /** Whether its answers wait at the gate. */
  readonly isGated?: boolean
  readonly end: 'delivered' | 'failed' | 'lost'
}

/** Shared conditions on which receivers of the storm base their answers. */
export interface StormWeather {
  /** The gate of receivers that answer every event with 200. */
  pass(answer: () => void): void
  /** Whether the receiver that was down throughout is up again. */
  isBack(): boolean
}

/** After the timeout of 15 s, and shortly before it. */
const tooLateMs = 16_000
const justInTimeMs = 12_000

/** Every kind, with 10,000 events in total. Kinds with timeouts get few events, because each timeout takes 15 s. */
export function kindsOf({ pass, isBack }: StormWeather): Kind[] {
  const ok: Treatment = (res) => pass(() => answer(res, 200))
  const always =
    (status: number, headers = {}): Treatment =>
    (res) =>
      answer(res, status, headers)
  return [
    { title: 'answers 200', treat: ok, events: 2_500, isGated: true, end: 'delivered' },
    { title: 'answers 200, a second', treat: ok, events: 2_000, isGated: true, end: 'delivered' },
    { title: 'answers 200, a third', treat: ok, events: 1_500, isGated: true, end: 'delivered' },
    { title: 'answers 302', treat: always(302, { location: '/' }), events: 150, end: 'failed' },
    { title: 'answers 400', treat: always(400), events: 150, end: 'failed' },
    { title: 'answers 410', treat: always(410), events: 150, end: 'failed' },
    { title: 'answers 429', treat: always(429, { 'retry-after': '1' }), events: 150, end: 'failed' },
    {
      title: 'answers 500 twice, then 200',
      treat: (res, times) => answer(res, times <= 2 ? 500 : 200),
      events: 500,
      end: 'delivered',
    },
    {
      title: 'answers 503, and is back in the end',
      treat: (res) => answer(res, isBack() ? 200 : 503),
      events: 1_000,
      end: 'delivered',
    },
    { title: 'resets', treat: (res) => res.socket?.resetAndDestroy(), events: 400, end: 'lost' },
    {
      title: 'resets, tried again',
      treat: (res) => res.socket?.resetAndDestroy(),
      events: 68,
      retryOnTimeout: true,
      end: 'failed',
    },
    {
      title: 'claims more than it sends',
      treat: (res) => {
        res.writeHead(500, { 'content-length': '1000' })
        res.write('this is all', () => res.destroy())
      },
      events: 100,
      end: 'failed',
    },
    {
      title: 'claims less than it sends',
      treat: (res) => {
        res.writeHead(200, { 'content-length': '2' }).end('okHTTP/1.1 500 No\r\n\r\n')
      },
      events: 1_300,
      end: 'delivered',
    },
    { title: 'hangs', treat: () => undefined, events: 8, end: 'lost' },
    {
      title: 'answers 200 after the limit',
      treat: (res) => void setTimeout(() => answer(res, 200), tooLateMs),
      events: 4,
      end: 'lost',
    },
    {
      title: 'answers 200 after the limit, and in time when it is tried again',
      treat: (res, times) => {
        if (times > 1) answer(res, 200)
        else setTimeout(() => answer(res, 200), tooLateMs)
      },
      events: 10,
      retryOnTimeout: true,
      end: 'delivered',
    },
    {
      title: 'answers 200 just in time',
      treat: (res) => void setTimeout(() => answer(res, 200), justInTimeMs),
      events: 10,
      end: 'delivered',
    },
  ]
}

function answer(res: ServerResponse, status: number, headers: Record<string, string> = {}): void {
  res.writeHead(status, headers).end()
}
