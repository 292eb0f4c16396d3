/** Our entity ID for a connection, which is also the address of our metadata. */
export function entityIdOf(baseUrl: string, idpId: string): string {
  return `${baseUrl}/saml/${idpId}/metadata`
}

/** The address to which the identity provider of a connection posts. Each connection has its own: no response fits another. */
export function acsUrlOf(baseUrl: string, idpId: string): string {
  return `${baseUrl}/saml/${idpId}/acs`
}
