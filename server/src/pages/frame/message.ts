import { en, type PageTexts } from '../texts/en.js'
import type { PageSentence } from '../texts/page-sentence.js'
import { toAccountPath } from './account-path.js'
import type { Frame } from './layout.js'

/** The texts that are a whole page. */
export type MessageName = {
  [Name in keyof PageTexts]: PageTexts[Name] extends PageSentence ? Name : never
}[keyof PageTexts]

export function isMessageName(name: string): name is MessageName {
  return messageNames.has(name)
}

const messageNames: ReadonlySet<string> = new Set(
  Object.entries(en)
    .filter(([, text]) => typeof text === 'object' && 'sentence' in text && 'advice' in text)
    .map(([name]) => name),
)

/** The pages of a message: of an organization, and of none. */
export const messagePaths = ['/t/:org_domain/message/:name', '/message/:name']

/**
 * The address of a message, which has the same text for everybody. Pages that cannot be shown again, because a link cannot
 * repeat a POST or a secret is consumed, have their other languages there.
 */
export function messageUrl(
  { organization, isSandbox }: Pick<Frame, 'organization' | 'isSandbox'>,
  name: MessageName | DoneName,
  reference?: string,
): string {
  const root = organization === undefined || organization.root === 'a' ? '' : `/t/${organization.domain}`
  const parameters = new URLSearchParams({
    ...(reference !== undefined && { reference }),
    ...(isSandbox && { environment: 'sandbox' }),
  })
  return `${root}/message/${name}${parameters.size === 0 ? '' : `?${parameters.toString()}`}`
}

/** The messages that advise to sign in. */
const signInNames: readonly MessageName[] = ['emailBack', 'emailBackOverruled']

/** The link on a message that advises to sign in: to the account page, at which a sign-in begins. */
export function signInLinkOf(
  { organization, isSandbox, texts }: Pick<Frame, 'organization' | 'isSandbox' | 'texts'>,
  name: MessageName,
): { readonly label: string; readonly url: string } | undefined {
  if (organization === undefined || organization.root === 'a' || !signInNames.includes(name)) return undefined
  const { domain } = organization
  const environment = isSandbox ? 'sandbox' : 'production'
  const url = toAccountPath({ domain, section: undefined, environment, locale: texts.lang })
  return { label: texts.emailLink.signIn, url }
}

/** Pages after something that has succeeded and cannot be repeated. */
export const doneNames = ['signed-out', 'password-set'] as const
export type DoneName = (typeof doneNames)[number]
