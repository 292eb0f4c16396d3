import { Form } from '../frame/form.js'
import { toDocument, type Frame } from '../frame/layout.js'
import type { PageForm } from '../frame/step-page.js'

/** The page before the sign-in page of somebody's organization. */
interface IdentityProviderPage {
  readonly frame: Frame
  readonly form: PageForm
  /** Where the identity provider is asked. */
  readonly url: string
  /** It was asked, and the browser is here again: it is not sent off once more by itself. */
  readonly isAsked: boolean
}

/** Leads on by itself, and by a link where that is not wanted or does not work. */
export function identityProviderPage({ frame, form, url, isAsked }: IdentityProviderPage): string {
  const words = frame.texts.identityProvider
  return toDocument({
    frame,
    title: words.heading,
    goesOnTo: isAsked ? undefined : url,
    children: (
      <>
        <h1>{words.heading}</h1>
        <p>{isAsked ? words.again : words.sentence}</p>
        <p>
          <a href={url}>{words.button}</a>
        </p>
        <Form form={form} action="change_address" button={words.otherAddress} look="plain" />
      </>
    ),
  })
}

/** The page that brings a browser back from another site: its next request is from here, and has its cookies. */
export function returnPage({ frame, url }: { readonly frame: Frame; readonly url: string }): string {
  const words = frame.texts.ssoReturn
  return toDocument({
    frame,
    title: words.heading,
    goesOnTo: url,
    children: (
      <>
        <h1>{words.heading}</h1>
        <p>{words.sentence}</p>
        <p>
          <a href={url}>{words.button}</a>
        </p>
      </>
    ),
  })
}

/** A request that an identity provider takes by a form alone (SAML bindings section 3.5). */
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
  return toDocument({
    frame,
    title: words.heading,
    children: (
      <>
        <h1>{words.heading}</h1>
        <p>{words.sentence}</p>
        <form method="post" action={action} data-once="" data-at-once="">
          <input type="hidden" name="SAMLRequest" value={samlRequest} />
          <button type="submit" class="main" data-working={frame.texts.working}>
            {words.button}
          </button>
        </form>
      </>
    ),
  })
}
