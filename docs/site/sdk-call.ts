import type { PlacedOperation } from '../operations.js'

/**
 * A call of an operation with the SDK; a test compiles each.
 *
 * @param caller What a program calls the object that has the operations.
 */
export function sdkCall(
  { operationId, parameters = [], requestBody }: PlacedOperation,
  caller: string,
): string {
  const required = parameters.filter(
    ({ in: place, required: isRequired }) => place === 'path' || (place === 'query' && isRequired === true),
  )
  const example = requestBody?.content['application/json']?.example
  const input = {
    ...Object.fromEntries(required.map(({ name, example: value }) => [name, value])),
    ...(typeof example === 'object' && example !== null ? example : {}),
  }
  const args = Object.keys(input).length === 0 ? '' : literal(input, 0)
  return `const answer = await ${caller}.${operationId}(${args})`
}

/** A value as TypeScript in the style of this repository. */
function literal(value: unknown, depth: number): string {
  const indent = '  '.repeat(depth + 1)
  const end = '  '.repeat(depth)
  if (Array.isArray(value)) return `[${value.map((each) => literal(each, depth)).join(', ')}]`
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).map(
      ([name, member]) => `${indent}${key(name)}: ${literal(member, depth + 1)},\n`,
    )
    return members.length === 0 ? '{}' : `{\n${members.join('')}${end}}`
  }
  return typeof value === 'string' ? quoted(value) : JSON.stringify(value)
}

function key(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? name : quoted(name)
}

function quoted(text: string): string {
  return `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
}
