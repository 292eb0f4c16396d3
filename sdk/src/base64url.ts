/** Decodes base64url; undefined unless the text is in canonical form (RFC 4648 section 3.5). */
export function bytesOf(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^[\w-]*$/.test(text) || text.length % 4 === 1) return undefined
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  const bytes = new Uint8Array(binary.length)
  for (let index = 0; index < bytes.length; index += 1) bytes[index] = binary.charCodeAt(index)
  // The last group alone has bits that decoding leaves out.
  const rest = bytes.subarray(bytes.length - (bytes.length % 3))
  return base64urlOf(rest) === text.slice(text.length - (text.length % 4)) ? bytes : undefined
}

export function base64urlOf(bytes: Uint8Array): string {
  let binary = ''
  for (const byte of bytes) binary += String.fromCharCode(byte)
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
}
