import { toDocument } from '../frame/layout.js'
import { addressOf, OnboardingPage, type OnboardingView } from './onboarding-frame.js'

/** The last page of the administrator's setup. */
interface DonePage extends OnboardingView {
  readonly isActive: boolean
  /** Whether the last uploaded metadata are not active yet. */
  readonly isWaiting: boolean
  readonly isTested: boolean
  /** The address of the directory page; undefined when the organization has no directory in this environment. */
  readonly directoryUrl: string | undefined
  /** The address of the page of the domains; undefined for an administrator of this connection alone. */
  readonly domainsUrl: string | undefined
  /** The address of the page of roles; undefined where there is no rule to see and no role to give. */
  readonly rolesUrl: string | undefined
}

/** Explains the next step, and names its owner. */
export function donePage(view: DonePage): string {
  const { frame, base, protocol, isActive, isWaiting, isTested, directoryUrl, domainsUrl, rolesUrl } = view
  const { texts } = frame
  const words = texts.done
  const isOidc = protocol === 'oidc'
  const { heading, sentence } = isTested ? words : words.untested
  return toDocument(
    <OnboardingPage view={view} title={heading} headingClass={isTested ? 'done' : 'pending'}>
      <p>{isOidc && !isTested ? texts.oidc.untested : sentence}</p>
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
        {isWaiting && <li>{isOidc ? texts.oidc.waits : words.steps.waits}</li>}
        <li>{isActive ? words.steps.active : words.steps.inactive}</li>
      </ol>
      <p class="quiet">{isOidc ? texts.oidc.rollover : words.rollover}</p>
      {rolesUrl !== undefined && (
        <>
          <h2>{texts.roleRules.of.connection.heading}</h2>
          <p>{texts.roleRules.of.connection.sentence}</p>
          <p>
            <a class="second" href={rolesUrl}>
              {texts.roleRules.link}
            </a>
          </p>
        </>
      )}
      {directoryUrl !== undefined && (
        <>
          <h2>{texts.directory.heading}</h2>
          <p>{texts.directory.listSentence}</p>
          <p>
            <a class="second" href={directoryUrl}>
              {texts.directory.link}
            </a>
          </p>
        </>
      )}
      {domainsUrl !== undefined && (
        <>
          <h2>{texts.emailDomains.heading}</h2>
          <p>{texts.emailDomains.sentence}</p>
          <p>
            <a class="second" href={domainsUrl}>
              {texts.emailDomains.link}
            </a>
          </p>
        </>
      )}
      <p>
        <a class="second" href={addressOf(base, 'tutorial', texts)}>
          {words.look}
        </a>
      </p>
    </OnboardingPage>,
  )
}
