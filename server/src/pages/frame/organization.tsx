import { displayName } from '../../platform/display-name.js'
import type { PageOwner } from './page-owner.js'

interface Props {
  readonly organization: PageOwner | undefined
  readonly productName: string
}

/**
 * The organization of the page: its logo, or its initial and name. A wide logo contains the name; an icon stands beside
 * it. If a logo fails to load, its alternative text is the name, and a script shows the initial.
 */
export function Organization({ organization, productName }: Props) {
  const name = displayName(organization?.name ?? productName)
  const logo = logoOf(organization)
  return (
    <p class="organization">
      {logo !== undefined && (
        <img
          class={logo.hasName ? 'logo wide' : 'logo'}
          src={logo.url}
          alt={logo.hasName ? name : ''}
          referrerpolicy="no-referrer"
          decoding="async"
          data-logo=""
        />
      )}
      <span class="monogram" aria-hidden="true" hidden={logo !== undefined}>
        {initialOf(name)}
      </span>
      <span hidden={logo?.hasName === true}>
        <bdi>{name}</bdi>
      </span>
    </p>
  )
}

interface Logo {
  readonly url: string
  readonly hasName: boolean
}

/** The logo that a page shows: the wide one, else the icon; undefined when neither is an https address. */
export function logoOf(organization: Props['organization']): Logo | undefined {
  const { inline_logo_url: inline, icon_logo_url: icon } = organization ?? {}
  if (isHttps(inline)) return { url: inline, hasName: true }
  if (isHttps(icon)) return { url: icon, hasName: false }
  return undefined
}

/** Whether a page may show this address of an organization. The API accepts only https; a row may be older. */
export function isHttps(url: string | null | undefined): url is string {
  return url != null && URL.canParse(url) && new URL(url).protocol === 'https:'
}

/** The first letter of a name, as a logo stands for it. */
export function initialOf(name: string): string {
  const [first = ''] = name
  return first.toLocaleUpperCase()
}
