import type { JoinRequest } from '@portico/contract/join-requests'
import type { WaitingRequests } from '../../../sso/onboarding/join-requests.js'
import { PageFault, type Fault } from '../../frame/fault.js'
import { Form } from '../../frame/form.js'
import { HostedPage, toDocument, type Frame } from '../../frame/layout.js'
import { toTimeAgo } from '../../frame/moments.js'
import { displayAddress } from '../../frame/person.js'
import type { PageForm } from '../../frame/step-page.js'
import type { JoinRequestNotice } from '../../texts/en/join-requests.js'
import { SignOutForms } from '../onboarding-frame.js'

/** The page on which an administrator decides about those who ask to join the organization. */
interface JoinRequestsPage {
  readonly frame: Frame
  readonly form: PageForm
  /** Of the administrator. */
  readonly email: string
  readonly waiting: WaitingRequests
  /** Why the last decision did nothing. */
  readonly notice: JoinRequestNotice | undefined
  readonly now: Date
}

/** Lists the addresses that wait, each with a button to approve and one to deny. */
export function joinRequestsPage(view: JoinRequestsPage): string {
  const { frame, notice, waiting } = view
  const words = frame.texts.joinRequests
  const told: Fault | undefined = notice && { sentence: words.notices[notice], isOfField: false }
  return toDocument(
    <HostedPage frame={frame} title={words.heading} isWide isFault={told !== undefined}>
      <PageFault fault={told} />
      <p>{waiting.total === 0 ? words.none : words.sentence}</p>
      {waiting.total > waiting.requests.length && <p class="quiet">{words.more(waiting.total)}</p>}
      {waiting.requests.map((request) => (
        <Waiting key={request.id} view={view} request={request} />
      ))}
      <SignOutForms view={{ ...view, listUrl: '/onboarding' }} />
    </HostedPage>,
  )
}

function Waiting({
  view: { frame, form, now },
  request: { id, email, inserted_at: askedAt },
}: {
  view: JoinRequestsPage
  request: JoinRequest
}) {
  const { texts } = frame
  const words = texts.joinRequests
  const address = displayAddress(email)
  return (
    <section aria-labelledby={`request-${id}`}>
      <h2 id={`request-${id}`}>
        <bdi>{address}</bdi>
      </h2>
      <p class="quiet">{words.asked(toTimeAgo(new Date(askedAt), now, texts.lang))}</p>
      <div class="tools">
        {(['approve', 'deny'] as const).map((verdict) => (
          <Form
            key={verdict}
            form={form}
            action={verdict}
            look="second"
            button={
              <>
                {words[verdict]}
                <span class="unseen"> {address}</span>
              </>
            }
          >
            <input type="hidden" name="join_request_id" value={id} />
          </Form>
        ))}
      </div>
    </section>
  )
}
