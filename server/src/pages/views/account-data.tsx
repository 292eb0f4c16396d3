import { PageFault, toFault } from '../frame/fault.js'
import { Form } from '../frame/form.js'
import { HostedPage, toDocument, type Frame } from '../frame/layout.js'
import { Person } from '../frame/person.js'
import type { PageForm } from '../frame/step-page.js'

interface AccountDataPage {
  readonly frame: Frame
  readonly form: PageForm
  readonly email: string
  /** Whether the organization lets its users download it. */
  readonly isOffered: boolean
  /** After too many downloads. */
  readonly retryAfterSeconds?: number | undefined
}

/** Offers what is stored of the user as a file. */
export function accountDataPage(view: AccountDataPage): string {
  const { frame, form, email, isOffered, retryAfterSeconds } = view
  const { texts } = frame
  const words = texts.account.data
  const tooMany = retryAfterSeconds === undefined ? undefined : 'too_many'
  const fault = toFault(texts, words.faults, tooMany, retryAfterSeconds)
  return toDocument(
    <HostedPage frame={frame} title={texts.account.sections.data.heading} isFault={fault !== undefined}>
      <Person texts={texts} email={email} />
      <PageFault fault={fault} />
      <p>{isOffered ? words.sentence : words.notOffered}</p>
      {isOffered && <Form form={form} action="download" button={words.button} mayRepeat />}
    </HostedPage>,
  )
}
