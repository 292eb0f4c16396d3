import { open, seal, SealError, type SealContext } from '../../platform/crypto/seal.js'
import type { Deps } from '../../delivery/deps.js'
import type { SentAnswer } from '../oidc/validate-answer.js'

/** An answer of a social provider. */
export interface SocialAnswer extends SentAnswer {
  /** What Apple says beside its token, once and unsigned: good for the name of a new user, and for nothing else. */
  readonly name?: PostedName | undefined
}

/** A name as the form has it. */
export interface PostedName {
  readonly given: string
  readonly family: string
}

/** For a browser that goes on at once. */
const lifetimeMs = 5 * 60 * 1000

/**
 * Keeps an answer that another site has posted, without the cookies of this one, until its browser comes back with it: sealed, in the address.
 * Nothing is stored for a form that anybody may send; the answer is good once, as its state is.
 */
export function sealAnswer(
  { keys, now }: Pick<Deps, 'keys' | 'now'>,
  providerId: string,
  answer: SocialAnswer,
): string {
  const kept = { ...answer, until: now().getTime() + lifetimeMs }
  return seal(keys.master, contextOf(providerId), JSON.stringify(kept)).toString('base64url')
}

/** The answer that a browser has brought back to the provider that it is of; undefined where it is none, or too late. */
export function openAnswer(
  { keys, now }: Pick<Deps, 'keys' | 'now'>,
  providerId: string,
  sealed: string,
): SocialAnswer | undefined {
  try {
    const opened = open(keys.master, contextOf(providerId), Buffer.from(sealed, 'base64url'))
    // Sealed by sealAnswer() only.
    const { until, ...answer } = JSON.parse(opened.toString()) as SocialAnswer & { readonly until: number }
    return until > now().getTime() ? answer : undefined
  } catch (error) {
    if (error instanceof SealError) return undefined
    throw error
  }
}

function contextOf(providerId: string): SealContext {
  return { purpose: 'social_answer', scope: providerId, aad: `callback:${providerId}` }
}

/** The name in the member `user` of a form of Apple; undefined where it says none. */
export function toPostedName(user: string): PostedName | undefined {
  try {
    const { firstName, lastName } = membersOf(membersOf(JSON.parse(user))['name'])
    const textOf = (part: unknown) => (typeof part === 'string' ? part.slice(0, maxNamePart) : '')
    return { given: textOf(firstName), family: textOf(lastName) }
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

const maxNamePart = 200
