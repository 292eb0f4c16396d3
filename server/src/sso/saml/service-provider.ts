/** Our entity ID for a connection, which is also where our metadata are. */
export function entityIdOf(baseUrl: string, idpId: string): string {
  return `${baseUrl}/saml/${idpId}/metadata`
}

/** Where the identity provider of a connection posts its responses. One for each: no response can be for another. */
export function acsUrlOf(baseUrl: string, idpId: string): string {
  return `${baseUrl}/saml/${idpId}/acs`
}
