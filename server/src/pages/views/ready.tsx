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

/** The page of a sign-in that ends here, because the application has not begun it. */
interface SignedInPage {
  readonly frame: Frame
  readonly applicationName: string
  /** An origin of the application; null where none is known. */
  readonly url: string | null
}

/** Leads to the application, where the user signs in without being asked anything. */
export function signedInPage({ frame, applicationName, url }: SignedInPage): string {
  const words = frame.texts.ready
  const onward = words.elsewhere(displayName(applicationName))
  return toDocument(
    <HostedPage frame={frame} title={words.heading} headingClass="done">
      <p>{url === null ? onward : <a href={url}>{onward}</a>}</p>
    </HostedPage>,
  )
}
