import { environments, type Environment } from '@portico/contract/fields'

/** The pages of the account page, by the end of their paths. */
export const sectionNames = ['profile', 'password', 'second-factor', 'passkeys'] as const
export type SectionName = (typeof sectionNames)[number]

/** A place of the account page. */
export interface AccountPlace {
  /** Of the organization. */
  readonly domain: string
  /** Undefined: the first page. */
  readonly section: SectionName | undefined
  readonly environment: Environment
  readonly locale: string | undefined
}

export function isSectionName(text: string): text is SectionName {
  return sectionNames.some((name) => name === text)
}

export function toAccountPath({ domain, section, environment, locale }: AccountPlace): string {
  const path = section === undefined ? `/t/${domain}/account` : `/t/${domain}/account/${section}`
  return `${path}?environment=${environment}${locale === undefined ? '' : `&ui_locales=${locale}`}`
}

/**
 * The place that a path names, as the state of a sign-in brings it back. Only what toAccountPath() has written is one, to the
 * letter, so that the path leads to no other page.
 */
export function fromAccountPath(text: unknown): AccountPlace | undefined {
  if (typeof text !== 'string') return undefined
  const [, domain = '', section, environment, locale] = form.exec(text) ?? []
  const known = environments.find((each) => each === environment)
  if (known === undefined || (section !== undefined && !isSectionName(section))) return undefined
  return { domain, section, environment: known, locale }
}

const form =
  /^\/t\/([a-z0-9-]{1,120})\/account(?:\/([a-z-]+))?\?environment=([a-z]+)(?:&ui_locales=([a-z]{2}))?$/
