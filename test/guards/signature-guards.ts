import { guard } from './guard.js'

const signature = 'contract/src/events/webhook-signature.ts'

const verifyWebhook = (title: string) => ({
  file: 'test/clients/sdk/webhooks.test.ts',
  title: `verifyWebhook ${title}`,
})
const refuses = (title: string) => verifyWebhook(`refuses ${title}`)
const accepts = verifyWebhook('accepts a delivery as it came, and returns its event')

/** Guards of the verification of deliveries by receivers. */
export const signatureGuards = [
  guard({
    name: 'signature of an event: its time',
    file: signature,
    find: 'const prefix = textBytes(`${timestamp}.`)',
    replace: "const prefix = textBytes('1773480413.')",
    red: refuses('a time that was changed'),
    green: accepts,
  }),
]
