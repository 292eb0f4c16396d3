import { testIdpFaults, type TestIdpFault } from '../../sso/test-idp/response.js'
import { PageFault, type Fault } from '../frame/fault.js'
import { Field } from '../frame/field.js'
import { Form } from '../frame/form.js'
import { HostedPage, toDocument, type Frame } from '../frame/layout.js'
import type { PageForm } from '../frame/step-page.js'

/** The sign-in page of the built-in identity provider. */
interface TestIdpPage {
  readonly frame: Frame
  readonly form: PageForm
  /** As sent by the service provider; the form returns them. */
  readonly samlRequest: string
  readonly relayState: string
  /** As typed before. */
  readonly email: string
  readonly fault: TestIdpFault
  /** Whether the typed address is invalid. */
  readonly isInvalid: boolean
}

/** Invented, because the page is public and must not disclose users of the organization. */
const inventedUsers = ['ada@awesome.example', 'grace@awesome.example', 'alan@partner.example'] as const

/** Asks for the user to assert, and for the fault of the response. */
export function testIdpPage({ frame, form, ...view }: TestIdpPage): string {
  const words = frame.texts.testIdp
  const fault: Fault | undefined = view.isInvalid
    ? { sentence: words.invalidEmail, isOfField: true }
    : undefined
  return toDocument(
    <HostedPage frame={frame} title={words.heading} isFault={view.isInvalid}>
      <PageFault fault={fault} />
      <p>{words.sentence}</p>
      <Form form={form} action="sign_in" button={words.button} working={frame.texts.working}>
        <input type="hidden" name="SAMLRequest" value={view.samlRequest} />
        <input type="hidden" name="RelayState" value={view.relayState} />
        <fieldset>
          <legend>{words.users}</legend>
          {inventedUsers.map((email, index) => (
            <label key={email} class="check" for={`user-${index}`}>
              <input type="radio" id={`user-${index}`} name="user" value={email} checked={index === 0} />
              {email}
            </label>
          ))}
          <Field
            id="email"
            label={words.label}
            fault={fault}
            input={{
              type: 'email',
              autocomplete: 'off',
              inputMode: 'email',
              required: false,
              value: view.email,
            }}
          />
        </fieldset>
        <div class="field">
          <label for="fault">{words.fault}</label>
          <div class="entry">
            <select id="fault" name="fault">
              {testIdpFaults.map((name) => (
                <option key={name} value={name} selected={name === view.fault}>
                  {words.faults[name]}
                </option>
              ))}
            </select>
          </div>
        </div>
      </Form>
    </HostedPage>,
  )
}

/** The form that posts the response (SAML bindings section 3.5). */
export function testIdpAnswerPage({
  frame,
  action,
  samlResponse,
  relayState,
}: {
  readonly frame: Frame
  readonly action: string
  readonly samlResponse: string
  readonly relayState: string
}): string {
  const words = frame.texts.testIdp.answer
  return toDocument(
    <HostedPage frame={frame} title={words.heading}>
      <p>{words.sentence}</p>
      <form method="post" action={action} data-once="" data-at-once="">
        <input type="hidden" name="SAMLResponse" value={samlResponse} />
        <input type="hidden" name="RelayState" value={relayState} />
        <button type="submit" class="main" data-working={frame.texts.working}>
          {words.button}
        </button>
      </form>
    </HostedPage>,
  )
}
