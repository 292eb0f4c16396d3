const microsoft = 'https://login.microsoftonline.com'
/** The tenant of all personal accounts. */
export const personalTenant = '9188040d-6c67-4c5b-b112-36a304b66dad'

/** The issuer of the users that a tenant setting lets in; of more than one tenant it is a template, with a place for that of the user. */
export function microsoftIssuerOf(tenant: string): string {
  return `${microsoft}/${tenantOfIssuer(tenant)}/v2.0`
}

function tenantOfIssuer(tenant: string): string {
  if (tenant === 'common' || tenant === 'organizations') return '{tenantid}'
  return tenant === 'consumers' ? personalTenant : tenant
}

/** Where Microsoft answers for a tenant setting (Microsoft identity platform, OpenID configuration). */
export function microsoftEndpointsOf(tenant: string) {
  return {
    authorizationEndpoint: `${microsoft}/${tenant}/oauth2/v2.0/authorize`,
    tokenEndpoint: `${microsoft}/${tenant}/oauth2/v2.0/token`,
    jwksUri: `${microsoft}/${tenant}/discovery/v2.0/keys`,
  }
}
