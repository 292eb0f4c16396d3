import type { ProviderType } from '@portico/contract/sso-onboarding'
import { productOf } from '../../sso/tutorials/tutorials.js'
import { Form } from '../frame/form.js'
import { toDocument } from '../frame/layout.js'
import { shownService, OnboardingPage, type OnboardingView } from './onboarding-frame.js'
import { ProviderMark } from './provider-mark.js'

/** The page for choosing the product of the identity provider. */
interface ProviderPage extends OnboardingView {
  readonly providers: readonly ProviderType[]
  readonly chosen: ProviderType | null
  /** The application that users will sign in to; undefined when only the product is known. */
  readonly serviceName: string | undefined
  /** Whether metadata were uploaded, so that the choice is final. */
  readonly isFixed: boolean
}

/** One button for each product. */
export function providerPage(view: ProviderPage): string {
  const { frame, providers, chosen, isFixed, serviceName } = view
  const words = frame.texts.provider
  const note = isFixed ? words.fixed : chosen === null ? undefined : words.restarts
  return toDocument(
    <OnboardingPage view={view} title={words.heading}>
      <p class="quiet">{words.sentence(shownService(frame, serviceName))}</p>
      {note !== undefined && <p class="notice">{note}</p>}
      <ul class="providers">
        {providers.map((type) => (
          <Provider key={type} type={type} view={view} />
        ))}
      </ul>
    </OnboardingPage>,
  )
}

function Provider({ type, view }: { type: ProviderType; view: ProviderPage }) {
  const { frame, form, chosen, isFixed } = view
  const { provider: words } = frame.texts
  const { name, mark, minutes } = productOf(type)
  const hints: Partial<Record<ProviderType, string>> = {
    custom_saml: words.custom,
    custom_oidc: words.customOidc,
    test: words.test,
  }
  const isChosen = type === chosen
  const content = (
    <>
      <ProviderMark mark={mark} />
      <span class="provider-name">
        {name}
        <span class="quiet">{hints[type] ?? words.minutes(minutes)}</span>
      </span>
      {isChosen && <span class="badge">{words.current}</span>}
    </>
  )
  if (isFixed)
    return (
      <li>
        <span class={isChosen ? 'provider chosen' : 'provider'}>{content}</span>
      </li>
    )
  return (
    <li class={isChosen ? 'chosen' : undefined}>
      <Form form={form} action="choose" look="plain" button={content}>
        <input type="hidden" name="provider_type" value={type} />
      </Form>
    </li>
  )
}
