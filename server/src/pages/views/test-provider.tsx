import { testProviderFaults, type TestProviderFault } from '../../sso/social/test-provider.js'
import { PageFault, type Fault } from '../frame/fault.js'
import { Field } from '../frame/field.js'
import { Form } from '../frame/form.js'
import { HostedPage, toDocument, type Frame } from '../frame/layout.js'
import type { PageForm } from '../frame/step-page.js'

/** The sign-in page of the built-in social provider. */
interface TestProviderPage {
  readonly frame: Frame
  readonly form: PageForm
  readonly subject: string
  readonly email: string
  readonly isEmailVerified: boolean
  readonly fault: TestProviderFault
  /** Whether the typed address or account is invalid. */
  readonly isInvalid: boolean
}

/** Asks whom to name, and for the fault of the answer. */
export function testProviderPage({ frame, form, ...view }: TestProviderPage): string {
  const words = frame.texts.testProvider
  const fault: Fault | undefined = view.isInvalid ? { sentence: words.invalid, isOfField: true } : undefined
  return toDocument(
    <HostedPage frame={frame} title={words.heading} isFault={view.isInvalid}>
      <PageFault fault={fault} />
      <p>{words.sentence}</p>
      <Form form={form} action="sign_in" button={words.button} working={frame.texts.working}>
        <Field
          id="subject"
          label={words.subject}
          fault={undefined}
          hasFocus={false}
          input={{ type: 'text', autocomplete: 'off', value: view.subject }}
        />
        <Field
          id="email"
          label={words.email}
          fault={fault}
          input={{ type: 'email', autocomplete: 'off', inputMode: 'email', value: view.email }}
        />
        <label class="check" for="verified">
          <input type="checkbox" id="verified" name="verified" value="true" checked={view.isEmailVerified} />
          {words.verified}
        </label>
        <div class="field">
          <label for="fault">{words.fault}</label>
          <div class="entry">
            <select id="fault" name="fault">
              {testProviderFaults.map((name) => (
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
