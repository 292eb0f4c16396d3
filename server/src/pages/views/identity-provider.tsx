import { Form } from '../frame/form.js'
import { HostedPage, toDocument, type Frame } from '../frame/layout.js'
import type { PageForm } from '../frame/step-page.js'

/** The page before the redirect to an identity provider. */
interface IdentityProviderPage {
  readonly frame: Frame
  readonly form: PageForm
  /** The address that redirects to the identity provider. */
  readonly url: string
  /** Whether the browser was redirected already and came back: then it is not redirected automatically. */
  readonly isAsked: boolean
}

/** Redirects automatically, with a link as a fallback. */
export function identityProviderPage({ frame, form, url, isAsked }: IdentityProviderPage): string {
  const words = frame.texts.identityProvider
  return toDocument(
    <HostedPage frame={frame} title={words.heading} goesOnTo={isAsked ? undefined : url}>
      <p>{isAsked ? words.again : words.sentence}</p>
      <p>
        <a href={url}>{words.button}</a>
      </p>
      <Form form={form} action="change_address" button={words.otherAddress} look="plain" />
    </HostedPage>,
  )
}

/** The page after a cross-site POST: it navigates within this site, so that the next request has the cookies. */
export function returnPage({ frame, url }: { readonly frame: Frame; readonly url: string }): string {
  const words = frame.texts.ssoReturn
  return toDocument(
    <HostedPage frame={frame} title={words.heading} goesOnTo={url}>
      <p>{words.sentence}</p>
      <p>
        <a href={url}>{words.button}</a>
      </p>
    </HostedPage>,
  )
}

/** A request that an identity provider accepts only as a form (SAML bindings section 3.5). */
export function requestFormPage({
  frame,
  action,
  samlRequest,
}: {
  readonly frame: Frame
  readonly action: string
  readonly samlRequest: string
}): string {
  const words = frame.texts.identityProvider
  return toDocument(
    <HostedPage frame={frame} title={words.heading}>
      <p>{words.sentence}</p>
      <form method="post" action={action} data-once="" data-at-once="">
        <input type="hidden" name="SAMLRequest" value={samlRequest} />
        <button type="submit" class="main" data-working={frame.texts.working}>
          {words.button}
        </button>
      </form>
    </HostedPage>,
  )
}
