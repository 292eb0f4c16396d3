import { toMessage, type Message, type Sender } from './frame.js'
import { styles } from './style.js'

interface AdminCodeMail extends Sender {
  /** Six digits. */
  readonly code: string
  /** How long it works. */
  readonly minutes: number
}

/** The mail with the code that an administrator types in the browser in which they have opened their invitation. */
export function adminCodeMail(mail: AdminCodeMail): Message {
  return codeMail(mail, 'adminCode')
}

/** The mail with the code that proves an address, typed in the browser of its sign-in. */
export function addressCodeMail(mail: AdminCodeMail): Message {
  return codeMail(mail, 'addressCode')
}

function codeMail(mail: AdminCodeMail, kind: 'adminCode' | 'addressCode'): Message {
  const { code, minutes } = mail
  return toMessage(mail, ({ [kind]: words }, organization) => {
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
