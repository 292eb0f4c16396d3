import { scopes, type Scope } from '@portico/contract/access'
import { environments, type Environment } from '@portico/contract/fields'
import { signingAlgorithms } from '@portico/contract/applications'
import { InvalidArgumentError } from 'commander'
import type { Algorithm } from '../platform/crypto/jwt.js'

export function toEnvironment(text: string): Environment {
  const environment = environments.find((name) => name === text.toLowerCase())
  if (environment === undefined) throw new InvalidArgumentError('It is sandbox or production.')
  return environment
}

export function toAlgorithm(text: string): Algorithm {
  const algorithm = signingAlgorithms.find((name) => name === text.toUpperCase())
  if (algorithm === undefined) throw new InvalidArgumentError('It is ES256 or RS256.')
  return algorithm
}

export function toScopes(text: string): Scope[] {
  return toList(text).map((name) => {
    const scope = scopes.find((known) => known === name)
    if (scope === undefined)
      throw new InvalidArgumentError(
        `${name} is no scope; there are ${scopes.slice(0, 4).join(', ')} and so on.`,
      )
    return scope
  })
}

export function toList(text: string): string[] {
  return text.split(',').flatMap((item) => item.trim() || [])
}

/** A server, such as db-2.internal:5432. */
export function toServer(text: string): { readonly host: string; readonly port: number } {
  const [, host, port] = /^(.+):(\d{1,5})$/.exec(text) ?? []
  if (host === undefined) throw new InvalidArgumentError('It is a server such as db-2.internal:5432.')
  return { host, port: Number(port) }
}

export function toId(text: string): string {
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text))
    throw new InvalidArgumentError('It is a UUID.')
  return text.toLowerCase()
}

export function toCount(text: string): number {
  const count = Number(text.replaceAll('_', ''))
  if (!Number.isSafeInteger(count) || count < 0) throw new InvalidArgumentError('It is a whole number.')
  return count
}

const unitMs: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** A length of time such as 90s, 30m, 24h or 7d, in milliseconds. */
export function toDurationMs(text: string): number {
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? []
  const ms = unitMs[unit ?? '']
  if (ms === undefined) throw new InvalidArgumentError('It is a length of time such as 30m, 24h or 7d.')
  return Number(count) * ms
}

/** A moment: a date, a date and time, or a length of time from now. */
export function toMoment(text: string): { at: Date } | { afterMs: number } {
  if (/^\d+[smhd]$/.test(text)) return { afterMs: toDurationMs(text) }
  const ms = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(ms))
    throw new InvalidArgumentError('It is a date such as 2027-01-31, a time in UTC, or a length such as 90d.')
  return { at: new Date(ms) }
}
