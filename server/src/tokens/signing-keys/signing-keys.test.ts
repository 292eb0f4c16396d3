import { nilId } from '@portico/contract/fields'
import { expect, test } from 'vitest'
import { accountKeys, issuingAccount, sealContext } from './signing-keys.js'

const accountId = '0190c8a1-7c1e-7c39-9b6d-2f1d8a3b4c5d'
const kid = 'mVq0Yk3cJ6z1s9R2t8B4e7Nf5a0Xw6DgHjKlPoUiYtR'

test('a private key of an account as an issuer does not open in the place of one for API tokens, nor the reverse', () => {
  const [ofApi, ofIssuer] = [accountKeys, issuingAccount].map((ownerOf) =>
    sealContext(ownerOf(accountId, 'sandbox'), kid),
  )

  expect(ofIssuer).not.toEqual(ofApi)
  expect([
    accountKeys(accountId, 'sandbox').organizationId,
    issuingAccount(accountId, 'sandbox').organizationId,
  ]).toEqual([nilId, accountId])
})

test('keys of organizations and of API tokens are sealed as by releases before issuers of accounts', () => {
  const organizationId = '0190c8a1-7c1e-7c39-9b6d-2f1d8a3b4c5e'

  expect(sealContext({ accountId, environment: 'sandbox', organizationId }, kid)).toEqual({
    purpose: 'signing_key',
    scope: organizationId,
    aad: `signing_keys.private_key_sealed:${accountId}:sandbox:${kid}`,
  })
  expect(sealContext(accountKeys(accountId, 'sandbox'), kid)).toEqual({
    purpose: 'signing_key',
    scope: accountId,
    aad: `signing_keys.private_key_sealed:${accountId}:sandbox:${kid}`,
  })
})
