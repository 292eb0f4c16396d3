import { displayName } from '../../platform/display-name.js'
import { shownService } from './onboarding-frame.js'
import { Form } from '../frame/form.js'
import { HostedPage, toDocument, type Frame } from '../frame/layout.js'
import { toWait } from '../frame/moments.js'
import type { PageForm } from '../frame/step-page.js'
import { maskAddress } from './mask-address.js'

/** The page of an invitation link. Only its button has an effect, because mail scanners open links. */
interface InvitationPage {
  readonly frame: Frame
  readonly form: PageForm
  readonly token: string
  readonly email: string
  readonly organizationName: string
  /** The application that users will sign in to; undefined when only the product is known. */
  readonly serviceName: string | undefined
  /** Whether the link is that of a mail about people who ask to join. */
  readonly isForJoinRequests: boolean
  /** How long until another code may be sent, after too many. */
  readonly retryAfterSeconds?: number | undefined
}

/** Asks the administrator to continue, which sends a code; declining the invitation also comes after the code. */
export function invitationPage(view: InvitationPage): string {
  const { frame, form, token, email, organizationName, serviceName, isForJoinRequests, retryAfterSeconds } =
    view
  const { texts } = frame
  const words = texts.invitation
  const organization = displayName(organizationName)
  const arrival = texts.joinRequests.arrival
  const heading = isForJoinRequests ? arrival.heading(organization) : words.heading(organization)
  return toDocument(
    <HostedPage frame={frame} title={heading} isFault={retryAfterSeconds !== undefined}>
      {retryAfterSeconds !== undefined && (
        <p class="fault banner" role="alert" tabindex={-1} autofocus>
          {words.tooManyMails(toWait(retryAfterSeconds, texts.lang))}
        </p>
      )}
      <p>{isForJoinRequests ? arrival.sentence : words.sentence(shownService(frame, serviceName))}</p>
      <Form form={form} action="continue" button={words.button(maskAddress(email))} working={texts.working}>
        <input type="hidden" name="token" value={token} />
      </Form>
      <p class="quiet">{words.hint}</p>
      <p class="quiet">{words.notInCharge}</p>
    </HostedPage>,
  )
}
