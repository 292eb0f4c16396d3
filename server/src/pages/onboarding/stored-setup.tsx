import type { ComponentChildren } from 'preact'
import { addressOf, type OnboardingView } from './onboarding-frame.js'

interface StoredSetupProps {
  readonly view: OnboardingView
  readonly words: { readonly stored: string; readonly replace: string }
  readonly isCurrent: boolean
  readonly children: ComponentChildren
}

/** The stored setup, above the form that would replace it, with a link to its test. */
export function StoredSetup({ view: { frame, base }, words, isCurrent, children }: StoredSetupProps) {
  const { texts } = frame
  return (
    <section class="stored">
      <h2>
        {words.stored}
        {isCurrent && <span class="badge">{texts.review.inUse}</span>}
      </h2>
      {!isCurrent && <p class="notice">{texts.review.waits}</p>}
      {children}
      <p>
        <a class="small" href={addressOf(base, 'test', texts)}>
          {texts.test.heading}
        </a>
      </p>
      <h2>{words.replace}</h2>
    </section>
  )
}
