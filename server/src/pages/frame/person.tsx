import { displayName } from '../../platform/display-name.js'
import { Form } from './form.js'
import type { PageForm } from './step-page.js'
import type { PageTexts } from '../texts/en.js'

/** The longest address there is (RFC 5321 section 4.5.3.1.3). */
const maxAddressLength = 254

/** An address as somebody typed it, safe to show: whole, because the end of an address is what tells it from another. */
export function displayAddress(email: string): string {
  return displayName(email, maxAddressLength)
}

/** Whose sign-in it is, and, with a form, the way back to another address. */
export function Person({ texts, email, form }: { texts: PageTexts; email: string; form?: PageForm }) {
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
            <>
              {texts.change}
              <span class="unseen"> {texts.changeWhat}</span>
            </>
          }
        />
      )}
    </div>
  )
}

/** Breaks, where it has to, before the @ first. */
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

/** Whose password it is, for password managers; nobody sees it or gets there by key. */
export function UserNameForManagers({ email }: { email: string }) {
  return <input type="email" name="username" autocomplete="username" value={email} readOnly hidden />
}
