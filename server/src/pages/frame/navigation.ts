/**
 * Whether the request is a top-level navigation, not a load by a page of another site (Fetch Metadata Request Headers,
 * section 2). Requests without the header pass: older browsers, and browsers on plain HTTP.
 */
export function isNavigation({
  headers,
}: {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
}): boolean {
  return (headers['sec-fetch-dest'] ?? 'document') === 'document'
}
