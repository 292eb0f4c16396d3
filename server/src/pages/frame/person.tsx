import { displayName } from '../../platform/display-name.js'
import { Form } from './form.js'
import type { PageForm } from './step-page.js'
import type { PageTexts } from '../texts/en.js'

/** The maximum length of an address (RFC 5321 section 4.5.3.1.3). */
const maxAddressLength = 254

/** A typed address, safe to show. It is not shortened, because its end distinguishes it from others. */
export function displayAddress(email: string): string {
  return displayName(email, maxAddressLength)
}

interface PersonProps {
  readonly texts: PageTexts
  readonly email: string
  readonly form?: PageForm
  /** The words of the button, where they are not those for a typed address. */
  readonly change?: string
}

/** The address that signs in, with an optional form to change it. */
export function Person({ texts, email, form, change }: PersonProps) {
  return (
    <div class="person">
      <p>
        <span class="unseen">{texts.address} </span>
        <bdi>
          <Address email={email} />
        </bdi>
      </p>
      {form !== undefined && (
        <Form
          form={form}
          action="change_address"
          look="small"
          button={
            change ?? (
              <>
                {texts.change}
                <span class="unseen"> {texts.changeWhat}</span>
              </>
            )
          }
        />
      )}
    </div>
  )
}

/** Breaks before the @ first, if it does not fit. */
function Address({ email }: { email: string }) {
  const address = displayAddress(email)
  const at = address.lastIndexOf('@')
  return (
    <>
      {address.slice(0, Math.max(0, at))}
      <wbr />
      {address.slice(Math.max(0, at))}
    </>
  )
}

/** The user name for password managers; hidden and not focusable. */
export function UserNameForManagers({ email }: { email: string }) {
  return <input type="email" name="username" autocomplete="username" value={email} readOnly hidden />
}
