import { addressInMail, toMessage, type Message, type Sender } from './frame.js'
import type { AdminCodeTexts, MailTexts } from './mail-texts.js'
import { styles } from './style.js'

interface AdminCodeMail extends Sender {
  /** Six digits. */
  readonly code: string
  /** How long it works. */
  readonly minutes: number
}

/** The mail with the code that an administrator types in the browser in which they have opened their invitation. */
export function adminCodeMail(mail: AdminCodeMail): Message {
  return codeMail(mail, ({ adminCode }) => adminCode)
}

/** The mail with the code that proves an address, typed in the browser of its sign-in. */
export function addressCodeMail(mail: AdminCodeMail): Message {
  return codeMail(mail, ({ addressCode }) => addressCode)
}

/** The mail with the code that proves the address which a user wants to have. */
export function newAddressCodeMail(mail: AdminCodeMail): Message {
  return codeMail(mail, ({ newAddressCode }) => newAddressCode)
}

interface OldAddressCodeMail extends AdminCodeMail {
  /** What the address is to be changed to, so that its owner sees it before they hand the code over. */
  readonly newAddress: string
}

/** The mail with the code that proves the address which a user has, before it is changed. */
export function oldAddressCodeMail({ newAddress, ...mail }: OldAddressCodeMail): Message {
  return codeMail(mail, ({ oldAddressCode: { instruction, ...words } }) => ({
    ...words,
    instruction: (organization) => instruction(organization, addressInMail(newAddress)),
  }))
}

function codeMail(mail: AdminCodeMail, wordsOf: (texts: MailTexts) => AdminCodeTexts): Message {
  const { code, minutes } = mail
  return toMessage(mail, (texts, organization) => {
    const words = wordsOf(texts)
    const instruction = words.instruction(organization)
    const lifetime = words.lifetime(minutes)
    return {
      // The code is not in it: a subject is read on locked screens.
      subject: words.subject(organization),
      preview: lifetime,
      text: [`${instruction}\n\n${code}`, lifetime, words.unexpected],
      children: (
        <>
          <p class="ink" style={styles.paragraph}>
            {instruction}
          </p>
          <p class="ink" style={styles.code}>
            <strong>{code}</strong>
          </p>
          <p class="ink" style={styles.paragraph}>
            {lifetime}
          </p>
          <p class="quiet rule" style={styles.last}>
            {words.unexpected}
          </p>
        </>
      ),
    }
  })
}
