import type { IdpGuide } from '../../sso/tutorials/tutorial.js'
import { speaksBoth } from '../../sso/tutorials/tutorials.js'
import { Form } from '../frame/form.js'
import { toDocument } from '../frame/layout.js'
import { addressOf, OnboardingPage, type OnboardingView } from './onboarding-frame.js'
import { ProductLine } from './provider-mark.js'
import { Blocks, CopyField, Download, inLanguage, Said, type ConnectionValues } from './tutorial-blocks.js'

/** One step of the tutorial of an identity provider. */
interface TutorialPage extends OnboardingView {
  readonly tutorial: IdpGuide
  /** From 0. */
  readonly step: number
  readonly values: ConnectionValues
}

/** The instructions for the console, with buttons to the previous and the next step. */
export function tutorialPage(view: TutorialPage): string {
  const { frame, tutorial, step, values, base } = view
  const { texts } = frame
  const words = texts.tutorial
  const current = tutorial.steps[step]
  if (current === undefined) throw new Error(`the tutorial of ${tutorial.id} has no step ${step}`)
  const progress = words.step(step + 1, tutorial.steps.length)
  return toDocument(
    <OnboardingPage
      view={view}
      title={`${tutorial.name}: ${inLanguage(current.title, texts)}`}
      heading={<Said words={current.title} texts={texts} />}
      above={
        <>
          <ProductLine product={tutorial} note={`${progress} · ${words.minutes(tutorial.minutes)}`} />
          <progress value={step + 1} max={tutorial.steps.length} aria-label={progress} />
        </>
      }
    >
      <Blocks blocks={current.blocks} texts={texts} values={values} base={base} />
      <Moves view={view} />
      <Aside view={view} />
    </OnboardingPage>,
  )
}

function Moves({ view: { frame, form, protocol, tutorial, step } }: { view: TutorialPage }) {
  const words = frame.texts.tutorial
  const isLast = step === tutorial.steps.length - 1
  const toClientOrMetadata = protocol === 'oidc' ? frame.texts.client.toClient : words.toMetadata
  const last = tutorial.id === 'test' ? frame.texts.test.heading : toClientOrMetadata
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

/** The notes and values of every step. */
function Aside({ view: { frame, protocol, tutorial, values, base } }: { view: TutorialPage }) {
  const { texts } = frame
  const words = texts.tutorial
  const named = { ...words.values, ...texts.oidc.values }
  const names =
    protocol === 'oidc'
      ? (['redirect_uri', 'scopes'] as const)
      : (['entity_id', 'acs_url', 'metadata_url', 'name_id_format'] as const)
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
            label={named[name]}
            value={values[name] ?? ''}
            texts={texts}
          />
        ))}
        {protocol === 'saml' && (
          <>
            <Download file="sp_metadata" texts={texts} base={base} />
            <Download file="sp_certificate" texts={texts} base={base} />
          </>
        )}
      </details>
      <p class="quiet checked">
        {tutorial.checkedOn !== null && words.checked(toLongDate(tutorial.checkedOn, texts.lang))}{' '}
        <a href={addressOf(base, 'provider', texts)}>{texts.provider.other}</a>{' '}
        {speaksBoth(tutorial.id) && <a href={addressOf(base, 'protocol', texts)}>{texts.protocol.other}</a>}
      </p>
    </>
  )
}

function toLongDate(date: string, lang: string): string {
  return new Intl.DateTimeFormat(lang, { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(date))
}
