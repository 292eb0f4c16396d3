import type { ComponentChildren, InputHTMLAttributes } from 'preact'
import type { Fault } from './fault.js'
import type { PageTexts } from '../texts/en.js'

interface FieldProps {
  /** Also its name in the form. */
  readonly id: string
  readonly label: string
  readonly fault: Fault | undefined
  /** Shown before the input. */
  readonly hint?: ComponentChildren
  readonly input: Omit<InputHTMLAttributes, 'id' | 'name'>
  /** The page's first or invalid field gets the focus. */
  readonly hasFocus?: boolean
  readonly beside?: ComponentChildren
}

/** A field with its label, hint and fault, associated for screen readers. */
export function Field({ id, label, fault, hint, input, hasFocus = true, beside }: FieldProps) {
  const ownFault = fault?.isOfField === true ? fault : undefined
  const hintId = hint === undefined ? undefined : `${id}-hint`
  const faultId = ownFault === undefined ? undefined : `${id}-fault`
  const describedBy = [faultId, hintId].filter((part) => part !== undefined).join(' ')
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {hint !== undefined && (
        <div class="hint" id={hintId}>
          {hint}
        </div>
      )}
      <div class="entry">
        <input
          {...input}
          id={id}
          name={id}
          required={input.required ?? true}
          autocapitalize="none"
          autocorrect="off"
          spellcheck={false}
          aria-invalid={ownFault === undefined ? undefined : 'true'}
          aria-describedby={describedBy === '' ? undefined : describedBy}
          autofocus={hasFocus && (fault === undefined || ownFault !== undefined)}
        />
        {beside}
      </div>
      {ownFault !== undefined && (
        <p class="fault" id={faultId} role="alert">
          {ownFault.sentence}
        </p>
      )}
    </div>
  )
}

interface PasswordFieldProps {
  readonly texts: PageTexts
  readonly label: string
  readonly fault: Fault | undefined
  readonly hint?: ComponentChildren
  readonly autocomplete: 'current-password' | 'new-password'
  /** The length rules for password managers. */
  readonly lengths?: { readonly min: number; readonly max: number }
}

/** A password field with a button that reveals the password where scripts run. */
export function PasswordField({ texts, label, fault, hint, autocomplete, lengths }: PasswordFieldProps) {
  const rules = lengths === undefined ? {} : { minlength: lengths.min, passwordrules: rulesOf(lengths) }
  return (
    <Field
      id="password"
      label={label}
      fault={fault}
      hint={hint}
      input={{ type: 'password', autocomplete, ...rules }}
      beside={
        <button type="button" class="reveal" data-reveal="password" data-other={texts.hide} hidden>
          <span>{texts.show}</span>
          <span class="unseen"> {texts.showWhat}</span>
        </button>
      }
    />
  )
}

/** The `passwordrules` attribute of Safari and password managers. */
function rulesOf({ min, max }: { min: number; max: number }): string {
  return `minlength: ${min}; maxlength: ${max};`
}

interface CodeFieldProps {
  readonly label: string
  readonly fault: Fault | undefined
  readonly hint?: ComponentChildren
  readonly hasFocus?: boolean
}

/** A field for six digits. It has no maxlength, because a pasted code may contain spaces. */
export function CodeField({ label, fault, hint, hasFocus }: CodeFieldProps) {
  return (
    <Field
      id="code"
      label={label}
      fault={fault}
      hint={hint}
      hasFocus={hasFocus ?? true}
      input={{ type: 'text', inputMode: 'numeric', autocomplete: 'one-time-code', class: 'code' }}
    />
  )
}
