import type { Mender, SsoCheck } from '@portico/contract/sso-checks'
import type { CheckResult } from '../../sso/saml/checks.js'
import { asShown } from './as-shown.js'
import type { PageTexts } from '../texts/en.js'
import { toDocument } from '../frame/layout.js'
import { addressOf, OnboardingPage, type OnboardingView } from './onboarding-frame.js'

/** The user that the assertion describes. */
export interface ReadPerson {
  readonly nameId: string | null
  readonly email: string | null
  readonly givenName: string | null
  readonly familyName: string | null
}

/** The result of a test. */
interface TestResultPage extends OnboardingView {
  readonly outcome: 'arrived' | 'success' | 'failed'
  readonly checks: readonly CheckResult[]
  readonly failed: { readonly name: SsoCheck; readonly mender: Mender } | undefined
  readonly person: ReadPerson
  /** Null when no part of the assertion was valid. */
  readonly attributes: Readonly<Record<string, readonly string[]>> | null
  readonly requestId: string
}

/** Shows the outcome first, then the failed check and who can fix it, then all details. */
export function testResultPage(view: TestResultPage): string {
  const { frame, base, outcome, failed, checks, attributes, requestId } = view
  const { texts } = frame
  const words = texts.testResult
  const heading = words.headings[outcome]
  return toDocument(
    <OnboardingPage view={view} title={heading} headingClass={outcome === 'success' ? 'done' : undefined}>
      <p>{words[outcome]}</p>
      {failed !== undefined && <Failure failed={failed} checks={checks} texts={texts} />}
      {outcome === 'success' && <Person view={view} />}
      {attributes !== null && <Attributes attributes={attributes} texts={texts} />}
      <details>
        <summary>{words.checks(checks.length)}</summary>
        <Checks checks={checks} texts={texts} />
      </details>
      <p class="action">
        {outcome === 'success' ? (
          <a class="main" href={addressOf(base, 'done', texts)}>
            {texts.onboarding.continue}
          </a>
        ) : (
          <a class="main" href={addressOf(base, 'test', texts)}>
            {texts.test.again}
          </a>
        )}
      </p>
      <p class="quiet">{words.reference(requestId)}</p>
    </OnboardingPage>,
  )
}

interface FailureProps {
  readonly failed: NonNullable<TestResultPage['failed']>
  readonly checks: readonly CheckResult[]
  readonly texts: PageTexts
}

/** The first failed check: its requirement, the received value, the remedy, and who applies it. */
function Failure({ failed, checks, texts }: FailureProps) {
  const words = texts.testResult
  const { demands, remedy } = texts.checkTexts[failed.name]
  const result = checks.find(({ name }) => name === failed.name)
  return (
    <section class="failure">
      <h2>
        <code lang="en">{failed.name}</code>
      </h2>
      <dl class="facts">
        <div>
          <dt>{words.demanded}</dt>
          <dd>{demands}</dd>
        </div>
        <Compared label={words.expected} value={result?.expected} />
        <Compared label={words.received} value={result?.received} />
        <div>
          <dt>{words.how}</dt>
          <dd>{remedy}</dd>
        </div>
        <div>
          <dt>{words.whoMends}</dt>
          <dd>{words.menders[failed.mender]}</dd>
        </div>
      </dl>
    </section>
  )
}

function Compared({ label, value }: { label: string; value: string | null | undefined }) {
  if (value == null) return null
  return (
    <div>
      <dt>{label}</dt>
      <dd>
        <code lang="en">{asShown(value)}</code>
      </dd>
    </div>
  )
}

function Person({ view: { frame, protocol, person } }: { view: TestResultPage }) {
  const { testResult: words, oidc } = frame.texts
  const facts = [
    [words.email, person.email],
    [words.givenName, person.givenName],
    [words.familyName, person.familyName],
    [protocol === 'oidc' ? oidc.subject : words.nameId, person.nameId],
  ] as const
  return (
    <section>
      <h2>{words.person}</h2>
      <dl class="facts">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              {value === null ? <span class="quiet">{words.nothing}</span> : <bdi>{asShown(value)}</bdi>}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

function Attributes({
  attributes,
  texts,
}: {
  attributes: NonNullable<TestResultPage['attributes']>
  texts: PageTexts
}) {
  const words = texts.testResult
  const rows = Object.entries(attributes)
  return (
    <section>
      <h2>{words.attributes}</h2>
      {rows.length === 0 ? (
        <p class="quiet">{words.noAttributes}</p>
      ) : (
        <table class="values">
          <thead>
            <tr>
              <th scope="col">{words.name}</th>
              <th scope="col">{words.value}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(([name, values]) => (
              <tr key={name}>
                <th scope="row" lang="en">
                  {asShown(name)}
                </th>
                <td lang="en">{asShown(values.join(', '))}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  )
}

function Checks({ checks, texts }: { checks: readonly CheckResult[]; texts: PageTexts }) {
  const words = texts.testResult
  return (
    <ol class="checks">
      {checks.map(({ name, passed, expected, received }) => (
        <li key={name} class={passed ? 'success' : 'failed'}>
          <p>
            <code lang="en">{name}</code>
            <span class="check-outcome">{passed ? words.passed : words.refused}</span>
          </p>
          <p class="quiet">{texts.checkTexts[name].demands}</p>
          {(expected !== null || received !== null) && (
            <dl class="facts">
              <Compared label={words.expected} value={expected} />
              <Compared label={words.received} value={received} />
            </dl>
          )}
        </li>
      ))}
    </ol>
  )
}
