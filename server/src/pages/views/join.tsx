import { displayName } from '../../platform/display-name.js'
import { Form } from '../frame/form.js'
import { HostedPage, toDocument, type Frame } from '../frame/layout.js'
import { Person } from '../frame/person.js'
import type { PageForm } from '../frame/step-page.js'
import { PageFault, toFault } from '../frame/fault.js'

/** The page on which the owner of a proved address asks to join the organization. */
export interface JoinPage {
  readonly frame: Frame
  readonly form: PageForm
  readonly email: string
  /** They have asked, and nobody has decided yet. */
  readonly isAsked: boolean
  /** They have asked too often, and may do so again after this. */
  readonly retryAfterSeconds?: number | undefined
}

export function joinPage({ frame, form, email, isAsked, retryAfterSeconds }: JoinPage): string {
  const { texts, organization, productName } = frame
  const words = texts.join
  const name = displayName(organization?.name ?? productName)
  const fault = toFault(
    texts,
    words.faults,
    retryAfterSeconds === undefined ? undefined : 'too_many',
    retryAfterSeconds,
  )
  return toDocument(
    <HostedPage
      frame={frame}
      title={isAsked ? words.askedHeading : words.heading(name)}
      isFault={fault !== undefined}
    >
      <Person texts={texts} email={email} form={form} />
      <PageFault fault={fault} />
      {isAsked ? (
        <>
          <p role="status">{words.asked(name)}</p>
          <p class="quiet">{words.askedAdvice}</p>
        </>
      ) : (
        <>
          <p>{words.sentence(name)}</p>
          <Form form={form} action="ask" button={words.button} working={texts.working} />
        </>
      )}
    </HostedPage>,
  )
}
