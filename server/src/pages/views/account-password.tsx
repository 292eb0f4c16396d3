import { Done } from '../frame/done.js'
import { HostedPage, toDocument, type Frame } from '../frame/layout.js'
import { Person } from '../frame/person.js'
import type { PageForm } from '../frame/step-page.js'
import type { NewPasswordFault } from '../texts/en/sign-in.js'
import { setPasswordPage } from './set-password.js'

interface AccountPasswordPage {
  readonly frame: Frame
  readonly form: PageForm
  readonly email: string
  readonly isOffered: boolean
  readonly needsMailbox: boolean
  readonly isSet: boolean
  /** In characters. */
  readonly lengths: { readonly min: number; readonly max: number }
  readonly isDone: boolean
  readonly fault?: NewPasswordFault | undefined
  readonly retryAfterSeconds?: number | undefined
}

/** The first password of the user, or another. */
export function accountPasswordPage(view: AccountPasswordPage): string {
  const { frame, form, email, isOffered, needsMailbox, isSet, lengths, isDone, fault, retryAfterSeconds } =
    view
  const { texts } = frame
  const words = texts.account.password
  if (isOffered && !needsMailbox && !isDone)
    return setPasswordPage({
      frame,
      form,
      email,
      minLength: lengths.min,
      maxLength: lengths.max,
      asked: isSet ? 'change' : 'first',
      fault,
      retryAfterSeconds,
    })
  return toDocument(
    <HostedPage frame={frame} title={texts.account.sections.password.heading}>
      <Person texts={texts} email={email} />
      <Done isDone={isDone} sentence={words.saved} />
      {!isOffered && <p>{words.notOffered}</p>}
      {isOffered && needsMailbox && <p>{words.needsMailbox}</p>}
    </HostedPage>,
  )
}
