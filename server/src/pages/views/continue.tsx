import { displayName } from '../../platform/display-name.js'
import { Form } from '../frame/form.js'
import { HostedPage, toDocument, type Frame } from '../frame/layout.js'
import { Person } from '../frame/person.js'
import type { PageForm } from '../frame/step-page.js'

/** The page on which a sign-in of an application's own pages goes on. */
interface ContinuePage {
  readonly frame: Frame
  readonly form: PageForm
  readonly token: string
  readonly email: string
  readonly organizationName: string
  readonly applicationName: string
}

/** Shows whose sign-in it is: a person sent here by another one would sign in as that one. */
export function continuePage({ frame, form, token, email, ...view }: ContinuePage): string {
  const { texts } = frame
  const words = texts.accountSignIn.continueSignIn
  return toDocument(
    <HostedPage frame={frame} title={words.heading(displayName(view.organizationName))}>
      <Person texts={texts} email={email} />
      <p>{words.sentence(displayName(view.applicationName))}</p>
      <Form form={form} action="continue" button={words.button} working={texts.working}>
        <input type="hidden" name="token" value={token} />
      </Form>
      <p class="quiet">{words.unexpected}</p>
    </HostedPage>,
  )
}
