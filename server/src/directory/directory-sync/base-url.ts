/** Where the provider of a directory asks. */
export function scimBaseUrl(baseUrl: string, directoryId: string): string {
  return `${baseUrl}/scim/v2/${directoryId}`
}
