import { sectionNames, type SectionName } from '../frame/account-path.js'
import { HostedPage, toDocument, type Frame } from '../frame/layout.js'
import { Person } from '../frame/person.js'

/** The first page of one's own account. */
interface AccountPage {
  readonly frame: Frame
  readonly email: string
  readonly addressOf: (section: SectionName) => string
  readonly sessionsUrl: string
  /** Whether the organization lets its users sign in with a password. */
  readonly isPasswordOffered: boolean
  /** Whether the user may have passkeys. */
  readonly arePasskeysOffered: boolean
}

/** Leads to the sections. */
export function accountPage({
  frame,
  email,
  addressOf,
  sessionsUrl,
  isPasswordOffered,
  arePasskeysOffered,
}: AccountPage): string {
  const { texts } = frame
  const words = texts.account
  const isShown = (name: SectionName) =>
    (name !== 'password' || isPasswordOffered) && (name !== 'passkeys' || arePasskeysOffered)
  const shown = sectionNames.filter(isShown)
  const links = [
    ...shown.map((name) => ({ ...words.sections[name], url: addressOf(name) })),
    { ...words.sessions, url: sessionsUrl },
  ]
  return toDocument(
    <HostedPage frame={frame} title={words.heading}>
      <Person texts={texts} email={email} />
      <ul class="own-sections">
        {links.map(({ heading, sentence, url }) => (
          <li key={url}>
            <a href={url}>{heading}</a>
            <p class="quiet">{sentence}</p>
          </li>
        ))}
      </ul>
    </HostedPage>,
  )
}
