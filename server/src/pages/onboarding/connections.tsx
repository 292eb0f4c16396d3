import type { OnboardingState, ProviderType } from '@portico/contract/sso-onboarding'
import type { DirectoryProvider } from '@portico/contract/directory-sync'
import { directoryTutorials } from '../../sso/tutorials/directory/directory-tutorials.js'
import { productOf } from '../../sso/tutorials/tutorials.js'
import { HostedPage, toDocument, type Frame } from '../frame/layout.js'
import type { PageForm } from '../frame/step-page.js'
import type { PageTexts } from '../texts/en.js'
import { ProviderMark } from './provider-mark.js'
import { SignOutForms } from './onboarding-frame.js'

interface ConnectionView {
  readonly idpId: string
  readonly environment: 'sandbox' | 'production'
  readonly state: OnboardingState
  readonly providerType: ProviderType | null
}

/** The list of all connections of an organization, for an administrator who is invited to all. */
interface ConnectionsPage {
  readonly frame: Frame
  readonly form: PageForm
  readonly email: string
  readonly connections: readonly ConnectionView[]
  readonly directories: readonly DirectoryView[]
  /** The environments in which the administrator proves the organization's domains. */
  readonly domainsOf: readonly DirectoryView['environment'][]
  /** The environments in which people ask to join. */
  readonly joinRequestsOf: readonly DirectoryView['environment'][]
}

interface DirectoryView {
  readonly environment: 'sandbox' | 'production'
  readonly providerType: DirectoryProvider
}

/** Lists the connections, directories and where the domains are, with links to each. */
export function connectionsPage(view: ConnectionsPage): string {
  const { frame, form, email, connections, directories, domainsOf, joinRequestsOf } = view
  const { texts } = frame
  const words = texts.connections
  return toDocument(
    <HostedPage frame={frame} title={words.heading} isWide>
      <p class="quiet">{connections.length === 0 ? words.none : words.sentence}</p>
      <ul class="connections">
        {connections.map((connection) => (
          <Connection key={connection.idpId} texts={texts} connection={connection} />
        ))}
      </ul>
      {directories.length > 0 && <h2>{texts.directory.heading}</h2>}
      <ul class="connections">
        {directories.map((directory) => (
          <Directory key={directory.environment} texts={texts} directory={directory} />
        ))}
      </ul>
      {domainsOf.length > 0 && <h2>{texts.emailDomains.heading}</h2>}
      <ul class="connections">
        {domainsOf.map((environment) => (
          <PageOf
            key={environment}
            texts={texts}
            environment={environment}
            mark="@"
            words={texts.emailDomains}
            href={domainsAddress(environment, texts)}
          />
        ))}
      </ul>
      {joinRequestsOf.length > 0 && <h2>{texts.joinRequests.heading}</h2>}
      <ul class="connections">
        {joinRequestsOf.map((environment) => (
          <PageOf
            key={environment}
            texts={texts}
            environment={environment}
            mark="+"
            words={texts.joinRequests}
            href={`/onboarding/join-requests/${environment}?ui_locales=${texts.lang}`}
          />
        ))}
      </ul>
      <SignOutForms view={{ frame, form, email, listUrl: undefined }} />
    </HostedPage>,
  )
}

function Connection({ texts, connection }: { texts: PageTexts; connection: ConnectionView }) {
  const { idpId, environment, state, providerType } = connection
  const words = texts.connections
  return (
    <li>
      <ProviderMark mark={providerType === null ? '?' : productOf(providerType).mark} />
      <div>
        <p class="connection-name">
          <span>{idpId}</span>
          <span class={environment === 'sandbox' ? 'tag note' : 'tag'}>
            {words.environments[environment]}
          </span>
        </p>
        <p class="quiet">
          {providerType !== null && `${productOf(providerType).name} · `}
          {words.states[state]}
        </p>
      </div>
      <a class="small" href={`/onboarding/${idpId}?ui_locales=${texts.lang}`}>
        {words.open}
        <span class="unseen"> {idpId}</span>
      </a>
    </li>
  )
}

function Directory({ texts, directory }: { texts: PageTexts; directory: DirectoryView }) {
  const { environment, providerType } = directory
  const words = texts.connections
  const { name, mark } = directoryTutorials[providerType]
  return (
    <li>
      <ProviderMark mark={mark} />
      <div>
        <p class="connection-name">
          <span>{name}</span>
          <span class={environment === 'sandbox' ? 'tag note' : 'tag'}>
            {words.environments[environment]}
          </span>
        </p>
        <p class="quiet">{texts.directory.listSentence}</p>
      </div>
      <a class="small" href={directoryAddress(environment, texts)}>
        {words.open}
        <span class="unseen">
          {' '}
          {texts.directory.heading} {words.environments[environment]}
        </span>
      </a>
    </li>
  )
}

interface PageOfEnvironment {
  readonly texts: PageTexts
  readonly environment: DirectoryView['environment']
  readonly mark: string
  readonly words: { readonly heading: string; readonly listSentence: string }
  readonly href: string
}

/** A page of the organization in one environment. */
function PageOf({ texts, environment, mark, words: { heading, listSentence }, href }: PageOfEnvironment) {
  const words = texts.connections
  return (
    <li>
      <ProviderMark mark={mark} />
      <div>
        <p class="connection-name">
          <span>{heading}</span>
          <span class={environment === 'sandbox' ? 'tag note' : 'tag'}>
            {words.environments[environment]}
          </span>
        </p>
        <p class="quiet">{listSentence}</p>
      </div>
      <a class="small" href={href}>
        {words.open}
        <span class="unseen">
          {' '}
          {heading} {words.environments[environment]}
        </span>
      </a>
    </li>
  )
}

/** The address of the page of the domains of an environment, in the current language. */
export function domainsAddress(
  environment: DirectoryView['environment'],
  { lang }: Pick<PageTexts, 'lang'>,
): string {
  return `/onboarding/email-domains/${environment}?ui_locales=${lang}`
}

/** The address of the page of a directory, in the current language. */
export function directoryAddress(
  environment: DirectoryView['environment'],
  { lang }: Pick<PageTexts, 'lang'>,
): string {
  return `/onboarding/directory-sync/${environment}?ui_locales=${lang}`
}
