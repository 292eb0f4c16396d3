import { displayName } from '../../platform/display-name.js'
import type { JoinState } from '../../sign-in/joining/join-step.js'
import { PageFault, toFault } from '../frame/fault.js'
import { Form } from '../frame/form.js'
import { HostedPage, toDocument, type Frame } from '../frame/layout.js'
import { Person } from '../frame/person.js'
import type { PageForm } from '../frame/step-page.js'

/** The page on which the owner of a proved address asks to join the organization. */
export interface JoinPage {
  readonly frame: Frame
  readonly form: PageForm
  readonly email: string
  readonly state: JoinState
  /** They have asked too often, and may do so again after this. */
  readonly retryAfterSeconds?: number | undefined
}

export function joinPage({ frame, form, email, state, retryAfterSeconds }: JoinPage): string {
  const { texts, organization, productName } = frame
  const words = texts.join
  const name = displayName(organization?.name ?? productName)
  const key = retryAfterSeconds === undefined ? undefined : 'too_many'
  const fault = toFault(texts, words.faults, key, retryAfterSeconds)
  return toDocument(
    <HostedPage frame={frame} title={words.headings[state](name)} isFault={fault !== undefined}>
      <Person texts={texts} email={email} form={form} />
      <PageFault fault={fault} />
      <p role={state === 'open' ? undefined : 'status'}>{words.sentences[state](name)}</p>
      {state === 'asked' && <p class="quiet">{words.askedAdvice}</p>}
      {state === 'member' && <Form form={form} action="enter" button={words.enter} working={texts.working} />}
      {(state === 'open' || state === 'denied') && (
        <Form
          form={form}
          action="ask"
          button={state === 'denied' ? words.askAgain : words.button}
          working={texts.working}
        />
      )}
    </HostedPage>,
  )
}
