import type { ComponentChildren } from 'preact'
import type { Frame } from '../frame/layout.js'
import type { PageForm } from '../frame/step-page.js'

interface PasskeyFormProps {
  readonly form: PageForm
  /** The value of the button `action`. */
  readonly action: string
  readonly kind: 'create' | 'get'
  /** What the browser is asked for. */
  readonly options: object
  readonly button: string
  readonly look?: 'main' | 'second'
  /** What is said when the browser brings no answer. */
  readonly failed: string
  /** What is said when the authenticator has a passkey of the account already. */
  readonly held?: string
  /** Whether the field of the address proposes passkeys. */
  readonly isConditional?: boolean
  /** Whether the browser is asked as soon as the page is there. */
  readonly isAsked?: boolean
  /** Whether the options of one to be made name all that the user has, and the browser may be told so. */
  readonly hasSignals?: boolean
  readonly children?: ComponentChildren
}

/** A form that an authenticator fills in. Hidden until the script has found that the browser can ask one. */
export function PasskeyForm(props: PasskeyFormProps) {
  const { form, action, kind, options, button, look = 'second', failed, children } = props
  return (
    <form
      method="post"
      action={form.action}
      class={`form-${look}`}
      novalidate
      hidden
      data-passkey={kind}
      data-options={JSON.stringify(options)}
      {...(props.isConditional === true && { 'data-conditional': '' })}
      {...(props.isAsked === true && { 'data-asked': '' })}
      {...(props.hasSignals === true && { 'data-signals': '' })}
    >
      <input type="hidden" name="csrf" value={form.csrf} />
      <input type="hidden" name="credential" value="" />
      {children}
      <p role="alert" data-failed hidden>
        {failed}
      </p>
      {props.held !== undefined && (
        <p role="alert" data-held hidden>
          {props.held}
        </p>
      )}
      <button type="submit" name="action" value={action} class={look}>
        {button}
      </button>
    </form>
  )
}

interface SecondFactorFormProps extends Pick<PasskeyFormProps, 'form' | 'options' | 'children'> {
  readonly frame: Frame
  /** Whether the page asks for a code first, in whose place it is used. */
  readonly isInstead?: boolean
}

/** The same for a passkey as the second factor. */
export function SecondFactorForm({ frame: { texts }, isInstead = false, ...props }: SecondFactorFormProps) {
  const words = texts.passkeys.second
  return (
    <PasskeyForm
      {...props}
      action="passkey"
      kind="get"
      button={isInstead ? words.instead : words.button}
      look={isInstead ? 'second' : 'main'}
      failed={texts.passkeys.notUsed}
    />
  )
}
