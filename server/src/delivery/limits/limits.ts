import { nilId } from '@portico/contract/fields'
import { fingerprints } from '../../platform/crypto/seal.js'
import type { PlatformDeps } from '../../platform/deps/deps.js'
import { ApiError, type LimitState } from '../../platform/errors.js'
import { networkOfClient } from '../../platform/outbound/address.js'
import { openCounter, type Count, type Policy } from './counter.js'
import { limitFailures, type FailureLimit } from './failures.js'

/** Whose limit: what somebody may do at one address of an organization. */
interface LimitedAddress {
  readonly accountId: string
  readonly environment: string
  /** Domain of the organization. */
  readonly domain: string
  /** A normalized e-mail address, a phone number, or the id of a user. */
  readonly address: string
}

/** The link of an invitation, at the network where it is opened. */
export interface OpenedLink {
  readonly accountId: string
  readonly linkId: string
  readonly ip: string
}

/** A text message to a user. */
interface CountedSms {
  readonly accountId: string
  readonly environment: string
  /** Domain of the organization. */
  readonly domain: string
  readonly userId: string
  readonly phoneNumber: string
}

/** An attempt to sign in, counted before it is looked at. */
export interface SignInAttempt {
  /** What every attempt at this point is told, whoever has the address and whatever was sent. */
  readonly state: LimitState
  /** Whatever was sent is to be answered as wrong. */
  readonly isLocked: boolean
  /**
   * The attempt was right: what was counted of the address is forgotten, and `state` says so. While it is locked
   * nothing is.
   */
  succeed(): Promise<void>
}

/** An attempt at a page, counted of the network that it came from. */
interface AttemptFrom {
  /** The attempt was right, and is not counted any more. */
  succeed(): Promise<void>
}

/** An organization, or without a domain the account, in an environment. */
interface Place {
  readonly accountId: string
  readonly environment: string
  readonly domain: string | undefined
}

/** What may be done how often, counted in the database for all processes. */
export interface Limits {
  /** @throws ApiError `rate_limited` when the organization has too many attempts. */
  attemptSignIn(at: LimitedAddress): Promise<SignInAttempt>
  /**
   * Counts an attempt at a page by where it comes from, whatever it is an attempt at, before it is looked at.
   *
   * @throws ApiError `rate_limited`
   */
  attemptFrom(ip: string): Promise<AttemptFrom>
  /**
   * Counts a sign-in that a browser begins by where it comes from.
   *
   * @throws ApiError `rate_limited`
   */
  takeFlowFrom(ip: string): Promise<LimitState>
  /**
   * The same of a request to an identity provider.
   *
   * @throws ApiError `rate_limited`
   */
  takeSamlRequestFrom(ip: string): Promise<LimitState>
  /**
   * Counts metadata that an administrator stores for a connection, of which others are told by mail.
   *
   * @throws ApiError `rate_limited`
   */
  takeMetadata(at: {
    readonly accountId: string
    readonly environment: string
    readonly connectionId: string
  }): Promise<LimitState>
  /**
   * Counts an issuer that an administrator enters for a connection, whose server we then ask.
   *
   * @throws ApiError `rate_limited`
   */
  takeIssuer(at: {
    readonly accountId: string
    readonly environment: string
    readonly connectionId: string
  }): Promise<LimitState>
  /**
   * Counts a secret that an administrator makes for a directory.
   *
   * @throws ApiError `rate_limited`
   */
  takeDirectorySecret(at: {
    readonly accountId: string
    readonly environment: string
    /** Domain of the organization. */
    readonly domain: string
  }): Promise<LimitState>
  /** Forgets the failed attempts at an address, whose owner has shown up in another way. */
  forgetAttempts(at: LimitedAddress): Promise<void>
  /** @throws ApiError `rate_limited` */
  takeMail(at: LimitedAddress): Promise<LimitState>
  /**
   * Counts a mail that somebody at a page has sent by where they are, whoever it goes to.
   *
   * @throws ApiError `rate_limited`
   */
  takeMailFrom(ip: string): Promise<LimitState>
  /**
   * Counts a code that is mailed to an administrator whose invitation is opened, by where it is opened: whoever else has
   * the link does not keep its owner out. Over all networks there is a limit that one alone cannot reach.
   *
   * @throws ApiError `rate_limited`
   */
  takeAdminCode(at: OpenedLink): Promise<LimitState>
  /**
   * Counts a code that is typed, in the same two ways, before it is looked at.
   *
   * @returns What to do when the code was right; undefined when whatever was typed is to be answered as wrong.
   * @throws ApiError `rate_limited` when the organization has too many attempts.
   */
  attemptAdminCode(at: OpenedLink & Omit<LimitedAddress, 'address'>): Promise<AttemptFrom | undefined>
  /**
   * Counts a text message by its user, by its number at the whole account, whose organizations are strangers to the
   * number's owner, and by the organization, which pays.
   *
   * @returns Where the user or the number stands, whichever is nearer to its end.
   * @throws ApiError `rate_limited`
   */
  takeSms(message: CountedSms): Promise<LimitState>
  /** Exchanges of codes and refresh tokens that fail, by network. */
  readonly failedGrants: FailureLimit
  /** SAML responses that are refused, by network and connection: any page can have its visitors post some. */
  readonly failedResponses: FailureLimit
  /**
   * SAML responses that are right, in the same way: an identity provider that answers without end fills no table, and is
   * refused then before anything is proved.
   */
  readonly provedResponses: FailureLimit
}

const minute = 60
const quarterHour = 15 * minute
const hour = 60 * minute
const day = 24 * hour

/** A code is good for ten minutes; whoever has the link could fill a mailbox with them. */
const adminCodesPerNetwork = 3
const adminCodeWindow = 10 * minute
/** Of one network there can be 18. */
const adminCodesPerHour = 30
/**
 * Of one network there can be some 50, as each lock lasts longer than the one before. In the 30 days of a link that is one
 * chance in 330 to guess six digits, for somebody with many networks of whom the owner hears thirty times an hour.
 */
const adminTriesPerDay = 100

/** A sign-in that begins at an identity provider has two responses: the one that nobody asked for, and the answer. */
const responsesOfSignIn = 2

/** Whoever sets a connection up uploads a few; each is mailed to every administrator. */
const metadataPerHour = 10
/** Whoever mistypes an issuer, or waits for their provider, tries again. */
const issuersPerHour = 30
const directorySecretsPerHour = 10

/** Opens the limits of sign-ins and messages; decision 14 says why they are what they are. */
export function openLimits(
  deps: Pick<PlatformDeps, 'config' | 'db' | 'now' | 'log' | 'keys' | 'metrics'>,
): Limits {
  const { attemptsPerAddress, attemptsPerMinute, lockSeconds, maxLockSeconds } = deps.config.limits
  const { mailsPerAddress, mailsPerIp, smsPerHour, smsPerOrganization } = deps.config.limits
  const signIns = policyOf('sign-in', attemptsPerAddress, quarterHour)
  const organizationSignIns = policyOf('organization-sign-in', attemptsPerMinute, minute)
  const mails = policyOf('mail', mailsPerAddress, quarterHour)
  const messages = policyOf('sms', smsPerHour, hour)
  const organizationMessages = policyOf('organization-sms', smsPerOrganization, hour)

  const attempts = openCounter(deps, signIns)
  const locks = openCounter(deps, policyOf('sign-in-lock', Number.MAX_SAFE_INTEGER, day))
  const organizationAttempts = openCounter(deps, organizationSignIns)
  const countMail = counting(mails)
  const networkSignIns = policyOf('ip-sign-in', deps.config.limits.attemptsPerIp, quarterHour)
  const networkAttempts = openCounter(deps, networkSignIns)
  const countMailFrom = countingByNetwork('ip-mail', mailsPerIp, hour)
  const countFlowFrom = countingByNetwork('ip-flow', deps.config.limits.flowsPerIp, quarterHour)
  const countSamlRequestFrom = countingByNetwork(
    'ip-saml-request',
    deps.config.limits.flowsPerIp,
    quarterHour,
  )
  const countMetadata = counting(policyOf('sso-metadata', metadataPerHour, hour))
  const countIssuer = counting(policyOf('sso-issuer', issuersPerHour, hour))
  const countDirectorySecret = counting(policyOf('directory-secret', directorySecretsPerHour, hour))
  const countAdminCode = counting(policyOf('admin-code', adminCodesPerNetwork, adminCodeWindow))
  const countAdminCodesOfLink = counting(policyOf('admin-code-link', adminCodesPerHour, hour))
  const adminTries = openCounter(deps, policyOf('admin-code-tries', adminTriesPerDay, day))
  const countSms = counting(messages)
  const countOrganizationSms = counting(organizationMessages)

  /** Who is counted is told by digests alone, which without a master key nobody can make or look up. */
  function keyOf({ accountId, environment, domain }: Place, address?: string): string {
    const context = { purpose: 'limit', scope: accountId, aad: 'rate_limits.key' }
    const whose = JSON.stringify([environment, domain, address])
    return fingerprints(deps.keys.master, context, whose)[0].toString('base64url')
  }

  /** @returns What counts one more at a place, and refuses it when it is one too many. */
  function counting(policy: Policy): (at: Place, address?: string) => Promise<LimitState> {
    const counter = openCounter(deps, policy)
    return async (at, address) => {
      const counted = await counter.add(keyOf(at, address))
      checkWithin(policy, counted)
      return stateOf(policy, counted)
    }
  }

  /** @returns What counts one more of a network, for all accounts together. */
  function countingByNetwork(
    name: string,
    limit: number,
    windowSeconds: number,
  ): (ip: string) => Promise<LimitState> {
    const count = counting(policyOf(name, limit, windowSeconds))
    return (ip) => count(anywhere, networkOfClient(ip))
  }

  async function attemptFrom(ip: string): Promise<AttemptFrom> {
    const key = keyOf(anywhere, networkOfClient(ip))
    checkWithin(networkSignIns, await networkAttempts.add(key))
    return { succeed: () => networkAttempts.takeBack(key) }
  }

  async function takeSms({ userId, phoneNumber, ...organization }: CountedSms): Promise<LimitState> {
    const ofUser = await countSms(organization, userId)
    const ofNumber = await countSms({ ...organization, domain: undefined }, phoneNumber)
    // Last, so that one user who is refused does not use up what others may be sent.
    await countOrganizationSms(organization)
    return ofNumber.remaining < ofUser.remaining ? ofNumber : ofUser
  }

  async function attemptSignIn(at: LimitedAddress): Promise<SignInAttempt> {
    // First, so that what is refused here does not count at the address, whose owner may be somebody else.
    checkWithin(organizationSignIns, await organizationAttempts.add(keyOf(at)))
    const key = keyOf(at, at.address)
    const counted = await attempts.add(key)
    // Of attempts at once one alone is the last that is looked at; it locks the address, so that nobody waits for a next.
    const isLast = counted.count === signIns.limit
    let state = stateOf(signIns, isLast ? { ...counted, resetSeconds: await lock(key) } : counted)
    const isLocked = counted.count > signIns.limit
    return {
      get state() {
        return state
      },
      isLocked,
      async succeed() {
        if (isLocked) return
        await forgetAttempts(at)
        state = stateOf(signIns, { count: 0, resetSeconds: signIns.windowSeconds })
      },
    }
  }

  async function takeAdminCode({ accountId, linkId, ip }: OpenedLink): Promise<LimitState> {
    const account = { accountId, environment: '', domain: undefined }
    const state = await countAdminCode(account, `${linkId} ${networkOfClient(ip)}`)
    // Last, so that what one network is refused does not use up what is left for others.
    await countAdminCodesOfLink(account, linkId)
    return state
  }

  async function attemptAdminCode({
    linkId,
    ip,
    ...organization
  }: OpenedLink & Omit<LimitedAddress, 'address'>): Promise<AttemptFrom | undefined> {
    const address = `sso_admin_link:${linkId} ${networkOfClient(ip)}`
    const attempt = await attemptSignIn({ ...organization, address })
    if (attempt.isLocked) return undefined
    const { count } = await adminTries.add(keyOf(organization, linkId))
    return count > adminTriesPerDay ? undefined : attempt
  }

  /** Locks an address, for twice as long as the last time. */
  async function lock(key: string): Promise<number> {
    const { count } = await locks.add(key)
    const seconds = Math.min(lockSeconds * 2 ** (count - 1), maxLockSeconds)
    await attempts.lock(key, seconds)
    return seconds
  }

  async function forgetAttempts(at: LimitedAddress): Promise<void> {
    const key = keyOf(at, at.address)
    await Promise.all([attempts.forget(key), locks.forget(key)])
  }

  /** @returns What counts failures of a network, for all accounts together. */
  function countingFailures(policy: Policy): FailureLimit {
    return limitFailures(deps, openCounter(deps, policy), policy, {
      keyOf: (network) => keyOf({ accountId: nilId, environment: '', domain: undefined }, network),
      refuse: (counted) => {
        const limit = stateOf(policy, counted)
        throw new ApiError('rate_limited', { limit, retryAfterSeconds: counted.resetSeconds })
      },
    })
  }

  return {
    failedGrants: countingFailures(policyOf('grant', deps.config.limits.failedGrantsPerMinute, minute)),
    failedResponses: countingFailures(
      policyOf('saml-response', deps.config.limits.samlFailuresPerIp, quarterHour),
    ),
    provedResponses: countingFailures(
      policyOf('saml-response-proved', deps.config.limits.flowsPerIp * responsesOfSignIn, quarterHour),
    ),
    attemptSignIn,
    attemptFrom,
    forgetAttempts,
    takeMail: (at) => countMail(at, at.address),
    takeMailFrom: countMailFrom,
    takeAdminCode,
    attemptAdminCode,
    takeFlowFrom: countFlowFrom,
    takeSamlRequestFrom: countSamlRequestFrom,
    takeMetadata: ({ accountId, environment, connectionId }) =>
      countMetadata({ accountId, environment, domain: undefined }, connectionId),
    takeIssuer: ({ accountId, environment, connectionId }) =>
      countIssuer({ accountId, environment, domain: undefined }, connectionId),
    takeDirectorySecret: (organization) => countDirectorySecret(organization, ''),
    takeSms,
  }
}

/** The place of networks, which are those of all accounts. */
const anywhere: Place = { accountId: '', environment: '', domain: undefined }

function policyOf(name: string, limit: number, windowSeconds: number): Policy {
  return { name, limit, windowSeconds }
}

function checkWithin(policy: Policy, counted: Count): void {
  if (counted.count > policy.limit) throw new ApiError('rate_limited', { limit: stateOf(policy, counted) })
}

function stateOf(policy: Policy, { count, resetSeconds }: Count): LimitState {
  const remaining = Math.max(policy.limit - count, 0)
  const { name, limit, windowSeconds } = policy
  return {
    name,
    limit,
    windowSeconds,
    remaining,
    resetSeconds,
    ...(remaining === 0 && { retryAfterSeconds: resetSeconds }),
  }
}
