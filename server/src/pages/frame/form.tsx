import type { ComponentChildren } from 'preact'
import type { PageForm } from './step-page.js'

interface FormProps {
  readonly form: PageForm
  /** The value of the button `action`. */
  readonly action: string
  readonly button: ComponentChildren
  /** A page has one main button; its other buttons are less prominent. */
  readonly look?: 'main' | 'second' | 'plain' | 'small'
  /** Whether the browser validates required fields, for pages that cannot be shown a second time. */
  readonly isShownOnce?: boolean
  /** Submitted as soon as the code is complete, where scripts run. */
  readonly isCodeForm?: boolean
  /** Whether it takes no press at first, where scripts run: one that was meant for the page before must not count. */
  readonly isDelayed?: boolean
  /** Whether it may be sent again from the same page, as for a download, which shows no other one. */
  readonly mayRepeat?: boolean
  /** Whether it says, where scripts run, that the browser can make passkeys. */
  readonly saysPasskeys?: boolean
  /** The label of the main button during submission, where scripts run. */
  readonly working?: string
  readonly children?: ComponentChildren
}

/**
 * A form with one action. Other actions of a page have their own forms, so Enter always presses the right button. The
 * service reports invalid input in the language of the page, not the browser in its own.
 */
export function Form({ form, action, button, look = 'main', ...props }: FormProps) {
  const { isShownOnce = false, isCodeForm = false, isDelayed = false, working, children } = props
  return (
    <form
      method="post"
      action={form.action}
      class={`form-${look}`}
      novalidate={!isShownOnce}
      {...(props.mayRepeat !== true && { 'data-once': '' })}
      {...(isCodeForm && { 'data-code': '' })}
      {...(isDelayed && { 'data-later': '' })}
    >
      <input type="hidden" name="csrf" value={form.csrf} />
      {props.saysPasskeys === true && <input type="hidden" name="passkeys" value="" data-can-passkey="" />}
      {children}
      <button type="submit" name="action" value={action} class={look} data-working={working}>
        {button}
      </button>
    </form>
  )
}
