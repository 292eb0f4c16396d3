import { displayName } from '../../platform/display-name.js'
import type { LinkPurpose } from '../../platform/link-purpose.js'
import { HostedPage, toDocument, type Frame } from '../frame/layout.js'
import { displayAddress } from '../frame/person.js'

/** The page of a link: it names the user and the organization, and its one button signs in. */
interface MagicLinkPage {
  readonly frame: Frame
  readonly purpose: LinkPurpose
  readonly email: string
  readonly organizationName: string
  readonly action: string
  readonly token: string
  readonly csrf: string
  /** Whether another browser requested the link: this one gets a code for it, and is not signed in. */
  readonly isOtherBrowser?: boolean
}

/** Signs in only by its button, because mail scanners open links and run scripts, but press no buttons. */
export function magicLinkPage(view: MagicLinkPage): string {
  const { frame, purpose, email, organizationName, isOtherBrowser = false, ...form } = view
  const { texts } = frame
  const words = isOtherBrowser ? { ...texts.links[purpose], ...texts.linkElsewhere } : texts.links[purpose]
  const heading = words.heading(displayAddress(maskEmail(email)), displayName(organizationName))
  return toDocument(
    <HostedPage frame={frame} title={words.button} heading={heading}>
      <form method="post" action={form.action} data-once="">
        <input type="hidden" name="token" value={form.token} />
        <input type="hidden" name="csrf" value={form.csrf} />
        <button type="submit" class="main" data-working={texts.working}>
          {words.button}
        </button>
      </form>
      <p class="quiet">{words.hint}</p>
      <p class="quiet">{words.unexpected}</p>
    </HostedPage>,
  )
}

/** A masked address that its owner recognizes and an onlooker does not: j***@corp.example. */
export function maskEmail(email: string): string {
  const at = email.lastIndexOf('@')
  return `${email.slice(0, 1)}***${email.slice(at)}`
}
