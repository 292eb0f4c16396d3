/**
 * Some fields of a form with a file in it, by the platform's own reader of multipart bodies; a file is read as UTF-8, and
 * its name is the field `<name>_name`: '' where none was chosen. Nothing where it is no such form.
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
    // How the platform says that a body is no form.
    if (error instanceof TypeError) return undefined
    throw error
  }
}
