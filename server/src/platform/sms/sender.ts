import { openOutbound, type WatchCall } from '../outbound/post.js'
import type { SmsProvider } from '../config/variables.js'

/** A text message. */
export interface Sms {
  /** E.164. */
  readonly to: string
  readonly body: string
  /** The same over retries, for a provider with idempotency keys. */
  readonly idempotencyKey: string
}

export interface SmsSender {
  /** @throws Error when the provider refuses the message; the job tries again. */
  send(sms: Sms): Promise<void>
  close(): void
}

const timeoutMs = 10_000
/** A longer answer is not the provider's. */
const maxAnswerBytes = 16_384

/** Sends by HTTP, in the form of Twilio's Messages resource (2010-04-01). Without a provider every message fails. */
export function openSmsSender(provider: SmsProvider | undefined, watch?: WatchCall): SmsSender {
  if (provider === undefined) {
    return {
      send: () => Promise.reject(new Error('SMS_URL is not set')),
      close: () => undefined,
    }
  }
  // The operator names the host, also in a private network. Outbound adds the time limit, the bound of the answer, and
  // that no redirect is followed with the credentials.
  const outbound = openOutbound({ allowed: ['0.0.0.0/0', '::/0'], isHttpAllowed: true }, { watch })
  const { accountSid, authToken, from, origin } = provider
  const credentials = Buffer.from(`${accountSid}:${authToken}`).toString('base64')
  return {
    async send({ to, body, idempotencyKey }) {
      const answer = await outbound.post({
        url: `${origin}/2010-04-01/Accounts/${encodeURIComponent(accountSid)}/Messages.json`,
        headers: {
          authorization: `Basic ${credentials}`,
          'content-type': 'application/x-www-form-urlencoded',
          accept: 'application/json',
          'idempotency-key': idempotencyKey,
        },
        body: new URLSearchParams({ To: to, From: from, Body: body }).toString(),
        timeoutMs,
        maxAnswerBytes,
      })
      if (answer.outcome !== 'answered') throw new Error(`the provider of text messages: ${answer.outcome}`)
      const { status } = answer
      if (status < 200 || status > 299)
        throw new Error(`the provider of text messages answered ${status}${errorCodeIn(answer.body)}`)
    },
    close: () => outbound.close(),
  }
}

/** The provider's number for the fault. Its message may repeat the telephone number, and would be kept with the job. */
function errorCodeIn(body: string): string {
  const [, code] = /"code"\s*:\s*(\d{1,9})\b/.exec(body) ?? []
  return code === undefined ? '' : `, error ${code}`
}
