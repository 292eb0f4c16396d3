import type { OnboardingState } from '@portico/contract/sso-onboarding'
import { tutorials } from '../../tutorials/tutorials.js'
import { toDocument, type Frame } from '../layout.js'
import type { PageForm } from '../steps/step-page.js'
import type { PageTexts } from '../texts/en.js'
import { ProviderMark } from './provider-mark.js'
import { WaysOut } from './onboarding-frame.js'

/** One connection of the list. */
export interface ConnectionView {
  readonly idpId: string
  readonly environment: 'sandbox' | 'production'
  readonly state: OnboardingState
  readonly providerType: keyof typeof tutorials | null
}

/** The connections of an organization, whose administrator is invited to all of them. */
export interface ConnectionsPage {
  readonly frame: Frame
  readonly form: PageForm
  readonly email: string
  readonly connections: readonly ConnectionView[]
}

/** Lists them, and leads to each. */
export function connectionsPage({ frame, form, email, connections }: ConnectionsPage): string {
  const { texts } = frame
  const words = texts.connections
  return toDocument({
    frame,
    title: words.heading,
    isWide: true,
    children: (
      <>
        <h1>{words.heading}</h1>
        <p class="quiet">{connections.length === 0 ? words.none : words.sentence}</p>
        <ul class="connections">
          {connections.map((connection) => (
            <Connection key={connection.idpId} texts={texts} connection={connection} />
          ))}
        </ul>
        <WaysOut view={{ frame, form, email, listUrl: undefined }} />
      </>
    ),
  })
}

function Connection({ texts, connection }: { texts: PageTexts; connection: ConnectionView }) {
  const { idpId, environment, state, providerType } = connection
  const words = texts.connections
  return (
    <li>
      <ProviderMark mark={providerType === null ? '?' : tutorials[providerType].mark} />
      <div>
        <p class="connection-name">
          <span>{idpId}</span>
          <span class={environment === 'sandbox' ? 'tag note' : 'tag'}>
            {words.environments[environment]}
          </span>
        </p>
        <p class="quiet">
          {providerType !== null && `${tutorials[providerType].name} · `}
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
