import type { ComponentChildren } from 'preact'
import type { PageForm } from './step-page.js'

interface FormProps {
  readonly form: PageForm
  /** What its button does, which is the value of the field `action`. */
  readonly action: string
  readonly button: ComponentChildren
  /** A page has one main button; whatever else can be done looks lighter. */
  readonly look?: 'main' | 'second' | 'plain' | 'small'
  /** The browser holds back what is not filled in: where the page cannot be shown again as it is. */
  readonly isShownOnce?: boolean
  /** Sent as soon as its code is typed, where scripts run. */
  readonly isCodeForm?: boolean
  /** What the main button says while its form is on its way, where scripts run. */
  readonly working?: string
  readonly children?: ComponentChildren
}

/**
 * A form that does one thing. Whatever else a page can do is a form of its own: so the button that Enter presses is
 * never in doubt. What is wrong is said by the service in the language of the page, and not by the browser in its own.
 */
export function Form({ form, action, button, look = 'main', ...props }: FormProps) {
  const { isShownOnce = false, isCodeForm = false, working, children } = props
  return (
    <form
      method="post"
      action={form.action}
      class={`form-${look}`}
      novalidate={!isShownOnce}
      data-once=""
      {...(isCodeForm && { 'data-code': '' })}
    >
      <input type="hidden" name="csrf" value={form.csrf} />
      {children}
      <button type="submit" name="action" value={action} class={look} data-working={working}>
        {button}
      </button>
    </form>
  )
}
