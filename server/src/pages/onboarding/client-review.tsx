import type { ClientWarning } from '../texts/en/oidc-setup.js'
import type { PageTexts } from '../texts/en.js'
import { asShown } from './as-shown.js'
import { Confirmation, type WaitingSetup } from './confirmation.js'
import { toDocument } from '../frame/layout.js'
import { OnboardingPage } from './onboarding-frame.js'

/** The metadata of a provider, before its client is stored. */
interface ClientReviewPage extends WaitingSetup {
  readonly issuer: string
  readonly clientId: string
  readonly authorizationEndpoint: string
  readonly warnings: readonly ClientWarning[]
}

/** Asks the administrator to confirm the provider. */
export function clientReviewPage(view: ClientReviewPage): string {
  const { frame, warnings } = view
  const { texts } = frame
  const words = texts.clientReview
  return toDocument(
    <OnboardingPage view={view} title={words.heading}>
      <p>{words.sentence}</p>
      {warnings.map((warning) => (
        <p key={warning} class="notice warn">
          <span class="unseen">{texts.tutorial.note} </span>
          {words.warnings[warning]}
        </p>
      ))}
      <ClientFacts client={view} texts={texts} />
      <Confirmation view={view} words={words} back="client" />
    </OnboardingPage>,
  )
}

interface ClientFactsProps {
  readonly client: {
    readonly issuer: string
    readonly clientId: string
    readonly authorizationEndpoint?: string
  }
  readonly texts: PageTexts
}

/** A client, for comparison with the console of its provider; never with its secret. */
export function ClientFacts({ client, texts }: ClientFactsProps) {
  const words = texts.client
  const facts = [
    [words.issuer, client.issuer],
    [texts.clientReview.authorizationEndpoint, client.authorizationEndpoint],
    [words.clientId, client.clientId],
  ] as const
  return (
    <dl class="facts">
      {facts.map(
        ([name, value]) =>
          value !== undefined && (
            <div key={name}>
              <dt>{name}</dt>
              <dd>
                <code lang="en">{asShown(value)}</code>
              </dd>
            </div>
          ),
      )}
      <div>
        <dt>{words.clientSecret}</dt>
        <dd class="quiet">{words.secretKept}</dd>
      </div>
    </dl>
  )
}
