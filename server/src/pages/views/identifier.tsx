import { displayName } from '../../platform/display-name.js'
import { PageFault, toFault } from '../frame/fault.js'
import { Field } from '../frame/field.js'
import { Form } from '../frame/form.js'
import { toDocument, type Frame } from '../frame/layout.js'
import { isHttps } from '../frame/organization.js'
import type { PageForm } from '../frame/step-page.js'
import type { IdentifierFault } from '../texts/en/sign-in.js'

/** The first page of a sign-in: who is it? */
interface IdentifierPage {
  readonly frame: Frame
  readonly form: PageForm
  /** As it was typed before; null or empty where it was not. */
  readonly email: string | null
  /** Whether an address that nobody has yet gets an account on the way. */
  readonly maySignUp: boolean
  /** Identity providers that are chosen by a button. */
  readonly connections?: readonly { readonly idpId: string }[]
  /** What the sign-in is to, where that is known. */
  readonly applicationName?: string | undefined
  readonly fault?: IdentifierFault | undefined
  readonly retryAfterSeconds?: number | undefined
}

/** Asks for the address, and says what becomes of one that is new. */
export function identifierPage(view: IdentifierPage): string {
  const { frame, form, email, maySignUp, connections = [], applicationName } = view
  const { texts } = frame
  const words = texts.identifier
  const fault = toFault(texts, words.faults, view.fault, view.retryAfterSeconds)
  const heading =
    applicationName === undefined ? words.heading : words.headingFor(displayName(applicationName))
  return toDocument({
    frame,
    title: heading,
    isFault: fault !== undefined,
    children: (
      <>
        <h1>{heading}</h1>
        <PageFault fault={fault} />
        {maySignUp && <p>{words.signUp}</p>}
        <Form form={form} action="identify" button={words.button} working={texts.working}>
          <Field
            id="email"
            label={words.label}
            fault={fault}
            input={{ type: 'email', autocomplete: 'username', inputMode: 'email', value: email ?? '' }}
          />
          {maySignUp && <Agreement frame={frame} />}
        </Form>
        {connections.map(({ idpId }) => (
          <Form key={idpId} form={form} action="single_sign_on" button={texts.ssoButton} look="second">
            <input type="hidden" name="idp_id" value={idpId} />
          </Form>
        ))}
      </>
    ),
  })
}

/** What who makes an account accepts, with links to it; nothing where the organization has written nothing. */
function Agreement({ frame: { texts, organization } }: { frame: Frame }) {
  const words = texts.identifier
  const urls = {
    terms: organization?.terms_of_service_url,
    privacy: organization?.privacy_policy_url,
  }
  const hasTerms = isHttps(urls.terms)
  const hasPrivacy = isHttps(urls.privacy)
  if (!hasTerms && !hasPrivacy) return null
  const sentence = words.agreement[hasTerms && hasPrivacy ? 'both' : hasTerms ? 'terms' : 'privacy']
  return (
    <p class="quiet agreement">
      {sentence.split(/\{(terms|privacy)\}/).map((part) =>
        part === 'terms' || part === 'privacy' ? (
          <a key={part} href={urls[part] ?? ''} rel="noreferrer">
            {words[part]}
          </a>
        ) : (
          part
        ),
      )}
    </p>
  )
}
