import type { Service } from './harness.js'

/** Has a user come by a connection from now on, whatever the domain of their address. */
export function comeBySso(
  service: Service,
  { userId, idpId }: { readonly userId: string; readonly idpId: string },
) {
  return service.query(
    `insert into user_identities (account_id, environment, organization_id, user_id, id, kind, issuer, subject, idp_id,
       provider, data, authenticated_at, has_created_user, inserted_at)
     select account_id, environment, organization_id, id, id, 'oidc', 'https://idp.example', $1::text, $2, 'oidc.test', '{}', now(), false, now()
     from users where id = $1::uuid`,
    [userId, idpId],
  )
}
