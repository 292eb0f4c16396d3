import { displayName } from '../../platform/display-name.js'
import { Form } from '../frame/form.js'
import { HostedPage, toDocument, type Frame } from '../frame/layout.js'
import { displayAddress, Person } from '../frame/person.js'
import type { PageForm } from '../frame/step-page.js'

/** The page of an invitation: it names the organization and the address, and its one button begins the sign-in. */
interface InvitationPage {
  readonly frame: Frame
  readonly form: PageForm
  /** As shown: masked where the browser has not proved it. */
  readonly email: string
  readonly organizationName: string
  /** Whether it leads to the console of an account, whose name is the organization's. */
  readonly isStaff: boolean
}

/** Begins only by its button, because mail scanners open links and run scripts, but press no buttons. */
export function invitationPage({ frame, form, email, organizationName, isStaff }: InvitationPage): string {
  const { texts } = frame
  const words = texts.invitationPage
  const heading = isStaff ? words.staffHeading : words.heading
  return toDocument(
    <HostedPage
      frame={frame}
      title={words.button}
      heading={heading(displayAddress(email), displayName(organizationName))}
    >
      <Form form={form} action="begin" button={words.button} working={texts.working} saysPasskeys />
      <p class="quiet">{words.unexpected}</p>
    </HostedPage>,
  )
}

interface OtherSessionPage extends InvitationPage {
  /** Of the user whose session the browser has. */
  readonly sessionEmail: string
}

/** Somebody else is signed in: nothing is accepted by their session. */
export function otherSessionPage({ frame, form, email, sessionEmail, ...view }: OtherSessionPage): string {
  const { texts } = frame
  const words = texts.invitationPage.otherSession
  const heading = view.isStaff ? words.staffHeading : words.heading
  return toDocument(
    <HostedPage frame={frame} title={heading(displayName(view.organizationName))}>
      <Person texts={texts} email={sessionEmail} />
      <p>{words.sentence(displayAddress(email))}</p>
      <Form form={form} action="sign_out" button={words.button} working={texts.working} />
      <p class="quiet">{words.advice}</p>
    </HostedPage>,
  )
}

interface OtherAddressPage {
  readonly frame: Frame
  readonly asserted: string
  readonly invited: string
  readonly reference: string
}

/** An identity provider has named another address than the one that was invited. */
export function otherAddressPage({ frame, asserted, invited, reference }: OtherAddressPage): string {
  const { texts } = frame
  const words = texts.invitationPage.otherAddress
  return toDocument(
    <HostedPage frame={frame} title={words.heading}>
      <p role="alert">{words.sentence(displayAddress(asserted), displayAddress(invited))}</p>
      <p>{words.advice}</p>
      <p class="quiet reference">{texts.reference(reference)}</p>
    </HostedPage>,
  )
}
