import { displayName } from '../../platform/display-name.js'
import { PageFault, toFault } from '../frame/fault.js'
import { Field } from '../frame/field.js'
import { Form } from '../frame/form.js'
import { HostedPage, toDocument, type Frame } from '../frame/layout.js'
import { isHttps } from '../frame/organization.js'
import type { PageForm } from '../frame/step-page.js'
import { PasskeyForm } from './passkey-form.js'
import { ChoiceList, type ChoiceView } from './choice.js'
import type { IdentifierFault } from '../texts/en/sign-in.js'

/** The sessions of the browser. */
interface Sessions {
  readonly choices: readonly ChoiceView[]
  readonly round: number
  readonly now: Date
}

/** The first page of a sign-in. */
interface IdentifierPage {
  readonly frame: Frame
  readonly form: PageForm
  /** As typed before; null or empty at first. */
  readonly email: string | null
  /** Whether a new address creates an account. */
  readonly maySignUp: boolean
  /** Identity providers that are chosen by a button. */
  readonly connections?: readonly { readonly idpId: string }[]
  /** Whether an address leads anywhere: not where social providers are all there is. */
  readonly isAddressAsked?: boolean
  /** Social providers, in the order of their buttons. */
  readonly socialProviders?: readonly { readonly name: string; readonly displayName: string }[]
  /** The name of the one that was used last in this browser. */
  readonly lastProvider?: string | undefined
  /** The user has just come back from one without signing in there. */
  readonly isSocialDenied?: boolean
  /** The application that the user signs in to, if known. */
  readonly applicationName?: string | undefined
  /** In place of an application: the account page, which is visited, or which asks for a fresh sign-in before a change. */
  readonly toAccount?: 'visit' | 'change' | undefined
  /** Where the browser is signed in, if the application has its user choose. */
  readonly sessions?: Sessions | undefined
  /** What the browser is asked for to sign in by a passkey; undefined where none does. */
  readonly passkeyOptions?: object | undefined
  /** Whether the browser asks for it without a press of the button. */
  readonly isPasskeyAsked?: boolean
  readonly fault?: IdentifierFault | undefined
  readonly retryAfterSeconds?: number | undefined
}

/** Asks for the address, and announces that a new one creates an account. */
export function identifierPage(view: IdentifierPage): string {
  const {
    frame,
    form,
    email,
    maySignUp,
    connections = [],
    socialProviders = [],
    applicationName,
    sessions,
    passkeyOptions,
  } = view
  const hasPasskey = passkeyOptions !== undefined
  const { texts } = frame
  const words = texts.identifier
  const fault = toFault(texts, words.faults, view.fault, view.retryAfterSeconds)
  const headingOfApplication =
    applicationName === undefined ? words.heading : words.headingFor(displayName(applicationName))
  const heading = view.toAccount === undefined ? headingOfApplication : words.headingForAccount
  return toDocument(
    <HostedPage frame={frame} title={heading} isFault={fault !== undefined} needsPasskeys={hasPasskey}>
      <PageFault fault={fault} />
      {view.isSocialDenied === true && fault === undefined && (
        <p class="notice" role="status">
          {texts.social.denied}
        </p>
      )}
      {view.toAccount === 'change' && <p>{texts.account.confirmFirst}</p>}
      {maySignUp && <p>{words.signUp}</p>}
      {sessions !== undefined && (
        <>
          <ChoiceList {...sessions} {...{ texts, form }} action="continue_as" />
          <h2>{texts.accountSignIn.otherAddress}</h2>
        </>
      )}
      {view.isAddressAsked !== false && (
        <Form form={form} action="identify" button={words.button} working={texts.working} saysPasskeys>
          <Field
            id="email"
            label={words.label}
            fault={fault}
            input={{
              type: 'email',
              // Browsers propose passkeys among the addresses.
              autocomplete: hasPasskey ? 'username webauthn' : 'username',
              inputMode: 'email',
              value: email ?? '',
            }}
          />
          {maySignUp && <Agreement frame={frame} />}
        </Form>
      )}
      {passkeyOptions !== undefined && (
        <PasskeyForm
          form={form}
          action="passkey"
          kind="get"
          options={passkeyOptions}
          button={texts.passkeys.button}
          failed={texts.passkeys.notUsed}
          isConditional
          isAsked={view.isPasskeyAsked === true}
        />
      )}
      {connections.map(({ idpId }) => (
        <Form key={idpId} form={form} action="single_sign_on" button={texts.ssoButton} look="second">
          <input type="hidden" name="idp_id" value={idpId} />
        </Form>
      ))}
      {socialProviders.map(({ name, displayName: provider }) => (
        <Form
          key={name}
          form={form}
          action="social"
          button={texts.social.button(displayName(provider))}
          look="second"
        >
          {name === view.lastProvider && <p class="quiet">{texts.social.lastUsed}</p>}
          <input type="hidden" name="provider" value={name} />
        </Form>
      ))}
    </HostedPage>,
  )
}

/** The legal texts that a new user accepts, with links; nothing when the organization has published none. */
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
