/**
 * Whether somebody goes to the address, in a tab of their own, and no page of another site loads it behind their back
 * (Fetch Metadata Request Headers, section 2). Who does not say so is let pass: older browsers, and those by plain HTTP.
 */
export function isNavigation({
  headers,
}: {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
}): boolean {
  return (headers['sec-fetch-dest'] ?? 'document') === 'document'
}
