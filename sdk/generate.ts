import { readFile, writeFile } from 'node:fs/promises'
import { emulator, emulatorErrorCodes } from '@portico/contract/emulator'
import { oauthErrorStatuses } from '@portico/contract/oauth'
import { errorCodes } from '@portico/contract/errors'
import { AccessTokenClaims, IdTokenClaims } from '@portico/contract/token-claims'
import { mayWarn } from '@portico/contract/openapi-answers'
import { bodyOf, queryOf, queryParametersOf, routes, type Route } from '@portico/contract/walk'
import { format, type FormatConfig } from 'oxfmt'
import type { z } from 'zod/v4'
import { methodComment, type Caller } from './method-comment.js'
import {
  definitionOf,
  docComment,
  exampleOf,
  isOptional,
  membersOf,
  nameOf,
  renderObject,
  renderType,
  withoutNull,
  type Declarations,
  type Member,
} from './render-type.js'
import { roleConstants } from './role-constants.js'

/** Writes the SDK's generated files from the contract. With --check it writes nothing, and fails for a stale file. */
async function main(): Promise<void> {
  const types = typesFile()
  const index = new URL('src/index.ts', import.meta.url)
  const files = [
    { url: new URL('src/generated.ts', import.meta.url), text: types },
    { url: index, text: indexFile(types, await readFile(index, 'utf8')) },
    { url: new URL('src/generated-examples.ts', import.meta.url), text: examplesFile() },
    { url: new URL('src/generated-emulator.ts', import.meta.url), text: emulatorFile() },
  ]
  const options = JSON.parse(
    await readFile(new URL('../.oxfmtrc.json', import.meta.url), 'utf8'),
  ) as FormatConfig
  for (const { url, text } of files) {
    const { code: formatted, errors } = await format(url.pathname, text, options)
    if (errors.length > 0) throw new Error(`${url.pathname}: ${JSON.stringify(errors)}`)
    if (!process.argv.includes('--check')) await writeFile(url, formatted)
    else if ((await readFile(url, 'utf8')) !== formatted)
      throw new Error(`${url.pathname} is stale: run npm run -w sdk generate`)
  }
}

const header = '// Written by sdk/generate.ts from the contract; do not edit.\n'

function typesFile(): string {
  const declarations: Declarations = new Map()
  const operations = routes().map((route) => toOperation(route, declarations))
  const claims = [
    claimsInterface(AccessTokenClaims, 'What an access token says of its user (RFC 9068).', declarations),
    claimsInterface(
      IdTokenClaims,
      'What an ID token says of its user (OpenID Connect Core section 2).',
      declarations,
    ),
  ]
  return [
    header,
    `import type { Listen } from './listen.js'\nimport type { ListMethod } from './pages.js'\nimport type { RequestOptions } from './request-options.js'\nimport { readRoutes } from './route-lines.js'`,
    ...[...declarations].map(([name, text]) => recordComment(name, operations, declarations) + text),
    ...operations.flatMap(({ declared }) => declared),
    ...claims,
    unionType('OAuthErrorCode', 'What an OAuth endpoint refuses with (RFC 6749 section 5.2).', oauthCodes()),
    unionType(
      'UndeclaredErrorCode',
      'Codes that any call can be answered with, though no operation declares them: the service does not know it, or failed.',
      undeclaredCodes(),
    ),
    unionType('ErrorCode', 'Every error code of the service.', Object.keys(errorCodes)),
    unionType(
      'OAuthOperationName',
      'Name of an operation that refuses as OAuth endpoints do.',
      operations.filter(({ route }) => oauthStatuses(route).length > 0).map(({ route }) => route.name),
    ),
    operationsInterface(operations),
    ...groupInterfaces(operations, {
      name: 'client',
      error: 'ApiError',
      codes: errorCodes,
      anyCall: 'ErrorCodeOf',
    }),
    clientInterface(operations, 'Client', 'The operations of the service, by resource.'),
    docComment([
      'Method, path, and flags: b takes a body, f as a form, i carries an Idempotency-Key, l is a list, o sends no API token.',
    ]) + `export type RouteRow = readonly [method: string, path: string, flags: string]`,
    routeTable(operations, 'routeTable', 'OperationName'),
    ...roleConstants(),
  ].join('\n\n')
}

/** The index with every record and event in its last statement; what stands before it is written by hand. */
function indexFile(types: string, index: string): string {
  const [byHand = ''] = index.split(/(?<=^\/\/ Every record and event, written by .*\n)/m)
  const known = new Set(byHand.match(/\w+/g))
  const names = [...types.matchAll(/^export (?:interface|type) (\w+)/gm)].map(([, name = '']) => name)
  const records = names.filter(
    (name) => !/(Input|Methods|ErrorCode|RouteRow)$/.test(name) && !known.has(name),
  )
  return `${byHand}export type { ${records.toSorted().join(', ')} } from './generated.js'`
}

/** The client of the emulator's control, by the same rules but without the error codes of the service. */
function emulatorFile(): string {
  const declarations: Declarations = new Map()
  const operations = routes(emulator).map((route) => toOperation(route, declarations))
  return [
    header,
    `import type { RequestOptions } from './request-options.js'\nimport { readRoutes } from './route-lines.js'`,
    ...[...declarations].map(([name, text]) => recordComment(name, operations, declarations) + text),
    ...operations.flatMap(({ declared: [input] }) => input ?? []),
    ...groupInterfaces(operations, {
      name: 'portico.control',
      error: 'EmulatorError',
      codes: emulatorErrorCodes,
    }),
    clientInterface(operations, 'EmulatorControl', 'What tests can do to an emulator.'),
    routeTable(operations, 'emulatorRoutes', operations.map(({ route }) => `'${route.name}'`).join(' | ')),
  ].join('\n\n')
}

interface Operation {
  readonly route: Route
  /** The prefix of the names of its types, such as UsersCreate. */
  readonly title: string
  readonly output: string
  /** The record of a list; undefined when the operation is not a list. */
  readonly item: string | undefined
  /** The required members of the input. */
  readonly required: readonly Member[]
  readonly declared: readonly string[]
}

function toOperation(route: Route, declarations: Declarations): Operation {
  const title = capitalized(route.resource) + capitalized(route.verb)
  const members = inputMembers(route)
  refusalsOf(route).forEach(({ error }) => declareFieldErrors(error, declarations))
  const item = itemOf(route)
  return {
    route,
    title,
    output: renderType(route.success, 'output', declarations),
    item: item && renderType(item, 'output', declarations),
    required: members.filter(({ schema }) => !isOptional(schema, 'input')),
    declared: [
      `${docComment([`What \`${route.name}\` takes.`])}export interface ${title}Input ${renderObject(members, 'input', declarations)}`,
      unionType(`${title}ErrorCode`, `Codes that \`${route.name}\` answers.`, apiCodes(route)),
    ],
  }
}

/** Path, query and body in one object. A name in two of them is an error of the contract. */
function inputMembers(route: Route): readonly Member[] {
  const query = queryOf(route)
  const body = bodyOf(route)
  if (query && body) throw new Error(`${route.name} takes a query beside its body: the SDK sends one of them`)
  const members = [
    ...pathMembers(route),
    ...(query ? membersOf(query).map(({ name, schema }) => ({ name, schema: withoutNull(schema) })) : []),
    ...(body ? membersOf(body) : []),
  ]
  const names = members.map(({ name }) => name)
  const repeated = names.find((name, index) => names.indexOf(name) !== index)
  if (repeated !== undefined) throw new Error(`${route.name} takes ${repeated} in two places`)
  return members
}

function pathMembers(route: Route): readonly Member[] {
  const { pathParams } = route.definition
  const declared = isSchema(pathParams) ? membersOf(pathParams) : []
  const missing = route.pathParameters.find((name) => !declared.some((member) => member.name === name))
  if (missing !== undefined) throw new Error(`${route.name} does not declare the path parameter ${missing}`)
  return declared
}

function isSchema(value: unknown): value is z.core.$ZodType {
  return typeof value === 'object' && value !== null && '_zod' in value
}

/** A list is an answer with records in `data` and the cursor of its next page. */
function itemOf(route: Route): z.core.$ZodType | undefined {
  const definition = definitionOf(route.success)
  if (route.method !== 'GET' || definition.type !== 'object' || !('next_cursor' in definition.shape))
    return undefined
  const data = definition.shape['data'] && definitionOf(definition.shape['data'])
  return data?.type === 'array' ? data.element : undefined
}

interface Refusal {
  readonly status: number
  /** Its `error` member: an object with a code, or on the OAuth endpoints the code itself. */
  readonly error: z.core.$ZodType
}

function refusalsOf(route: Route): readonly Refusal[] {
  return Object.entries(route.definition.responses)
    .filter(([status]) => Number(status) !== route.successStatus)
    .flatMap(([status, answer]) =>
      (isSchema(answer) ? alternatives(answer) : [])
        .flatMap((schema) => membersOf(schema).filter(({ name }) => name === 'error'))
        .map(({ schema }) => ({ status: Number(status), error: schema })),
    )
}

function alternatives(schema: z.core.$ZodType): readonly z.core.$ZodType[] {
  const definition = definitionOf(schema)
  return definition.type === 'union' ? definition.options : [schema]
}

function declareFieldErrors(schema: z.core.$ZodType, declarations: Declarations): void {
  if (definitionOf(schema).type === 'object') renderType(schema, 'output', declarations)
}

function apiCodes(route: Route): readonly string[] {
  return refusalsOf(route).flatMap(({ error }) =>
    definitionOf(error).type === 'object'
      ? membersOf(error).flatMap((member) => (member.name === 'code' ? valuesOf(member.schema) : []))
      : [],
  )
}

function oauthCodes(): readonly string[] {
  return [...new Set(routes().flatMap((route) => refusalsOf(route).flatMap(({ error }) => valuesOf(error))))]
}

function undeclaredCodes(): readonly string[] {
  const declared = new Set(routes().flatMap(apiCodes))
  return Object.keys(errorCodes).filter((code) => !declared.has(code))
}

function valuesOf(schema: z.core.$ZodType): readonly string[] {
  const definition = definitionOf(schema)
  return definition.type === 'enum' ? Object.values(definition.entries).map(String) : []
}

function unionType(name: string, comment: string, values: readonly string[]): string {
  const type = values.map((value) => JSON.stringify(value)).join(' | ') || 'never'
  return `${docComment([comment])}export type ${name} = ${type}`
}

function operationsInterface(operations: readonly Operation[]): string {
  const lines = operations.map(
    ({ route, title, output }) =>
      `'${route.name}': { input: ${title}Input; output: ${output}; code: ${title}ErrorCode }`,
  )
  return `${docComment(['What each operation takes, answers, and is refused with.'])}export interface Operations {\n${lines.join('\n')}\n}\n\n${docComment(['Name of an operation, such as `users.create`: resource and method.'])}export type OperationName = keyof Operations`
}

function groupInterfaces(operations: readonly Operation[], caller: Caller): readonly string[] {
  return resourcesOf(operations).map((resource) => {
    const methods = operations
      .filter(({ route }) => route.resource === resource)
      .flatMap((operation) => [methodSignature(operation, caller), ...listenMethod(operation, caller)])
    return `${docComment([`The methods of \`${caller.name}.${resource}\`.`])}export interface ${capitalized(resource)}Methods {\n${methods.join('\n\n')}\n}`
  })
}

function clientInterface(operations: readonly Operation[], name: string, comment: string): string {
  const groups = resourcesOf(operations).map(
    (resource) => `readonly ${resource}: ${capitalized(resource)}Methods`,
  )
  return `${docComment([comment])}export interface ${name} {\n${groups.join('\n')}\n}`
}

function resourcesOf(operations: readonly Operation[]): readonly string[] {
  return [...new Set(operations.map(({ route }) => route.resource))]
}

function methodSignature(operation: Operation, caller: Caller): string {
  const { route, title, output, item, required } = operation
  const codes = apiCodes(route)
  const refusesAsOAuth = oauthStatuses(route).length > 0
  const comment = docComment(methodComment({ route, output, item, required, codes, refusesAsOAuth, caller }))
  const mark = required.length > 0 ? '' : '?'
  if (item !== undefined)
    return `${comment}readonly ${route.verb}: ListMethod<${title}Input, ${output}, ${item}>`
  return `${comment}${route.verb}(input${mark}: ${title}Input, options?: RequestOptions): Promise<${output}>`
}

/** The declaration of `listen`, which the client adds beside the event stream's operation. */
function listenMethod({ route }: Operation, caller: Caller): readonly string[] {
  if (route.access.role !== 'event_stream') return []
  const comment = docComment([
    'Yields every event of the account in its order, each exactly once, and waits for more.',
    '',
    '@example',
    '```ts',
    `for await (const event of ${caller.name}.${route.resource}.listen({ after: 'latest', code: 'user.all' })) console.log(event.code)`,
    '```',
  ])
  return [`${comment}readonly listen: Listen`]
}

/** Claims with a type parameter for metadata, because each organization has its own keys. */
function claimsInterface(schema: z.core.$ZodType, comment: string, declarations: Declarations): string {
  const name = nameOf(schema) ?? 'Claims'
  const any = '{ [name: string]: JsonValue }'
  const rendered = renderObject(membersOf(schema), 'output', declarations)
  const structure = rendered.replace(`meta_data: ${any}`, 'meta_data: Metadata')
  if (structure === rendered) throw new Error(`the type of meta_data in ${name} is not ${any}`)
  const remark = '`Metadata` is what `portico types` writes for an organization.'
  return `${docComment([comment, remark])}export interface ${name}<Metadata extends object = ${any}> ${structure}`
}

/** The comment of a record: the operations that answer it, else the records it is part of. */
function recordComment(name: string, operations: readonly Operation[], declarations: Declarations): string {
  const mentions = new RegExp(`\\b${name}\\b`)
  const answeredBy = operations
    .filter(({ output, item }) => mentions.test(output) || item === name)
    .map(({ route }) => `\`${route.name}\``)
  const partOf = [...declarations]
    .filter(([other, text]) => other !== name && mentions.test(text))
    .map(([other]) => `\`${other}\``)
  if (answeredBy.length > 0) return docComment([`Answered by ${abbreviated(answeredBy)}.`])
  return docComment([partOf.length > 0 ? `Part of ${abbreviated(partOf)}.` : 'Part of the error of a 422.'])
}

/** Limits the list, because an editor shows only a few lines of a comment. */
function abbreviated(names: readonly string[]): string {
  const shown = 8
  const more = names.length - shown
  return more > 1 ? `${names.slice(0, shown).join(', ')} and ${more} more` : names.join(', ')
}

/** Flags: b has a body, f sends it as a form, i sends an Idempotency-Key, l is a list, o needs no token. */
function flagsOf({ route, item }: Operation): string {
  const body = bodyOf(route)
  const isOpen = route.access.auth === 'none'
  return [
    body ? 'b' : '',
    body && isOpen ? 'f' : '',
    route.access.idempotent ? 'i' : '',
    item === undefined ? '' : 'l',
    isOpen ? 'o' : '',
  ].join('')
}

/** The routes by resource: a line for each path, followed by the verb of each operation, METHOD and flags. */
function routeTable(operations: readonly Operation[], name: string, names: string): string {
  const groups = resourcesOf(operations).map((resource) => {
    const own = operations.filter(({ route }) => route.resource === resource)
    const paths = [...new Set(own.map(({ route }) => route.path))]
    const lines = paths.map((path) => {
      const there = own.filter(({ route }) => route.path === path)
      const said = there.map((operation) => {
        const { verb, method } = operation.route
        return `${verb} ${method}${flagsOf(operation)}`
      })
      return [path, ...said].join(' ')
    })
    return `${resource}: \`${lines.join('\n')}\``
  })
  return `export const ${name} = /* @__PURE__ */ readRoutes<${names}>({\n${groups.join(',\n')}\n})`
}

function examplesFile(): string {
  const examples = new Map<string, unknown>()
  const rows = routes().map((route) => {
    const { success } = route
    const shown = alternatives(success)[0] ?? success
    const own = route.access.example
    const name = own === undefined ? (nameOf(shown) ?? route.name) : route.name
    examples.set(name, own ?? exampleOf(shown))
    const row = [
      route.successStatus,
      name,
      route.access.versioned !== false,
      apiCodes(route),
      oauthStatuses(route),
    ]
    return `'${route.name}': ${JSON.stringify(row)}`
  })
  const queries = routes().flatMap((route) => {
    const known = route.method === 'GET' && mayWarn(route) ? queryParametersOf(route) : undefined
    return known === undefined ? [] : [[route.name, known.join(' ')]]
  })
  const codes = Object.entries(errorCodes).map(([code, { status, message }]) => [code, [status, message]])
  return [
    header,
    `import type { ErrorCode, OAuthErrorCode, OperationName } from './generated.js'`,
    `${docComment(['Success status, example, whether it has an ETag, error codes, statuses with an OAuth error body.'])}export type ExampleRow = readonly [status: number, example: string, versioned: boolean, codes: readonly ErrorCode[], oauth: readonly number[]]`,
    `export const exampleTable: { readonly [Name in OperationName]: ExampleRow } = {\n${rows.join(',\n')}\n}`,
    `${docComment(['The query parameters of operations that name those that they ignore, separated by spaces.'])}export const queryTable: { readonly [Name in OperationName]?: string } = ${JSON.stringify(Object.fromEntries(queries))}`,
    `${docComment(['Status and message of each error code.'])}export const errorTable: { readonly [Code in ErrorCode]: readonly [status: number, message: string] } = ${JSON.stringify(Object.fromEntries(codes))}`,
    `${docComment(['Status of each error of an OAuth endpoint; the first of a status is what it mostly means.'])}export const oauthTable: { readonly [Code in OAuthErrorCode]: number } = ${JSON.stringify(oauthErrorStatuses)}`,
    `${docComment(['The contract’s example of each answer, by the name of its record, or of its operation where the record’s would mislead.'])}export const examples: Readonly<Record<string, object>> = ${JSON.stringify(Object.fromEntries(examples))}`,
  ].join('\n\n')
}

function oauthStatuses(route: Route): readonly number[] {
  return refusalsOf(route).flatMap(({ status, error }) => (valuesOf(error).length > 0 ? [status] : []))
}

function capitalized(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}

await main()
