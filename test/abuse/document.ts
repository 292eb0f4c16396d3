import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import type { Schema } from './generated.js'
import { jsonOf, type Answer } from './target.js'

interface Media {
  readonly schema?: object
}

interface Declared {
  readonly $ref?: string
  readonly content?: Readonly<Record<string, Media>>
}

/** An operation of the OpenAPI document. */
export interface Operation {
  readonly operationId: string
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly schema: Schema }[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> }
  readonly responses: Readonly<Record<string, Declared>>
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: Readonly<Record<string, Readonly<Record<string, object>>>>
}

/** Reads the published document with a library independent of the contract. */
export function readDocument() {
  const url = new URL('../../docs/openapi.json', import.meta.url)
  const document = JSON.parse(readFileSync(url, 'utf8')) as Document
  const ajv = new Ajv2020({ strict: false, allErrors: true, inlineRefs: false })
  formats.default(ajv)
  ajv.addSchema({ components: document.components }, 'document')
  const checks = new Map<string, ReturnType<typeof ajv.compile>>()
  const operations = new Map(
    Object.values(document.paths)
      .flatMap((methods) => Object.values(methods))
      .map((operation) => [operation.operationId, operation]),
  )

  return { operationOf, find, faultOf }

  function operationOf(name: string): Operation {
    const operation = operations.get(name)
    if (operation === undefined) throw new Error(`the document has no ${name}`)
    return operation
  }

  function find(ref: string): object {
    const [, , section = '', name = ''] = ref.split('/')
    const found = document.components[section]?.[name]
    if (found === undefined) throw new Error(`the document has no ${ref}`)
    return found
  }

  /** The deviation of an answer from the document. */
  function faultOf(name: string, answer: Answer): string | undefined {
    const { responses } = operationOf(name)
    const declared = responses[answer.status]
    if (declared === undefined) return `${answer.status} is not in the document`
    const { content } = declared.$ref === undefined ? declared : (find(declared.$ref) as Declared)
    const schema = content?.['application/json']?.schema
    if (schema === undefined) return answer.text === '' ? undefined : 'an answer where the document has none'
    const key = `${name} ${answer.status}`
    const check = checks.get(key) ?? ajv.compile(withDocument(schema))
    checks.set(key, check)
    return check(jsonOf(answer)) ? undefined : `${answer.status}: ${ajv.errorsText(check.errors)}`
  }

  /** The schema with its references resolved to the document. */
  function withDocument(schema: object): object {
    return JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"document#/components/')) as object
  }
}
