import type { Tutorial } from '../../tutorials/tutorial.js'
import { Form } from '../form.js'
import { addressOf, toOnboardingDocument, type OnboardingView } from './onboarding-frame.js'
import { ProviderMark } from './provider-mark.js'
import { Blocks, CopyField, Download, inLanguage, Said, type ConnectionValues } from './tutorial-blocks.js'

/** One step of the tutorial of an identity provider. */
export interface TutorialPage extends OnboardingView {
  readonly tutorial: Tutorial
  /** From 0. */
  readonly step: number
  readonly values: ConnectionValues
}

/** What to do in the console, and the ways to the step before and the one after. */
export function tutorialPage(view: TutorialPage): string {
  const { frame, tutorial, step, values, base } = view
  const { texts } = frame
  const words = texts.tutorial
  const current = tutorial.steps[step]
  if (current === undefined) throw new Error(`the tutorial of ${tutorial.id} has no step ${step}`)
  return toOnboardingDocument({
    view,
    title: `${tutorial.name}: ${inLanguage(current.title, texts)}`,
    children: (
      <>
        <p class="tutorial-place">
          <ProviderMark mark={tutorial.mark} />
          <span>
            {tutorial.name}
            <span class="quiet">
              {` · ${words.step(step + 1, tutorial.steps.length)} · ${words.minutes(tutorial.minutes)}`}
            </span>
          </span>
        </p>
        <progress
          value={step + 1}
          max={tutorial.steps.length}
          aria-label={words.step(step + 1, tutorial.steps.length)}
        />
        <h1>
          <Said words={current.title} texts={texts} />
        </h1>
        <Blocks blocks={current.blocks} texts={texts} values={values} base={base} />
        <Moves view={view} />
        <Aside view={view} />
      </>
    ),
  })
}

function Moves({ view: { frame, form, tutorial, step } }: { view: TutorialPage }) {
  const words = frame.texts.tutorial
  const isLast = step === tutorial.steps.length - 1
  const last = tutorial.id === 'test' ? frame.texts.test.heading : words.toMetadata
  return (
    <div class="moves">
      {step > 0 && (
        <Form form={form} action="previous" look="second" button={words.previous}>
          <input type="hidden" name="step" value={step} />
        </Form>
      )}
      <Form form={form} action="next" button={isLast ? last : words.next}>
        <input type="hidden" name="step" value={step} />
      </Form>
    </div>
  )
}

/** What is good to have at every step. */
function Aside({ view: { frame, tutorial, values, base } }: { view: TutorialPage }) {
  const { texts } = frame
  const words = texts.tutorial
  const names = ['entity_id', 'acs_url', 'metadata_url', 'name_id_format'] as const
  return (
    <>
      {tutorial.quirks.length > 0 && (
        <details>
          <summary>{words.goodToKnow}</summary>
          <ul class="quirks">
            {tutorial.quirks.map((quirk) => (
              <li key={quirk.en}>
                <Said words={quirk} texts={texts} />
              </li>
            ))}
          </ul>
        </details>
      )}
      <details>
        <summary>{words.allValues}</summary>
        {names.map((name) => (
          <CopyField
            key={name}
            id={`all-${name}`}
            label={words.values[name]}
            value={values[name]}
            texts={texts}
          />
        ))}
        <Download file="sp_metadata" texts={texts} base={base} />
        <Download file="sp_certificate" texts={texts} base={base} />
      </details>
      <p class="quiet checked">
        {words.checked(
          new Intl.DateTimeFormat(texts.lang, { dateStyle: 'long', timeZone: 'UTC' }).format(
            new Date(tutorial.checkedOn),
          ),
        )}{' '}
        <a href={addressOf(base, 'provider', texts)}>{texts.provider.other}</a>
      </p>
    </>
  )
}
