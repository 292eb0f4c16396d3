import { environments, type Environment } from '@portico/contract/fields'

/** The pages of the account page, by the end of their paths. */
export const sectionNames = [
  'profile',
  'email',
  'password',
  'second-factor',
  'passkeys',
  'linked',
  'sessions',
  'data',
  'delete',
] as const
export type SectionName = (typeof sectionNames)[number]

/** A place of the account page. */
export interface AccountPlace {
  /** Of the organization. */
  readonly domain: string
  /** Undefined: the first page. */
  readonly section: SectionName | undefined
  readonly environment: Environment
  readonly locale: string | undefined
  /** Where the visitor says to have come from; undefined: from nowhere. Each page that leads there checks it. */
  readonly cameFrom?: CameFrom | undefined
}

/** An application, and an address of it. */
export interface CameFrom {
  readonly clientId: string
  readonly returnTo: string
}

export function isSectionName(text: string): text is SectionName {
  return sectionNames.some((name) => name === text)
}

export function toAccountPath({ domain, section, environment, locale, cameFrom }: AccountPlace): string {
  const path = section === undefined ? `/t/${domain}/account` : `/t/${domain}/account/${section}`
  const query = new URLSearchParams({
    environment,
    ...(locale !== undefined && { ui_locales: locale }),
    ...(cameFrom !== undefined && { client_id: cameFrom.clientId, return_to: cameFrom.returnTo }),
  })
  return `${path}?${query.toString()}`
}

/**
 * The place that a path names, as the state of a sign-in brings it back. Only what toAccountPath() has written is one, to the
 * letter, so that the path leads to no other page.
 */
export function fromAccountPath(text: unknown): AccountPlace | undefined {
  if (typeof text !== 'string') return undefined
  const [path = '', query] = text.split('?')
  const [, domain = '', section] = form.exec(path) ?? []
  const parameters = new URLSearchParams(query)
  const environment = environments.find((each) => each === parameters.get('environment'))
  if (environment === undefined || (section !== undefined && !isSectionName(section))) return undefined
  const place = {
    ...{ domain, section, environment },
    locale: parameters.get('ui_locales') ?? undefined,
    cameFrom: toCameFrom(parameters.get('client_id'), parameters.get('return_to')),
  }
  return toAccountPath(place) === text ? place : undefined
}

/** Undefined where one of the two is missing. */
export function toCameFrom(clientId: string | null, returnTo: string | null): CameFrom | undefined {
  return clientId === null || returnTo === null || clientId === '' || returnTo === ''
    ? undefined
    : { clientId, returnTo }
}

const form = /^\/t\/([a-z0-9-]{1,120})\/account(?:\/([a-z-]+))?$/
