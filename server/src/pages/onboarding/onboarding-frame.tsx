import type { Protocol } from '@portico/contract/sso-onboarding'
import { displayName } from '../../platform/display-name.js'
import { Form } from '../frame/form.js'
import { HostedPage, type Frame, type PageProps } from '../frame/layout.js'
import { displayAddress } from '../frame/person.js'
import type { PageForm } from '../frame/step-page.js'
import { onboardingPhases, type OnboardingPhase } from '../texts/en/onboarding.js'
import type { PageTexts } from '../texts/en.js'

/** Data shared by all pages of a connection. */
export interface OnboardingView {
  readonly frame: Frame
  readonly form: PageForm
  /** Of the administrator. */
  readonly email: string
  /** The path prefix of the connection: `/onboarding/<idp_id>`. */
  readonly base: string
  /** The list of connections, if the invitation is for the whole organization. */
  readonly listUrl: string | undefined
  /** The protocol decides whether the tutorial ends with metadata or a client. */
  readonly protocol: Protocol
  readonly phase: OnboardingPhase
  /** The phases that have a link. */
  readonly reachable: readonly OnboardingPhase[]
}

/** A page of the onboarding of a connection: its phases, the content, and the buttons to leave. */
export function OnboardingPage({ view, above, children, ...page }: PageProps & { view: OnboardingView }) {
  return (
    <HostedPage
      frame={view.frame}
      isWide
      above={
        <>
          <Phases view={view} />
          {above}
        </>
      }
      {...page}
    >
      {children}
      <SignOutForms view={view} />
    </HostedPage>
  )
}

/** The phases of the onboarding, with the current one marked. */
function Phases({ view: { frame, base, protocol, phase, reachable } }: { view: OnboardingView }) {
  const words = frame.texts.onboarding
  const isClient = (name: OnboardingPhase) => name === 'metadata' && protocol === 'oidc'
  const nameOf = (name: OnboardingPhase) => (isClient(name) ? frame.texts.client.phase : words.phases[name])
  const current = onboardingPhases.indexOf(phase)
  return (
    <nav aria-label={words.progress} class="phases">
      <ol>
        {onboardingPhases.map((name, index) => (
          <li key={name} class={index < current ? 'past' : undefined}>
            {name === phase ? (
              <span aria-current="step">{nameOf(name)}</span>
            ) : reachable.includes(name) ? (
              <a href={addressOf(base, isClient(name) ? 'client' : name, frame.texts)}>{nameOf(name)}</a>
            ) : (
              <span>{nameOf(name)}</span>
            )}
          </li>
        ))}
      </ol>
    </nav>
  )
}

/** The address of a page of the connection, in the current language. */
export function addressOf(base: string, path: string, { lang }: Pick<PageTexts, 'lang'>): string {
  return `${base}/${path}?ui_locales=${lang}`
}

/** The display name of the application that users sign in to; else of the product. */
export function shownService({ productName }: Frame, serviceName: string | undefined): string {
  return displayName(serviceName ?? '') || displayName(productName)
}

/** The signed-in administrator, with buttons to sign out and to decline. */
export function SignOutForms({
  view: { frame, form, email, listUrl },
}: {
  view: Pick<OnboardingView, 'frame' | 'form' | 'email' | 'listUrl'>
}) {
  const words = frame.texts.onboarding
  return (
    <div class="ways-out">
      <p class="quiet">
        {words.signedInAs} <bdi>{displayAddress(email)}</bdi>
      </p>
      <div class="tools">
        {listUrl !== undefined && (
          <a class="small" href={`${listUrl}?ui_locales=${frame.texts.lang}`}>
            {words.allConnections}
          </a>
        )}
        <Form form={form} action="leave" look="small" button={words.leave} />
      </div>
      <Decline texts={frame.texts} form={form} />
    </div>
  )
}

interface DeclineProps {
  readonly texts: PageTexts
  readonly form: PageForm
}

/** For administrators who are not responsible; collapsed against accidental clicks. */
function Decline({ texts, form }: DeclineProps) {
  const words = texts.onboarding
  return (
    <details>
      <summary>{words.declineSummary}</summary>
      <p class="quiet">{words.decline}</p>
      <Form form={form} action="decline" look="small" button={words.declineButton} />
    </details>
  )
}
