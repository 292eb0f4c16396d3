import { HostedPage, toDocument, type Frame } from '../frame/layout.js'

/** Ends a sign-in that takes the passkey of a user whose passkey was blocked, and who has no other factor as good. */
export function blockedPasskeyPage({ frame }: { readonly frame: Frame }): string {
  const words = frame.texts.passkeys.blocked
  return toDocument(
    <HostedPage frame={frame} title={words.heading}>
      <p>{words.sentence}</p>
      <p>{words.advice}</p>
    </HostedPage>,
  )
}
