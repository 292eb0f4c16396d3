import { SettingsService } from '@simplewebauthn/server'
import { expect, test } from 'vitest'
import { verifyMadeKey } from './webauthn.js'

test.each(['android-key', 'android-safetynet', 'apple'] as const)(
  'a new passkey with a statement of %s leads to no certificate of its maker, whose list of revoked ones would be fetched',
  async (identifier) => {
    const response = { clientDataJSON: '', attestationObject: '', transports: [] }
    const expected = { challenges: [], origins: [], rpId: 'localhost', isVerificationRequired: true }
    await verifyMadeKey({ id: 'x', rawId: 'x', type: 'public-key', response }, expected)

    expect(SettingsService.getRootCertificates({ identifier })).toEqual([])
  },
)
