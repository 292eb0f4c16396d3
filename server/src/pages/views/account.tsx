import { sectionNames, type SectionName } from '../frame/account-path.js'
import { HostedPage, toDocument, type Frame } from '../frame/layout.js'
import { Person } from '../frame/person.js'

/** The first page of one's own account. */
interface AccountPage {
  readonly frame: Frame
  readonly email: string
  readonly addressOf: (section: SectionName) => string
  /** Whether the organization lets its users sign in with a password. */
  readonly isPasswordOffered: boolean
}

/** Leads to the sections. */
export function accountPage({ frame, email, addressOf, isPasswordOffered }: AccountPage): string {
  const { texts } = frame
  const words = texts.account
  const shown = sectionNames.filter((name) => name !== 'password' || isPasswordOffered)
  const links = shown.map((name) => ({ ...words.sections[name], url: addressOf(name) }))
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
