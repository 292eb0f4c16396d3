import { displayName } from '../../platform/display-name.js'
import { Form } from '../frame/form.js'
import { HostedPage, toDocument, type Frame } from '../frame/layout.js'
import type { PageForm } from '../frame/step-page.js'

/** The page before the redirect to a social provider. */
interface SocialProviderPage {
  readonly frame: Frame
  readonly form: PageForm
  /** The address that redirects to the provider. */
  readonly url: string
  /** Whether the browser was redirected already and came back: then it is not redirected automatically. */
  readonly isAsked: boolean
  /** Its name. */
  readonly provider: string
}

/** Redirects automatically, with a link as a fallback. */
export function socialProviderPage({ frame, form, url, isAsked, ...view }: SocialProviderPage): string {
  const words = frame.texts.socialProvider
  const provider = displayName(view.provider)
  return toDocument(
    <HostedPage frame={frame} title={words.heading(provider)} goesOnTo={isAsked ? undefined : url}>
      <p>{isAsked ? words.again(provider) : words.sentence(provider)}</p>
      <p>
        <a href={url}>{words.button(provider)}</a>
      </p>
      <Form form={form} action="change_address" button={words.otherWay} look="plain" />
    </HostedPage>,
  )
}
