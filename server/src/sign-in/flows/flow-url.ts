import { issuerOf } from '../../tokens/claims.js'

/** The address of a sign-in on our pages, which shows what is next in it. */
export function flowUrl(baseUrl: string, domain: string, flowId: string): string {
  return `${issuerOf(baseUrl, domain)}/sign-in/${flowId}`
}
