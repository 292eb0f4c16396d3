import { toWait } from './moments.js'
import type { FaultText } from '../texts/en/sign-in.js'
import type { PageTexts } from '../texts/en.js'

/** The error message of a form. */
export interface Fault {
  readonly sentence: string
  /** Whether the message belongs to the field; else it is shown above the form, because other input would not help. */
  readonly isOfField: boolean
}

const faultsOfPage: ReadonlySet<string> = new Set([
  'too_many',
  'too_many_mails',
  'too_many_messages',
  'not_sent',
  'no_phone',
  'not_now',
  'over',
  'code_over',
  'taken',
  'app_locked',
  'passkey_refused',
  'passkey_elsewhere',
  'passkey_only',
])

/** The fault of a page in its language; undefined when there is no fault. */
export function toFault<Key extends string>(
  { lang, later }: PageTexts,
  sentences: Readonly<Record<Key, FaultText>>,
  key: Key | undefined,
  retryAfterSeconds?: number,
): Fault | undefined {
  if (key === undefined) return undefined
  const text = sentences[key]
  const wait = retryAfterSeconds === undefined ? later : toWait(retryAfterSeconds, lang)
  return { sentence: typeof text === 'string' ? text : text(wait), isOfField: !faultsOfPage.has(key) }
}

/** The fault of the page as a whole. It takes the focus, so that screen readers read it first. */
export function PageFault({ fault }: { fault: Fault | undefined }) {
  if (fault === undefined || fault.isOfField) return null
  return (
    <p class="fault banner" role="alert" tabindex={-1} autofocus>
      {fault.sentence}
    </p>
  )
}
