import type { ResponseMode } from '@portico/contract/authorize'
import { toParameters, toRedirectUrl, type AnsweredParameters } from './complete-sign-in.js'

/** The answer to an authorization request, as the browser brings it to the application. */
export type AuthorizationAnswer =
  | { readonly mode: 'query'; readonly redirectUrl: string }
  | {
      readonly mode: 'form_post'
      /** Kept exactly, its query included. */
      readonly redirectUri: string
      readonly parameters: Readonly<Record<string, string>>
    }

/** Where an answer goes: a redirect URI that the application allows, and the response_mode of its request. */
interface AnswerDestination {
  readonly redirectUri: string
  readonly mode: ResponseMode
}

/** The answer, such as a code or an error, in the form that the application asked for. */
export function toAuthorizationAnswer(
  { redirectUri, mode }: AnswerDestination,
  answer: AnsweredParameters,
): AuthorizationAnswer {
  return mode === 'query'
    ? { mode, redirectUrl: toRedirectUrl(redirectUri, answer) }
    : { mode, redirectUri, parameters: toParameters(answer) }
}
