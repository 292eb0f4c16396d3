import type { OidcTutorial } from '../../sso/tutorials/tutorial.js'
import type { Fault } from '../frame/fault.js'
import { PageFault } from '../frame/fault.js'
import { Field } from '../frame/field.js'
import { Form } from '../frame/form.js'
import type { ClientFault } from '../texts/en/oidc-setup.js'
import { asShown } from './as-shown.js'
import { ClientFacts } from './client-review.js'
import { toDocument } from '../frame/layout.js'
import { OnboardingPage, type OnboardingView } from './onboarding-frame.js'
import { StoredSetup } from './stored-setup.js'
import { Said } from './tutorial-blocks.js'

/** The form for the client at an OpenID provider. */
interface ClientPage extends OnboardingView {
  readonly tutorial: OidcTutorial
  /** The client that was entered before, without its secret. */
  readonly stored:
    | { readonly issuer: string; readonly clientId: string; readonly isCurrent: boolean }
    | undefined
  /** The last input; the secret must be typed again. */
  readonly typed: { readonly issuer: string; readonly clientId: string }
  readonly fault?: ClientFault | undefined
  readonly found?: string | undefined
}

/** Asks for issuer, client ID and client secret. */
export function clientPage(view: ClientPage): string {
  const { frame, stored, fault, found } = view
  const { texts } = frame
  const words = texts.client
  return toDocument(
    <OnboardingPage view={view} title={words.heading} isFault={fault !== undefined}>
      <p>{words.sentence}</p>
      {stored !== undefined && (
        <StoredSetup view={view} words={words} isCurrent={stored.isCurrent}>
          <ClientFacts client={stored} texts={texts} />
        </StoredSetup>
      )}
      <PageFault fault={faultOf(view, undefined)} />
      {found !== undefined && (
        <p class="quiet">
          {words.found} <code lang="en">{asShown(found)}</code>
        </p>
      )}
      <ClientForm view={view} />
    </OnboardingPage>,
  )
}

function ClientForm({ view }: { view: ClientPage }) {
  const { frame, form, tutorial, typed, fault } = view
  const { texts } = frame
  const words = texts.client
  const { issuerExample, issuer, clientId, clientSecret } = tutorial.client
  const faulty = fieldOf(fault)
  return (
    <Form form={form} action="read" button={words.button} working={texts.working}>
      <Field
        id="issuer"
        label={words.issuer}
        fault={faultOf(view, 'issuer')}
        hasFocus={faulty === 'issuer'}
        hint={
          <>
            <Said words={issuer} texts={texts} /> <code lang="en">{issuerExample}</code>
          </>
        }
        input={{ type: 'url', value: typed.issuer, autocomplete: 'off', inputMode: 'url' }}
      />
      <Field
        id="client_id"
        label={words.clientId}
        fault={faultOf(view, 'client_id')}
        hasFocus={faulty === 'client_id'}
        hint={<Said words={clientId} texts={texts} />}
        input={{ type: 'text', value: typed.clientId, autocomplete: 'off' }}
      />
      <Field
        id="client_secret"
        label={words.clientSecret}
        fault={faultOf(view, 'client_secret')}
        hasFocus={faulty === 'client_secret'}
        hint={
          <>
            <Said words={clientSecret} texts={texts} /> {words.secretHint}
          </>
        }
        input={{ type: 'password', autocomplete: 'off' }}
      />
    </Form>
  )
}

type FieldName = 'issuer' | 'client_id' | 'client_secret'

/** The field at fault; undefined when it is the whole form. */
function fieldOf(fault: ClientFault | undefined): FieldName | undefined {
  if (fault === undefined || fault === 'over') return undefined
  if (fault === 'client_id_missing') return 'client_id'
  return fault === 'client_secret_missing' ? 'client_secret' : 'issuer'
}

function faultOf({ frame, fault }: ClientPage, field: FieldName | undefined): Fault | undefined {
  if (fault === undefined || fieldOf(fault) !== field) return undefined
  return { sentence: frame.texts.client.faults[fault], isOfField: field !== undefined }
}
