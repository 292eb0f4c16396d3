/** An object of JSON, read member by member. */
export type Json = Readonly<Record<string, unknown>>

export function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The object in a text; empty where the text is something else. */
export function jsonOf(text: string): Json {
  try {
    const value: unknown = JSON.parse(text)
    return isJson(value) ? value : {}
  } catch {
    return {}
  }
}

/** A member that is text; else empty. */
export function textOf(json: Json, name: string): string {
  const value = json[name]
  return typeof value === 'string' ? value : ''
}

/** A member that is a list of texts; else empty. */
export function listOf(json: Json, name: string): readonly string[] {
  const value = json[name]
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : []
}
