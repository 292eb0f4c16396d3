import type { JsonSchema } from '@portico/contract/json-schema'
import type { ApiDocument } from '@portico/contract/openapi'
import { nameIn, type PlacedOperation } from '../operations.js'
import { resourceAddress, type Addresses } from './addresses.js'
import { curl } from './curl.js'
import { html, json, prose, type Html } from './html.js'
import type { ReferencePage } from './page.js'
import type { Reference } from './reference.js'
import { highlighted } from './renderer.js'
import { memberRow, membersTable, typeOf } from './schema-view.js'
import { sdkCall } from './sdk-call.js'

/** The operations of a tag: address, scope, parameters, bodies, answers and errors of each, and two calls of it. */
export function resourcePage(
  reference: Reference,
  { name, description }: ApiDocument['tags'][number],
): ReferencePage {
  const own = reference.operations.filter(({ tags }) => tags.includes(name))
  return {
    address: resourceAddress(name),
    title: `${name} · API reference`,
    description:
      description ??
      `The operations of the Portico API on ${name.toLowerCase()}, each with parameters, answers and errors.`,
    body: html`<h1 id="top">${name}</h1>
      ${description !== undefined && html`<p class="lead">${prose(description)}</p>`}
      <table class="operations">
        <caption class="unseen">
          Operations
        </caption>
        <tbody>
          ${own.map(
            (operation) =>
              html`<tr>
                <th scope="row"><a href="#${operation.operationId}">${operation.summary}</a></th>
                <td>${verb(operation)} <code>${pathOf(operation)}</code></td>
              </tr> `,
          )}
        </tbody>
      </table>
      ${own.map((operation) => operationArticle(reference, operation))}`,
  }
}

function verb({ method }: PlacedOperation): Html {
  return html`<span class="verb ${method.toLowerCase()}">${method}</span>`
}

function operationArticle(reference: Reference, operation: PlacedOperation): Html {
  const { document, addresses, caller } = reference
  return html`<article class="operation" aria-labelledby="${operation.operationId}">
    <div class="text">
      <h2 id="${operation.operationId}">${operation.summary}</h2>
      <p class="address">${verb(operation)} <code>${pathOf(operation)}</code></p>
      ${remarks(reference, operation)} ${rules(operation, addresses)} ${parametersTable(operation)}
      ${bodyTable(document, operation)} ${answersTable(operation, addresses)}
    </div>
    <div class="sample">
      <h3>Request</h3>
      <pre tabindex="0"><code class="whole">${curl(document, operation)}</code></pre>
      <h3>The same with the SDK</h3>
      <pre
        tabindex="0"
      ><code class="whole">${{ markup: highlighted(sdkCall(operation, caller), 'ts') }}</code></pre>
      <h3>Answer ${operation.success.status}</h3>
      <pre
        tabindex="0"
      ><code>${json(operation.success.example ?? exampleOf(document, operation.success.schema))}</code></pre>
    </div>
  </article> `
}

function remarks({ remarksByName }: Reference, { operationId }: PlacedOperation): Html | undefined {
  const text = remarksByName.get(operationId)
  return text ? html`<p>${prose(text)}</p>` : undefined
}

/** A path that may break between its segments. */
function pathOf({ path }: PlacedOperation): Html {
  return html`${path.split('/').map((segment, index) => [index > 0 && html`<wbr />/`, segment])}`
}

function rules(operation: PlacedOperation, addresses: Addresses): Html {
  const scope = operation['x-required-scope']
  const emits = operation['x-emits'] ?? []
  return html`<dl class="rules">
    <div>
      <dt>Name</dt>
      <dd><code>${operation.operationId}</code></dd>
    </div>
    <div>
      <dt>Scope</dt>
      <dd>${scope === undefined ? 'none, it is called without an API key' : html`<code>${scope}</code>`}</dd>
    </div>
    ${
      emits.length > 0 &&
      html`<div>
        <dt>Emits</dt>
        <dd>${emits.map((code) => [namedLink(addresses, code), ' '])}</dd>
      </div>`
    }
  </dl>`
}

/** A name of the contract as a link to its place. */
export function namedLink(addresses: Addresses, name: string): Html {
  const address = addresses.of(name)
  if (address === undefined) throw new Error(`${name} has no place on the site`)
  return html`<a class="name" href="${address}"><code>${name}</code></a>`
}

function parametersTable({ parameters = [] }: PlacedOperation): Html | undefined {
  if (parameters.length === 0) return undefined
  const rows = parameters.map(({ name, in: place, required, description, schema }) =>
    memberRow({
      name,
      member: { ...schema, ...(description !== undefined && { description }) },
      // A path is nothing without its parameters, which goes without saying.
      mark: required === true && place !== 'path' && 'required',
      place,
    }),
  )
  return html`<table class="members">
    <caption>
      Parameters
    </caption>
    <thead>
      <tr>
        <th scope="col">Name</th>
        <th scope="col">Type</th>
        <th scope="col">Meaning</th>
      </tr>
    </thead>
    <tbody>
      ${rows}
    </tbody>
  </table>`
}

function bodyTable(document: ApiDocument, { requestBody }: PlacedOperation): Html | undefined {
  const schema = requestBody?.content['application/json']?.schema
  return schema && membersTable(resolved(document, schema), 'Body', 'input')
}

function answersTable(operation: PlacedOperation, addresses: Addresses): Html {
  return html`<table class="answers">
    <caption>
      Answers
    </caption>
    <thead>
      <tr>
        <th scope="col">Status</th>
        <th scope="col">Body</th>
      </tr>
    </thead>
    <tbody>
      <tr>
        <th scope="row"><span class="status good">${operation.success.status}</span></th>
        <td>${typeOf(operation.success.schema)}</td>
      </tr>
      ${operation.failures.map(
        ({ status, codes }) =>
          html`<tr>
            <th scope="row"><span class="status">${status}</span></th>
            <td>
              ${(codes.length > 0 ? codes : ['OAuthError']).map((code) => [namedLink(addresses, code), ' '])}
            </td>
          </tr> `,
      )}
    </tbody>
  </table>`
}

/** The example of a record, and of the first where there are several. */
export function exampleOf(document: ApiDocument, schema: JsonSchema): unknown {
  const [first] = schema.anyOf ?? []
  const { examples } = resolved(document, first ?? schema)
  return Array.isArray(examples) ? examples[0] : undefined
}

function resolved(document: ApiDocument, schema: JsonSchema): JsonSchema {
  if (schema.$ref === undefined) return schema
  return document.components.schemas[nameIn(schema.$ref)] ?? {}
}
