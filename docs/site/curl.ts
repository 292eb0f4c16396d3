import type { ApiDocument } from '@portico/contract/openapi'
import type { PlacedOperation } from '../operations.js'

/** A call of an operation for the command line. The token is in the variable TOKEN. */
export function curl(document: ApiDocument, operation: PlacedOperation): string {
  const [server] = document.servers
  const url = `${server?.url ?? ''}${withExamples(operation)}${requiredQuery(operation)}`
  const options = [
    ...(operation.security.length > 0 ? ['-H "Authorization: Bearer $TOKEN"'] : []),
    ...(takes(operation, 'Idempotency-Key') ? ['-H "Idempotency-Key: $(uuidgen)"'] : []),
    ...bodyOptions(operation),
  ]
  const method = operation.method === 'GET' ? 'curl' : `curl -X ${operation.method}`
  return [`${method} ${quoted(url)}`, ...options].join(' \\\n  ')
}

/** The path with an example in place of each parameter. */
function withExamples({ path, parameters = [], operationId }: PlacedOperation): string {
  return path.replace(/{(\w+)}/g, (_, name: string) => {
    const example = parameters.find(
      (parameter) => parameter.name === name && parameter.in === 'path',
    )?.example
    if (typeof example !== 'string' && typeof example !== 'number')
      throw new Error(`${operationId} has no example of ${name}`)
    return encodeURIComponent(String(example))
  })
}

function requiredQuery({ parameters = [] }: PlacedOperation): string {
  const names = parameters.filter((parameter) => parameter.in === 'query' && parameter.required === true)
  return names.length > 0
    ? `?${names.map(({ name, example }) => `${name}=${String(example)}`).join('&')}`
    : ''
}

function takes({ parameters = [] }: PlacedOperation, header: string): boolean {
  return parameters.some(({ name }) => name === header)
}

/** A form for the token endpoints, as OAuth has it; JSON for the rest. */
function bodyOptions({ requestBody, tags }: PlacedOperation): string[] {
  const example = requestBody?.content['application/json']?.example
  if (typeof example !== 'object' || example === null) return []
  if (tags.includes('OAuth'))
    return Object.entries(example).map(
      ([name, value]) => `--data-urlencode ${quoted(`${name}=${String(value)}`)}`,
    )
  return ['-H "Content-Type: application/json"', `-d ${quoted(JSON.stringify(example, null, 2))}`]
}

/** One word of a shell. */
function quoted(text: string): string {
  return /^[\w:/.@%-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}
