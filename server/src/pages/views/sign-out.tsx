import { displayName } from '../../platform/display-name.js'
import { Form } from '../frame/form.js'
import { toDocument, type Frame } from '../frame/layout.js'
import { Person } from '../frame/person.js'
import type { PageForm } from '../frame/step-page.js'

/** The page that confirms a sign-out. */
interface SignOutPage {
  readonly frame: Frame
  readonly form: PageForm
  readonly email: string
}

/** Asks first, because any website can link to this page. */
export function signOutPage({ frame, form, email }: SignOutPage): string {
  const { texts, organization, productName } = frame
  const words = texts.signOut
  return toDocument({
    frame,
    title: words.heading,
    children: (
      <>
        <h1>{words.heading}</h1>
        <Person texts={texts} email={email} />
        <p>{words.sentence(displayName(organization?.name ?? productName))}</p>
        <Form form={form} action="sign_out" button={words.button} working={texts.working} />
      </>
    ),
  })
}

/** The page after a sign-out. */
export function signedOutPage({ frame }: { frame: Frame }): string {
  const words = frame.texts.signOut
  return toDocument({
    frame,
    title: words.doneHeading,
    children: (
      <>
        <h1 class="done">{words.doneHeading}</h1>
        <p>{words.done}</p>
      </>
    ),
  })
}
