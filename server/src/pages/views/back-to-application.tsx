import { displayName } from '../../platform/display-name.js'
import { Form } from '../frame/form.js'
import type { Frame } from '../frame/layout.js'
import type { PageForm } from '../frame/step-page.js'

interface BackToApplicationProps {
  readonly frame: Frame
  readonly form: PageForm
  /** Of the application; undefined where it does not demand what the page asks for. */
  readonly name: string | undefined
}

/** Ends a sign-in whose user does not do what the application demands, which is told so. */
export function BackToApplication({ frame: { texts }, form, name }: BackToApplicationProps) {
  return name === undefined ? null : (
    <Form form={form} action="cancel" look="plain" button={texts.backTo(displayName(name))} />
  )
}
