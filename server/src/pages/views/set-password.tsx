import { maxPasskeyName } from '@portico/contract/passkey-credentials'
import { displayName } from '../../platform/display-name.js'
import { PageFault, toFault, type Fault } from '../frame/fault.js'
import { PasswordField } from '../frame/field.js'
import { Form } from '../frame/form.js'
import { HostedPage, toDocument, type Frame } from '../frame/layout.js'
import { Person, UserNameForManagers } from '../frame/person.js'
import type { PageForm } from '../frame/step-page.js'
import type { NewPasswordFault } from '../texts/en/sign-in.js'

/** The page for a new password: the first one, a replacement, the renewal of one that is due, or the offer of one. */
interface SetPasswordPage {
  readonly frame: Frame
  readonly form: PageForm
  readonly email: string
  /** In characters. */
  readonly minLength: number
  readonly maxLength: number
  /**
   * `renewal` and `offer`, of who has none: at the end of a sign-in, which goes on without as well. `first` and `change`: on the
   * account page.
   */
  readonly asked: 'by_link' | 'renewal' | 'offer' | 'first' | 'change'
  readonly fault?: NewPasswordFault | undefined
  readonly retryAfterSeconds?: number | undefined
  /** The code of the link, which the form sends back. */
  readonly passwordCode?: string | undefined
}

/** Shows the rules, and asks for the password. */
export function setPasswordPage(view: SetPasswordPage): string {
  const { frame, form, email, minLength, maxLength, asked, passwordCode } = view
  const { texts } = frame
  const words = texts.setPassword
  const fault = faultOf(view)
  const heading = asked === 'renewal' || asked === 'change' ? words.renewalHeading : words.heading
  const mayBeLater = asked === 'renewal' || asked === 'offer'
  return toDocument(
    <HostedPage frame={frame} title={heading} isFault={fault !== undefined}>
      <Person texts={texts} email={email} />
      {mayBeLater && <p>{words[asked]}</p>}
      {asked === 'change' && <p>{texts.account.password.othersEnd}</p>}
      <PageFault fault={fault} />
      <Form form={form} action="set_password" button={words.button} working={texts.working} saysPasskeys>
        {passwordCode !== undefined && <input type="hidden" name="password_code" value={passwordCode} />}
        <UserNameForManagers email={email} />
        <PasswordField
          texts={texts}
          label={words.label}
          fault={fault}
          autocomplete="new-password"
          lengths={{ min: minLength, max: maxLength }}
          hint={
            <ul>
              <li>{words.length(...lengthsOf(view))}</li>
              <li>{words.guessable}</li>
            </ul>
          }
        />
        <p class="quiet tip">{words.tip}</p>
      </Form>
      {mayBeLater && <Form form={form} action="not_now" look="plain" button={words.notNow} />}
    </HostedPage>,
  )
}

function faultOf(view: SetPasswordPage): Fault | undefined {
  const { texts } = view.frame
  const words = texts.setPassword
  const sentences = { ...words.faults, wrong_length: words.wrongLength(...lengthsOf(view)) }
  return toFault(texts, sentences, view.fault, view.retryAfterSeconds)
}

function lengthsOf({ frame, minLength, maxLength }: SetPasswordPage): [min: string, max: string] {
  const { format } = new Intl.NumberFormat(frame.texts.lang)
  return [format(minLength), format(maxLength)]
}

interface PasswordSetPage {
  readonly frame: Frame
  /** The passkeys that still work; undefined where there are none. */
  readonly kept?: {
    readonly names: readonly string[]
    /** The page on which the user removes some. */
    readonly ownPage: string
    /** Where the sign-in goes on; undefined outside of one. */
    readonly nextUrl: string | undefined
  }
}

/** The page after a password was set outside of a sign-in, or for a user with passkeys, which a thief may have added. */
export function passwordSetPage({ frame, kept }: PasswordSetPage): string {
  const words = frame.texts.setPassword
  if (kept !== undefined)
    return toDocument(
      <HostedPage frame={frame} title={words.doneHeading} headingClass="done">
        <p>{words.kept}</p>
        <ul>
          {kept.names.map((name, place) => (
            <li key={place}>{displayName(name, maxPasskeyName)}</li>
          ))}
        </ul>
        <p>
          <a href={kept.ownPage}>{words.review}</a>
        </p>
        {kept.nextUrl === undefined ? (
          <p>{words.done}</p>
        ) : (
          <p>
            <a class="second" href={kept.nextUrl}>
              {words.next}
            </a>
          </p>
        )}
      </HostedPage>,
    )
  return toDocument(
    <HostedPage frame={frame} title={words.doneHeading} headingClass="done">
      <p>{words.done}</p>
    </HostedPage>,
  )
}
