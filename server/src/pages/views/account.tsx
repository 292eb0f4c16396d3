import { sectionNames, type SectionName } from '../frame/account-path.js'
import { HostedPage, toDocument, type Frame } from '../frame/layout.js'
import { Person } from '../frame/person.js'

/** The first page of one's own account. */
interface AccountPage {
  readonly frame: Frame
  readonly email: string
  readonly addressOf: (section: SectionName) => string
  /** Sections that the organization does not offer to this user. */
  readonly hidden: readonly SectionName[]
}

/** Leads to the sections. */
export function accountPage({ frame, email, addressOf, hidden }: AccountPage): string {
  const { texts } = frame
  const words = texts.account
  const shown = sectionNames.filter((name) => !hidden.includes(name))
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
