import { displayName } from '../../platform/display-name.js'
import { Form } from '../frame/form.js'
import { HostedPage, toDocument, type Frame } from '../frame/layout.js'
import { displayAddress } from '../frame/person.js'
import type { PageForm } from '../frame/step-page.js'

interface EmailLinkPage {
  readonly frame: Frame
  readonly form: PageForm
  /** The one that is put back. */
  readonly email: string
  readonly organizationName: string
  readonly token: string
}

/** Puts an address back only by its button, because mail scanners open links and run scripts, but press no buttons. */
export function emailLinkPage({ frame, form, email, organizationName, token }: EmailLinkPage): string {
  const { texts } = frame
  const words = texts.emailLink
  const heading = words.heading(displayAddress(email), displayName(organizationName))
  return toDocument(
    <HostedPage frame={frame} title={words.button} heading={heading}>
      <Form form={form} action="put_back" button={words.button} working={texts.working}>
        <input type="hidden" name="token" value={token} />
      </Form>
      <p class="quiet">{words.hint}</p>
      <p class="quiet">{words.unexpected}</p>
    </HostedPage>,
  )
}
