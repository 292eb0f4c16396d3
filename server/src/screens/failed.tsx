import type { ErrorBody, FieldError } from '@portico/contract/errors'
import type { CallAnswer } from './call.js'
import type { Outcome, Visit } from './visit.js'

/** What a refused call says. */
export interface Failure {
  readonly status: number
  readonly code: string
  readonly message: string
  readonly fields: readonly FieldError[]
  readonly reference: string
}

/** What is wrong with an answer; undefined for a success. */
export function failureOf({ status, body }: CallAnswer): Failure | undefined {
  if (status < 300) return undefined
  // Every failure of a call is the error body of the API.
  const { error } = body as Partial<ErrorBody>
  return {
    status,
    code: error?.code ?? 'internal_error',
    message: error?.message ?? '',
    fields: error?.fields ?? [],
    reference: error?.request_id ?? '',
  }
}

/** The page of a call that failed, where there is no form to show it at. */
export function failedPage({ language: { texts }, base }: Visit, failure: Failure): Outcome {
  const [title, text] = sentencesOf(texts, failure)
  const content = (
    <>
      <p class="fault">{text}</p>
      <p>
        <a href={base}>{texts.back}</a>
      </p>
    </>
  )
  return { page: { status: failure.status, title, crumbs: [], content } }
}

function sentencesOf(
  texts: Visit['language']['texts'],
  { status, message, reference }: Failure,
): readonly [title: string, text: string] {
  if (status === 404) return [texts.missing, texts.missingText]
  if (status === 403) return [texts.forbidden, texts.forbiddenText]
  if (status >= 500) return [texts.failed, texts.failedText(reference)]
  return [texts.failed, message]
}
