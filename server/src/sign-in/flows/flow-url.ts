import { issuerOf } from '../../tokens/claims.js'

/** The address of a flow, which shows its next step. */
export function flowUrl(baseUrl: string, domain: string, flowId: string): string {
  return `${issuerOf(baseUrl, domain)}/sign-in/${flowId}`
}
