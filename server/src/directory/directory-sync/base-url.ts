/** The SCIM base URL of a directory. */
export function scimBaseUrl(baseUrl: string, directoryId: string): string {
  return `${baseUrl}/scim/v2/${directoryId}`
}
