import { displayName } from '../../platform/display-name.js'
import { PageFault, toFault } from '../frame/fault.js'
import { Form } from '../frame/form.js'
import { HostedPage, toDocument, type Frame } from '../frame/layout.js'
import type { PageForm } from '../frame/step-page.js'
import type { OwnPasskeyFault } from '../texts/en/passkeys.js'
import { PasskeyForm } from './passkey-form.js'

interface OfferPasskeyPage {
  readonly frame: Frame
  readonly form: PageForm
  /** What the browser is asked for; undefined where passkeys were switched off. */
  readonly options: object | undefined
  readonly fault?: OwnPasskeyFault | undefined
}

/** Offers a passkey at the end of a sign-in. */
export function offerPasskeyPage({ frame, form, options, fault: wrong }: OfferPasskeyPage): string {
  const { texts, organization, productName } = frame
  const words = texts.passkeys.offered
  const fault = toFault(texts, texts.passkeys.own.faults, wrong)
  return toDocument(
    <HostedPage
      frame={frame}
      title={words.heading}
      isFault={fault !== undefined}
      needsPasskeys={options !== undefined}
    >
      <PageFault fault={fault && { ...fault, isOfField: false }} />
      <p>{words.sentence(displayName(organization?.name ?? productName))}</p>
      <p class="quiet">{words.after}</p>
      {options !== undefined && (
        <PasskeyForm
          form={form}
          action="passkey"
          kind="create"
          options={options}
          button={texts.passkeys.own.add}
          look="main"
          failed={texts.passkeys.own.notAdded}
          held={texts.passkeys.own.held}
        />
      )}
      <Form form={form} action="not_now" look="plain" button={texts.enroll.notNow} />
    </HostedPage>,
  )
}
