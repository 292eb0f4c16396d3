import { decodeJwt } from '../../platform/crypto/jwt.js'
import {
  clientCredentialsOf,
  type PresentedCredentials,
} from '../../protocols/oauth/client-authentication.js'
import { readRefreshToken } from '../../protocols/oauth/refresh-family.js'
import type { AskedKey } from './holds-key.js'

type Form = Readonly<Record<string, string | undefined>>

/** The forms with which a client names itself and what it has, in the order in which they decide. */
export function keysOfForm(authorization: string | undefined, form: Form): AskedKey[] {
  const { clientId, assertion } = credentialsOf(authorization, form)
  const client = clientId ?? decodeJwt(assertion ?? '')?.claims.iss
  const domain = form['domain'] ?? form['tenant_domain'] ?? form['audience']
  const issuer = domainOfIssuer(decodeJwt(form['token'] ?? '')?.claims.iss)
  return [
    ...(typeof client === 'string' ? [{ kind: 'client' as const, id: client }] : []),
    ...[domain, issuer].flatMap((name) =>
      name === undefined ? [] : [{ kind: 'domain' as const, id: name }],
    ),
    ...[form['code'], handleOf(form['refresh_token']), handleOf(form['token'])].flatMap((secret) =>
      secret === undefined ? [] : [{ kind: 'secret' as const, secret }],
    ),
  ]
}

/** What cannot be read is refused by whichever database. */
function credentialsOf(
  authorization: string | undefined,
  form: Form,
): Pick<PresentedCredentials, 'clientId' | 'assertion'> {
  try {
    return clientCredentialsOf(authorization, form)
  } catch {
    return { clientId: undefined, assertion: undefined }
  }
}

/** The issuers of an organization and of an account have its domain in their path. */
function domainOfIssuer(issuer: unknown): string | undefined {
  return /\/[ta]\/([a-z0-9-]+)$/.exec(typeof issuer === 'string' ? issuer : '')?.[1]
}

function handleOf(token: string | undefined): string | undefined {
  return readRefreshToken(token ?? '')?.handle
}
