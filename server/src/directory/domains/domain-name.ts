import type { Environment } from '@portico/contract/fields'
import { domainName } from '@portico/contract/fields'
import { isIP } from 'node:net'
import { domainToASCII } from 'node:url'
import { parse } from 'tldts'
import { invalid } from '../../platform/errors.js'
import { publicMailDomains } from '../../platform/public-mail-domains.js'

const Name = domainName()

/** Ends of names that are in no public zone (RFC 6761, RFC 6762, RFC 7686, ICANN's .internal). */
const reservedEnds = new Set(['local', 'localhost', 'internal', 'arpa', 'onion'])
/** Ends of names for tests and documents (RFC 2606): of use in the sandbox alone. */
const exampleEnds = new Set(['test', 'example', 'invalid'])
/** Of these, the ends that the sandbox takes as proved, so that everything can be tried without a zone. */
const provedEnds = new Set(['test', 'example'])

/**
 * The A-label form of a domain that an organization may have.
 *
 * @param isDeclared Names that no zone can prove are taken where the account answers for them.
 * @throws ApiError `invalid_parameters` with the code `address`, `single_label`, `invalid`, `public_suffix`, `public_mail` or
 *   `reserved`.
 */
export function readDomainName(
  text: string,
  { environment, isDeclared }: { readonly environment: Environment; readonly isDeclared: boolean },
): string {
  const trimmed = text.trim().replace(/\.$/, '')
  if (/[@/:\s]/.test(trimmed) || isIP(trimmed) !== 0)
    throw refused('address', 'must be a domain such as example.com, without a user, scheme or path')
  const { data: name } = Name.safeParse(domainToASCII(trimmed))
  if (name === undefined)
    throw /^[^.]+$/.test(trimmed)
      ? refused('single_label', 'must have a dot, such as example.com')
      : refused('invalid', 'must be a domain such as example.com')
  // An address in another notation, such as 127.1.
  if (isIP(name) !== 0) throw refused('address', 'must be a domain, and not an address')
  checkOwnable(name)
  if (!isDeclared) checkProvable(name, environment)
  return name
}

function checkOwnable(name: string): void {
  if (publicMailDomains.has(name))
    throw refused('public_mail', 'must not be of a mail provider whose mailboxes anybody can get')
  if (parse(name, { allowPrivateDomains: true }).publicSuffix === name)
    throw refused('public_suffix', 'must not be a public suffix, under which anybody can have a domain')
}

function checkProvable(name: string, environment: Environment): void {
  const end = endOf(name)
  if (reservedEnds.has(end) || (environment === 'production' && exampleEnds.has(end)))
    throw refused('reserved', `must not end in .${end}, which no public zone has`)
}

/** Whether the sandbox takes a name as proved, because it cannot be anybody's. */
export function isProvedAtOnce(name: string, environment: Environment): boolean {
  return environment === 'sandbox' && provedEnds.has(endOf(name))
}

function endOf(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1)
}

function refused(code: string, message: string) {
  return invalid('domain', code, message)
}
