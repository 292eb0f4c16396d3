import type { Language } from './value.js'
import type { Shown, StepUp } from './visit.js'

/** The page in place of a form, or of its answer, that says why its sender has to sign in again, and leads there. */
export function proofPage({ texts }: Language, signInUrl: string, stepUp: StepUp): Shown {
  const content = (
    <>
      <p class="lead">{texts.proofText}</p>
      {stepUp === 'sent' && <p class="fault">{texts.proofLost}</p>}
      <p>
        <a class="button main" href={signInUrl}>
          {texts.signInAgain}
        </a>
      </p>
    </>
  )
  return { status: stepUp === 'sent' ? 403 : 200, title: texts.proofTitle, crumbs: [], content }
}
