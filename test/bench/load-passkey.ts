import { createPrivateKey } from 'node:crypto'
import { createPasskeyAuthenticator, type HeldKey } from '../given/passkey-authenticator.js'
import { memberOf, readLines, send, type Work } from './load-send.js'
import type { Load } from './load.js'
import { passkeyOrigin } from './sample.js'

/** A page of an application asks for a passkey, and has the answer of the authenticator verified. */
export function assertions(load: Load): Work {
  const authenticator = createPasskeyAuthenticator(passkeyOrigin, { isSynced: true })
  const lines = readLines(load).map(([, path = '', token, body, key = '']) => ({
    ...{ path, token, body },
    key: toKey(key),
  }))
  let turn = Math.floor(Math.random() * lines.length)
  const once: Work['once'] = async (port, agent) => {
    turn += 1
    const line = lines[turn % lines.length]
    if (line === undefined) throw new Error('there is no passkey')
    const { path, token, body, key } = line
    const challenge = await send(port, agent, { method: 'POST', path, token, body })
    const { options } = JSON.parse(challenge.body) as Pick<Challenge, 'options'>
    const validated = await send(port, agent, {
      ...{ method: 'PUT', path: `${path}/validation`, token },
      body: JSON.stringify({
        request_id: memberOf(challenge.body, 'request_id'),
        // The answer of an authenticator is JSON.
        credential: JSON.parse(authenticator.use(options, {}, key)) as object,
      }),
    })
    memberOf(validated.body, 'code')
  }
  return { once }
}

interface Challenge {
  readonly options: { readonly challenge: string; readonly rpId: string }
}

/** A key as a column of a request. */
export function fromKey({ id, handle, privateKey }: HeldKey): string {
  return JSON.stringify({ id, handle, pem: privateKey.export({ type: 'pkcs8', format: 'pem' }) })
}

function toKey(text: string): HeldKey {
  // What fromKey() has written.
  const { pem, ...key } = JSON.parse(text) as Omit<HeldKey, 'privateKey'> & { readonly pem: string }
  return { ...key, privateKey: createPrivateKey(pem) }
}
