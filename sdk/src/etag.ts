const etags = new WeakMap<object, string>()

export function rememberEtag(record: object, etag: string): void {
  etags.set(record, etag)
}

/**
 * The ETag that came with a record, for `ifMatch`. It is kept beside the record and not in it, so that a record is
 * exactly what the service answered, also when it is compared, copied or printed.
 *
 * @throws TypeError when the object is not itself an answer with an ETag. Answering undefined instead would turn a
 *   conditional change into an unconditional one.
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
