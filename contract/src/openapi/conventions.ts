/** Conventions of every operation, as the documents publish them. Backquotes mark code. */
export const conventions: readonly { readonly title: string; readonly text: string }[] = [
  {
    title: 'Authentication',
    text:
      'Get a token with `POST /api/v2/oauth/token` and the `client_id` and `client_secret` of an API key, and send it as ' +
      '`Authorization: Bearer …`. It lasts for 3,600 seconds. A key belongs to one account and to one environment, ' +
      '`sandbox` or `production`, and sees nothing of the other. An operation names the scope that the key must have.',
  },
  {
    title: 'Parameters',
    text:
      'A body is JSON or an urlencoded form of at most 100 kB (512 kB where metadata of an identity provider are sent). In forms and in query strings brackets nest: ' +
      '`profile[given_name]=Ada`, `allowed_email_domains[]=a.example`; true, false and numbers are written as words and digits. ' +
      'The members of a body may also come in the query string, secrets excepted. A member of a body that the operation does not know is refused. ' +
      'PUT changes what is sent: an absent member stays as it is, null clears it, an array is replaced.',
  },
  {
    title: 'Answers',
    text:
      'Every record names its type in `__type__` and what it belongs to in `__domain__`. Times are RFC 3339 in UTC with milliseconds. ' +
      'New members can appear in an answer at any time: ignore those you do not know.',
  },
  {
    title: 'Errors',
    text:
      'A failure answers `{"error": {"code", "message", "docs_url", "request_id"}}`; with 422 `fields` names every parameter at fault. ' +
      'Decide by `code`, which is stable; `message` is for people. What does not exist and what the key may not see are one answer, 404. ' +
      'The OAuth endpoints answer errors in the form of RFC 6749 section 5.2.',
  },
  {
    title: 'Lists',
    text:
      'A list takes `page` and `per_page`, 25 records unless asked otherwise and at most 100, newest first. ' +
      'Its `next_cursor`, sent as `after`, continues after the last record whatever is inserted meanwhile. ' +
      'A filter that no record can meet gives an empty list, never a wider one. A parameter that a list does not know is ignored, ' +
      'so check the spelling of filters; to find one user, get it by e-mail address.',
  },
  {
    title: 'Repeating a request',
    text:
      'Send an `Idempotency-Key` with a POST that creates something. The same request again within 24 hours gets the same answer, ' +
      'with `Idempotent-Replayed: true`, and has no further effect.',
  },
  {
    title: 'Changing what you have read',
    text:
      'Records that can be changed answer an `ETag`. Send it back as `If-Match`, and the change happens only if nobody was faster; ' +
      'otherwise the answer is 412. A read with `If-None-Match` and the ETag is 304 where nothing has changed.',
  },
  {
    title: 'Limits',
    text:
      'With 429 and 503, `Retry-After` says how many seconds to wait. `X-Request-Id` on every answer names the request in the ' +
      'logs of the service; send your own to have it used.',
  },
]
