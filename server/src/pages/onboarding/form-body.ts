/**
 * Some fields of a form with a file in it, by the platform's own reader of multipart bodies; a file is read as UTF-8.
 * Nothing where it is no such form.
 */
export async function readMultipart(
  body: Uint8Array<ArrayBuffer>,
  contentType: string,
  names: readonly string[],
): Promise<Record<string, string>> {
  const form = await formDataOf(body, contentType)
  if (form === undefined) return {}
  const entries = names.map(async (name) => {
    const value = form.get(name)
    return [name, value instanceof Blob ? await value.text() : (value ?? '')] as const
  })
  return Object.fromEntries(await Promise.all(entries))
}

async function formDataOf(body: Uint8Array<ArrayBuffer>, contentType: string): Promise<FormData | undefined> {
  try {
    return await new Response(body, { headers: { 'content-type': contentType } }).formData()
  } catch (error) {
    // How the platform says that a body is no form.
    if (error instanceof TypeError) return undefined
    throw error
  }
}
