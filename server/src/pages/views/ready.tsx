import { displayName } from '../../platform/display-name.js'
import { Form } from '../frame/form.js'
import { HostedPage, toDocument, type Frame } from '../frame/layout.js'
import type { PageForm } from '../frame/step-page.js'

/** The page of a completed sign-in. */
interface ReadyPage {
  readonly frame: Frame
  readonly form: PageForm
  readonly applicationName: string
}

/** Shown when a sign-in did not redirect automatically: one button leads to the application. */
export function readyPage({ frame, form, applicationName }: ReadyPage): string {
  const words = frame.texts.ready
  return toDocument(
    <HostedPage frame={frame} title={words.heading} headingClass="done">
      <p>{words.sentence}</p>
      <Form
        form={form}
        action="finish"
        button={words.button(displayName(applicationName))}
        working={frame.texts.working}
      />
    </HostedPage>,
  )
}
