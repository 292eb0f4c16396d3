import { accountIssuerOf } from '../../tokens/issuer.js'

/** The path of an account flow, which shows its next step. */
export function accountFlowPath(accountDomain: string, flowId: string): string {
  return `/a/${accountDomain}/sign-in/${flowId}`
}

/** The address of the page that takes the link of an account flow. */
export function emailLinkUrl(baseUrl: string, accountDomain: string, token: string): string {
  return `${accountIssuerOf(baseUrl, accountDomain)}/email-link?token=${token}`
}
