const etags = new WeakMap<object, string>()

export function rememberEtag(record: object, etag: string): void {
  etags.set(record, etag)
}

/**
 * The ETag of a record, for `ifMatch`. It is kept beside the record, so that comparing, copying and printing a record show
 * exactly the service's answer.
 *
 * @throws TypeError when the object is not itself an answer with an ETag: returning undefined would make a conditional
 *   change unconditional.
 * @example
 * ```ts
 * const webhook = await client.webhooks.get({ webhook_id: 'w1' })
 * await client.webhooks.update({ webhook_id: 'w1', active: false }, { ifMatch: etagOf(webhook) })
 * ```
 */
export function etagOf(record: object): string {
  const etag = etags.get(record)
  if (etag === undefined)
    throw new TypeError('only a record as an operation answered it has an ETag, not a copy')
  return etag
}
