/**
 * Reads fields of a multipart form by the platform's own parser. A file is decoded as UTF-8, and its name is the field
 * `<name>_name`: '' when none was chosen. Empty when the body is not a multipart form.
 */
export async function readMultipart(
  body: Uint8Array<ArrayBuffer>,
  contentType: string,
  names: readonly string[],
): Promise<Record<string, string>> {
  const form = await formDataOf(body, contentType)
  if (form === undefined) return {}
  const entries = names.map(async (name): Promise<(readonly [string, string])[]> => {
    const value = form.get(name)
    if (!(value instanceof File)) return [[name, value ?? '']]
    return [
      [name, await value.text()],
      [`${name}_name`, value.name],
    ]
  })
  return Object.fromEntries((await Promise.all(entries)).flat())
}

async function formDataOf(body: Uint8Array<ArrayBuffer>, contentType: string): Promise<FormData | undefined> {
  try {
    return await new Response(body, { headers: { 'content-type': contentType } }).formData()
  } catch (error) {
    // The platform throws a TypeError for a body that is not a form.
    if (error instanceof TypeError) return undefined
    throw error
  }
}
