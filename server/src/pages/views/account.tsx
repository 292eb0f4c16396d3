import { sectionNames, type SectionName } from '../frame/account-path.js'
import { HostedPage, toDocument, type Frame } from '../frame/layout.js'
import { Person } from '../frame/person.js'

/** The first page of one's own account. */
interface AccountPage {
  readonly frame: Frame
  readonly email: string
  readonly addressOf: (section: SectionName) => string
  /** What the user has in a section, in a word. */
  readonly states: Partial<Readonly<Record<SectionName, string>>>
  /** Sections that the organization does not offer to this user. */
  readonly hidden: readonly SectionName[]
}

/** Leads to the sections. */
export function accountPage({ frame, email, addressOf, states, hidden }: AccountPage): string {
  const { texts } = frame
  const words = texts.account
  const shown = sectionNames.filter((name) => !hidden.includes(name))
  const links = shown.map((name) => ({ ...words.sections[name], state: states[name], url: addressOf(name) }))
  return toDocument(
    <HostedPage frame={frame} title={words.heading}>
      <Person texts={texts} email={email} />
      <ul class="own-sections">
        {links.map(({ heading, sentence, state, url }) => (
          <li key={url}>
            <a href={url}>{heading}</a>
            {state !== undefined && <span class="quiet own-state">{state}</span>}
            <p class="quiet">{sentence}</p>
          </li>
        ))}
      </ul>
    </HostedPage>,
  )
}
