import { toTimeAgo } from '../frame/moments.js'
import { toDocument } from '../frame/layout.js'
import { addressOf, OnboardingPage, type OnboardingView } from './onboarding-frame.js'

/** An earlier test. */
interface EarlierTest {
  readonly id: string
  readonly outcome: 'arrived' | 'success' | 'failed'
  readonly at: Date
}

/** The page that starts a test sign-in. */
interface TestPage extends OnboardingView {
  readonly hasMetadata: boolean
  readonly tests: readonly EarlierTest[]
  readonly now: Date
}

/** Links to the identity provider, and to the results of earlier tests. */
export function testPage(view: TestPage): string {
  const { frame, base, protocol, hasMetadata, tests } = view
  const { texts } = frame
  const words = texts.test
  return toDocument(
    <OnboardingPage view={view} title={words.heading}>
      <p>{words.sentence}</p>
      <p class="notice">{words.dryRun}</p>
      {hasMetadata ? (
        <p class="action">
          <a class="main" href={addressOf(base, 'test/start', texts)}>
            {tests.length === 0 ? words.button : words.again}
          </a>
        </p>
      ) : (
        <p class="notice warn">{protocol === 'oidc' ? texts.oidc.noClient : words.noMetadata}</p>
      )}
      {tests.length > 0 && <EarlierTests view={view} />}
      <p>
        <a class="second" href={addressOf(base, 'done', texts)}>
          {tests.some(({ outcome }) => outcome === 'success') ? texts.onboarding.continue : words.skip}
        </a>
      </p>
    </OnboardingPage>,
  )
}

function EarlierTests({ view: { frame, base, tests, now } }: { view: TestPage }) {
  const { texts } = frame
  const words = texts.test
  return (
    <section>
      <h2>{words.earlier}</h2>
      <ul class="tests">
        {tests.map(({ id, outcome, at }) => (
          <li key={id}>
            <a href={addressOf(base, `test/${id}`, texts)} class={outcome}>
              {words.outcomes[outcome]}
            </a>
            <time class="quiet" dateTime={at.toISOString()}>
              {toTimeAgo(at, now, texts.lang)}
            </time>
          </li>
        ))}
      </ul>
    </section>
  )
}
