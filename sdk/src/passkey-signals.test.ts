import { expect, test } from 'vitest'
import { passkeySignals } from './passkey-signals.js'

const options = {
  challenge: 'x',
  rp: { id: 'store.example', name: 'Awesome company' },
  user: { id: 'bX2vT9', name: 'ada@awesome.example · Awesome company', displayName: 'ada@awesome.example' },
  pubKeyCredParams: [{ type: 'public-key' as const, alg: -7 }],
  timeout: 300_000,
  excludeCredentials: [
    { type: 'public-key' as const, id: 'first', transports: ['internal'] },
    { type: 'public-key' as const, id: 'second', transports: [] },
  ],
  authenticatorSelection: {
    residentKey: 'required' as const,
    requireResidentKey: true,
    userVerification: 'required' as const,
  },
  attestation: 'none' as const,
}

test('the signals of a user name them as their passkeys do, and each passkey that they have', () => {
  expect(passkeySignals({ options })).toEqual({
    accepted: {
      rpId: 'store.example',
      userId: 'bX2vT9',
      allAcceptedCredentialIds: ['first', 'second'],
    },
    details: {
      ...{ rpId: 'store.example', userId: 'bX2vT9' },
      ...{ name: 'ada@awesome.example · Awesome company', displayName: 'ada@awesome.example' },
    },
  })
})

test('of a user whose last passkey was removed the browser is to propose none', () => {
  const { accepted } = passkeySignals({ options: { ...options, excludeCredentials: [] } })

  expect(accepted.allAcceptedCredentialIds).toEqual([])
})
