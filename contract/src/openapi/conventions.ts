/** Conventions of every operation, as the documents publish them. Backquotes mark code. */
export const conventions: readonly { readonly title: string; readonly text: string }[] = [
  {
    title: 'Authentication',
    text:
      'Get a token with `POST /api/v2/oauth/token` and the `client_id` and `client_secret` of an API key, and send it as ' +
      '`Authorization: Bearer …`. It is valid for 3,600 seconds. A key belongs to one account and to one environment, ' +
      '`sandbox` or `production`, and has no access to the other. Each operation names the scope that the key must have.',
  },
  {
    title: 'Parameters',
    text:
      'A body is JSON or a urlencoded form of at most 100 kB (512 kB for metadata of an identity provider). Forms and query strings nest with brackets: ' +
      '`profile[given_name]=Ada`, `allowed_email_domains[]=a.example`; booleans and numbers are written as text. ' +
      'Members of a body, except secrets, may also be sent in the query string. Unknown members of a body are refused. ' +
      'PUT changes only the members that are sent: an absent member stays unchanged, null clears it, an array is replaced as a whole.',
  },
  {
    title: 'Answers',
    text:
      'Every record contains its type in `__type__` and the domain of its owner in `__domain__`. Times are RFC 3339 in UTC with milliseconds. ' +
      'New members can appear in answers at any time: ignore unknown ones.',
  },
  {
    title: 'Errors',
    text:
      'A failure returns `{"error": {"code", "message", "docs_url", "request_id"}}`; with 422, `fields` lists every invalid parameter. ' +
      'Programs should use `code`, which is stable; `message` is for people. Records that do not exist and records that the key may not see both return 404. ' +
      'The OAuth endpoints return errors in the format of RFC 6749 section 5.2.',
  },
  {
    title: 'Lists',
    text:
      'A list accepts `page` and `per_page` (default 25, at most 100) and returns the newest records first. ' +
      'Its `next_cursor`, sent as `after`, continues after the last record, unaffected by concurrent inserts. ' +
      'A filter that no record can match returns an empty list, never a wider one. Unknown parameters of a list are ignored, ' +
      'so check the spelling of filters; to find one user, get it by e-mail address.',
  },
  {
    title: 'Repeating a request',
    text:
      'Send an `Idempotency-Key` with a POST that creates a record. Repeating the request within 24 hours returns the same answer, ' +
      'with `Idempotent-Replayed: true`, and has no further effect.',
  },
  {
    title: 'Changing what you have read',
    text:
      'Answers with a record that can be changed have an `ETag`. Send it back as `If-Match` to change the record only if it is still at that version; ' +
      'otherwise the answer is 412. A read with `If-None-Match` and the ETag returns 304 if nothing has changed.',
  },
  {
    title: 'Reading what you have changed',
    text:
      'Where lists come from a replica of the database, the answer of a change has `Portico-Position`. Send it back with a list, and the list has the change; ' +
      'of changes that ran at once, up to 20 with commas. Without it a list may be a second old. The SDK does so by itself.',
  },
  {
    title: 'Limits',
    text:
      'With 429 and 503, `Retry-After` contains the number of seconds to wait. `X-Request-Id` in every answer identifies the request in the ' +
      'logs of the service; a request may send its own.',
  },
]
