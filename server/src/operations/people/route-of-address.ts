import type { Diagnosis } from '@portico/contract/people'
import { isCovered } from '../../directory/domains/authority.js'
import { domainOfEmail } from '../../platform/email.js'
import { methodOf, type SignInMethods } from '../../sign-in/flows/sign-in-methods.js'
import {
  connectionOfAddress,
  connectionsToChoose,
  isOpen,
  type AnyConnection,
} from '../../sso/sign-in/connection-of-address.js'
import type { Place } from './places-of-address.js'

/** By what the pages sign an address in. */
export interface Route {
  readonly method: Diagnosis['method']
  /** The open connection that the address is sent to. */
  readonly connection: AnyConnection | undefined
  /** The connection that it would be sent to, were it open. */
  readonly closed: AnyConnection | undefined
}

export function findRoute(
  place: Pick<Place, 'connections' | 'isSsoRequired' | 'hasPasskey' | 'hasSocialIdentity'>,
  methods: SignInMethods,
  email: string,
): Route {
  const { connections, isSsoRequired } = place
  const open = connections.filter(isOpen)
  const connection = connectionOfAddress(open, methods, email)
  if (connection !== undefined) return { method: 'sso', connection, closed: undefined }
  const method = methodOf(methods, null)
  const isChosen = connectionsToChoose(open, methods).length > 0
  // A button leads to the identity provider, whatever the address.
  if (isChosen && (isSsoRequired || method === undefined))
    return { method: 'sso', connection, closed: undefined }
  const closed =
    connectionOfAddress(connections, methods, email) ??
    (isSsoRequired ? connections.find((each) => isAuthoritative(each, email)) : undefined)
  return { method: isSsoRequired ? 'sso' : (method ?? methodBesides(place, methods)), connection, closed }
}

/** What the user of the address has, where the address itself leads nowhere. */
function methodBesides(
  { hasPasskey, hasSocialIdentity }: Pick<Place, 'hasPasskey' | 'hasSocialIdentity'>,
  methods: SignInMethods,
): Route['method'] {
  if (hasPasskey && methods.hasPasskey) return 'passkey'
  return hasSocialIdentity ? 'social' : null
}

function isAuthoritative({ authoritativeDomains }: AnyConnection, email: string): boolean {
  return isCovered(authoritativeDomains, domainOfEmail(email))
}
