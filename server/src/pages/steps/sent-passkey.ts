import { provePasskey, type PasskeyProof } from '../../sign-in/passkeys/prove-passkey.js'
import type { StepRequest } from '../frame/step-page.js'
import { guess } from './guess.js'

/** Verifies the answer of an authenticator that a page has sent to sign in by it, whosever it is. */
export function proveSentPasskey(request: StepRequest): Promise<PasskeyProof> {
  const { deps, flow, form } = request
  const sent = { credential: request.field('credential'), csrf: form.csrf, isVerificationRequired: true }
  return guess(
    request,
    () => provePasskey(deps, flow, { ...sent, purpose: 'passkey_sign_in' }),
    (proof) => 'proved' in proof,
  )
}
