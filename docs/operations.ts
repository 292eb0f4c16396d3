import type { ErrorCode } from '@portico/contract/errors'
import type { EventCode } from '@portico/contract/event-catalog'
import type { JsonSchema } from '@portico/contract/json-schema'
import type { ApiDocument, Operation } from '@portico/contract/openapi'

/** An operation of the document with its place and its answers found. */
export interface PlacedOperation extends Operation {
  method: string
  path: string
  success: { status: string; schema: JsonSchema; example?: object }
  /** Error codes by their status. */
  failures: { status: string; codes: readonly string[] }[]
}

export function operationsOf(document: ApiDocument): PlacedOperation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      method: method.toUpperCase(),
      path,
      ...outcomesOf(document, operation),
    })),
  )
}

function outcomesOf(document: ApiDocument, operation: Operation) {
  const answers = Object.entries(operation.responses).map(([status, answer]) => ({
    status,
    answer: '$ref' in answer ? document.components.responses[nameIn(answer.$ref)] : answer,
  }))
  const good = answers.find(({ status }) => Number(status) < 300)
  const content = good?.answer?.content?.['application/json']
  if (!good || !content) throw new Error(`${operation.operationId} has no success`)
  return {
    success: { status: good.status, ...content },
    failures: answers
      .filter(({ status }) => Number(status) >= 400)
      .map(({ status, answer }) => ({ status, codes: answer?.['x-error-codes'] ?? [] })),
  }
}

/** The last part of a reference, which is the name of a component. */
export function nameIn(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1)
}

/** The names of the operations that answer an error code, in the order of the document. */
export function namesAnswering(operations: readonly PlacedOperation[], code: ErrorCode): string[] {
  return operations
    .filter(({ failures }) => failures.some(({ codes }) => codes.includes(code)))
    .map(({ operationId }) => operationId)
}

/** The names of the operations whose success emits an event, in the order of the document. */
export function namesEmitting(operations: readonly PlacedOperation[], code: EventCode): string[] {
  return operations
    .filter((operation) => operation['x-emits']?.includes(code))
    .map(({ operationId }) => operationId)
}

/** A code of many operations is said in words; null when the operations are better listed. */
export function everyOperation(
  operations: readonly PlacedOperation[],
  names: readonly string[],
): string | null {
  if (names.length === 0) return 'Any request, before its operation is found.'
  if (names.length === operations.length) return 'Every operation.'
  const withKey = operations
    .filter(({ security }) => security.length > 0)
    .map(({ operationId }) => operationId)
  if (!withKey.every((name) => names.includes(name))) return null
  const others = names.filter((name) => !withKey.includes(name))
  return `${['Every operation that is called with an API key', ...others].join(', ')}.`
}
