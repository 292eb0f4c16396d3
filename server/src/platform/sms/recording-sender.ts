import type { Sms, SmsSender } from './sender.js'

/** A sender for tests that records messages and sends nothing. */
export function createRecordingSmsSender(): SmsSender & { readonly sent: Sms[] } {
  const sent: Sms[] = []
  return {
    sent,
    send(sms) {
      sent.push(sms)
      return Promise.resolve()
    },
    close: () => undefined,
  }
}
