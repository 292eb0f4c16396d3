import type { Service } from './harness.js'

/** Has a user come by a connection from now on, whatever the domain of their address. */
export async function comeBySso(
  service: Service,
  { userId, idpId }: { readonly userId: string; readonly idpId: string },
): Promise<void> {
  const [user] = await service.query<Record<'account_id' | 'environment' | 'organization_id', string>>(
    'select account_id, environment, organization_id from users where id = $1',
    [userId],
  )
  // With values, since a cluster does not take each text of one with a select.
  await service.query(
    `insert into user_identities (account_id, environment, organization_id, user_id, id, kind, issuer, subject, idp_id,
       provider, data, authenticated_at, has_created_user, inserted_at)
     values ($1, $2, $3, $4::uuid, $4::uuid, 'oidc', 'https://idp.example', $4::uuid::text, $5, 'oidc.test', '{}', now(), false, now())`,
    [user?.account_id, user?.environment, user?.organization_id, userId, idpId],
  )
}
