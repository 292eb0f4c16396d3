import { displayName } from '../../platform/display-name.js'
import { PageFault, toFault } from '../frame/fault.js'
import { PasswordField } from '../frame/field.js'
import { Form } from '../frame/form.js'
import { HostedPage, toDocument, type Frame } from '../frame/layout.js'
import { Person, UserNameForManagers } from '../frame/person.js'
import type { PageForm } from '../frame/step-page.js'
import type { PasswordPageFault } from '../texts/en/sign-in.js'
import { PasskeyForm } from './passkey-form.js'

/** The page on which a user signs in once more, to link their account at a social provider. */
interface LinkAccountPage {
  readonly frame: Frame
  readonly form: PageForm
  readonly email: string
  /** The name of the provider. */
  readonly provider: string
  readonly hasPassword: boolean
  readonly hasLink: boolean
  /** What the browser is asked for to sign in by a passkey; undefined where none does. */
  readonly passkeyOptions?: object | undefined
  readonly fault?: PasswordPageFault | 'passkey_refused' | undefined
  readonly retryAfterSeconds?: number | undefined
}

/** Its buttons say what they do: they sign in, and link. */
export function linkAccountPage(view: LinkAccountPage): string {
  const { frame, form, email, hasPassword, hasLink, passkeyOptions } = view
  const hasPasskey = passkeyOptions !== undefined
  const { texts } = frame
  const words = texts.linkAccount
  const provider = displayName(view.provider)
  const { passkey_refused } = texts.identifier.faults
  const faults = { ...texts.password.faults, passkey_refused }
  const fault = toFault(texts, faults, view.fault, view.retryAfterSeconds)
  return toDocument(
    <HostedPage frame={frame} title={words.heading} isFault={fault !== undefined} needsPasskeys={hasPasskey}>
      <Person texts={texts} email={email} form={form} />
      <PageFault fault={fault} />
      <p>{words.sentence(provider)}</p>
      {hasPassword && (
        <>
          <Form form={form} action="password" button={words.button(provider)} working={texts.working}>
            <UserNameForManagers email={email} />
            <PasswordField
              texts={texts}
              label={texts.password.label}
              fault={fault}
              autocomplete="current-password"
            />
          </Form>
          <Form form={form} action="forgot_password" look="plain" button={texts.password.forgot} />
        </>
      )}
      {hasPassword && hasLink && (
        <p class="or">
          <span>{texts.password.or}</span>
        </p>
      )}
      {hasLink && (
        <Form
          form={form}
          action="mail_link"
          look={hasPassword ? 'second' : 'main'}
          button={words.mailLink(provider)}
        />
      )}
      {passkeyOptions !== undefined && (
        <PasskeyForm
          form={form}
          action="passkey"
          kind="get"
          options={passkeyOptions}
          button={words.passkey(provider)}
          look={hasPassword || hasLink ? 'second' : 'main'}
          failed={texts.passkeys.notUsed}
        />
      )}
      {!hasPassword && !hasLink && (hasPasskey ? <NeedsScript texts={texts} /> : <p>{words.noWay}</p>)}
    </HostedPage>,
  )
}

function NeedsScript({ texts }: Pick<Frame, 'texts'>) {
  return (
    <noscript>
      <p>{texts.passkeys.second.needsScript}</p>
    </noscript>
  )
}
