import { productOf } from '../../sso/tutorials/tutorials.js'
import type { Protocol, ProviderType } from '@portico/contract/sso-onboarding'
import { Form } from '../frame/form.js'
import { toDocument } from '../frame/layout.js'
import { addressOf, OnboardingPage, type OnboardingView } from './onboarding-frame.js'
import { ProductLine } from './provider-mark.js'

/** The page for choosing the protocol of a product that supports both. */
interface ProtocolPage extends OnboardingView {
  readonly providerType: ProviderType
  /** Whether the connection is set up, so that the choice is final. */
  readonly isFixed: boolean
}

/** One button for each protocol, with the recommendation. */
export function protocolPage(view: ProtocolPage): string {
  const { frame, base, providerType, isFixed } = view
  const { texts } = frame
  const words = texts.protocol
  const product = productOf(providerType)
  return toDocument(
    <OnboardingPage view={view} title={words.heading(product.name)} above={<ProductLine product={product} />}>
      <p class="quiet">{words.sentence}</p>
      {isFixed && <p class="notice">{texts.provider.fixed}</p>}
      <ul class="providers protocols">
        {(['saml', 'oidc'] as const).map((protocol) => (
          <Choice key={protocol} choice={protocol} view={view} />
        ))}
      </ul>
      <p>
        <a class="second" href={addressOf(base, isFixed ? 'tutorial' : 'provider', texts)}>
          {isFixed ? texts.onboarding.continue : texts.provider.other}
        </a>
      </p>
    </OnboardingPage>,
  )
}

function Choice({ choice, view }: { choice: Protocol; view: ProtocolPage }) {
  const { frame, form, protocol, isFixed } = view
  const { protocol: words, provider } = frame.texts
  const content = (
    <>
      <span class="provider-name">
        {words.names[choice]}
        <span class="quiet">{words.reasons[choice]}</span>
      </span>
      {choice === 'saml' && !isFixed && <span class="badge">{words.recommended}</span>}
      {isFixed && choice === protocol && <span class="badge">{provider.current}</span>}
    </>
  )
  if (isFixed)
    return (
      <li>
        <span class={choice === protocol ? 'provider chosen' : 'provider'}>{content}</span>
      </li>
    )
  return (
    <li>
      <Form form={form} action="choose" look="plain" button={content}>
        <input type="hidden" name="protocol" value={choice} />
      </Form>
    </li>
  )
}
