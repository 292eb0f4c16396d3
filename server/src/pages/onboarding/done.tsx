import { addressOf, toOnboardingDocument, type OnboardingView } from './onboarding-frame.js'

/** The end of the administrator's part. */
export interface DonePage extends OnboardingView {
  readonly isActive: boolean
  /** The metadata that were uploaded last are not the ones in use. */
  readonly isWaiting: boolean
  readonly isTested: boolean
}

/** Says what happens next, and who does it. */
export function donePage(view: DonePage): string {
  const { frame, base, isActive, isWaiting, isTested } = view
  const { texts } = frame
  const words = texts.done
  const { heading, sentence } = isTested ? words : words.untested
  return toOnboardingDocument({
    view,
    title: heading,
    children: (
      <>
        <h1 class={isTested ? 'done' : 'pending'}>{heading}</h1>
        <p>{sentence}</p>
        {!isTested && (
          <p class="action">
            <a class="main" href={addressOf(base, 'test', texts)}>
              {texts.test.heading}
            </a>
          </p>
        )}
        <h2>{words.next}</h2>
        <ol class="next-steps">
          <li>{words.steps.told}</li>
          {isWaiting && <li>{words.steps.waits}</li>}
          <li>{isActive ? words.steps.active : words.steps.inactive}</li>
        </ol>
        <p class="quiet">{words.rollover}</p>
        <p>
          <a class="second" href={addressOf(base, 'tutorial', texts)}>
            {words.look}
          </a>
        </p>
      </>
    ),
  })
}
