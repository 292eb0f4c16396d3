/** Begins the names of the claims of WS-Federation. */
export const wsFederationClaim = 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims'

/** The names that AD FS, Auth0 and Entra ID send by themselves. */
export const wsFederationNames = {
  email: [`${wsFederationClaim}/emailaddress`],
  given_name: [`${wsFederationClaim}/givenname`],
  family_name: [`${wsFederationClaim}/surname`],
}

/** The names that the administrator enters in other consoles. */
export const samlNames = { email: ['email'], given_name: ['first_name'], family_name: ['last_name'] }
