import { STATUS_CODES } from 'node:http'
import { conventions } from '@portico/contract/conventions'
import { errorCodes, type ErrorCode } from '@portico/contract/errors'
import { eventCatalog, eventCodes, type EventCode, type EventKind } from '@portico/contract/event-catalog'
import type { JsonSchema } from '@portico/contract/json-schema'
import type { OpenApiDocument } from '@portico/contract/openapi'
import { curl } from './curl.js'
import { html, json, prose, type Html } from './html.js'
import { everyOperation, namesAnswering, namesEmitting, nameIn, type PlacedOperation } from './operations.js'
import { memberRow, membersTable, typeOf } from './schema-view.js'

/** The reference as one page that needs no script: a list of contents, every operation, record, error and event. */
export function referencePage(document: OpenApiDocument, operations: readonly PlacedOperation[]): string {
  const page = html`<html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <meta name="description" content="Every operation, record, error and event of the Portico API." />
      <title>Portico API reference</title>
      <link rel="stylesheet" href="/docs/style.css" />
    </head>
    <body>
      <a class="skip" href="#content">Skip to the content</a>
      <header>
        <p class="brand"><a href="#top">Portico</a> <span>API ${document.info.version}</span></p>
        <p class="documents">
          <a href="/docs/openapi.json">OpenAPI 3.1</a> <a href="/docs/openapi-3.0.json">OpenAPI 3.0</a>
        </p>
      </header>
      ${contents(document, operations)}
      <main id="content">
        ${introduction()} ${document.tags.map((tag) => resource(document, tag, operations))}
        ${recordsSection(document)} ${errorsSection(operations)} ${eventsSection(operations)}
      </main>
    </body>
  </html>`
  return `${preamble}${page.markup.trim()}\n`
}

// Prettier would break the samples into lines.
const preamble = `<!doctype html>
<!-- Built from the contract by: npm run -w docs build -->
<!-- prettier-ignore -->
`

function contents(document: OpenApiDocument, operations: readonly PlacedOperation[]): Html {
  return html`<nav aria-label="Contents">
    <input type="checkbox" id="menu" aria-label="Show the contents" /><label for="menu">Contents</label>
    <div class="links">
      ${contentsGroup(
        'Conventions',
        'top',
        conventions.map(({ title }) => [`about-${slugOf(title)}`, html`${title}`]),
      )}
      ${document.tags.map(({ name }) =>
        contentsGroup(
          name,
          slugOf(name),
          operations
            .filter(({ tags }) => tags.includes(name))
            .map((operation) => [operation.operationId, html`${verb(operation)} ${shortName(operation)}`]),
        ),
      )}
      ${contentsGroup('Records', 'records', [])} ${contentsGroup('Errors', 'errors', [])}
      ${contentsGroup('Event codes', 'event-codes', [])}
    </div>
  </nav>`
}

function contentsGroup(title: string, id: string, links: readonly (readonly [string, Html])[]): Html {
  return html`<p><a href="#${id}">${title}</a></p>
    ${
      links.length > 0 &&
      html`<ul>
        ${links.map(([anchor, text]) => html`<li><a href="#${anchor}">${text}</a></li>`)}
      </ul>`
    }`
}

function verb({ method }: PlacedOperation): Html {
  return html`<span class="verb ${method.toLowerCase()}">${method}</span>`
}

/** users.getByEmail under the heading Users: get by email. */
function shortName({ operationId }: PlacedOperation): string {
  const name = operationId.slice(operationId.indexOf('.') + 1)
  return name.replace(/[A-Z]/g, (capital) => ` ${capital.toLowerCase()}`)
}

function slugOf(title: string): string {
  return title.toLowerCase().replaceAll(' ', '-')
}

function introduction(): Html {
  return html`<section class="introduction" aria-labelledby="top">
    <h1 id="top">Portico API reference</h1>
    <div class="conventions">
      ${conventions.map(
        ({ title, text }) =>
          html`<div>
            <h2 id="about-${slugOf(title)}">${title}</h2>
            <p>${prose(text)}</p>
          </div> `,
      )}
    </div>
  </section>`
}

function resource(
  document: OpenApiDocument,
  { name, description }: OpenApiDocument['tags'][number],
  operations: readonly PlacedOperation[],
): Html {
  return html`<section aria-labelledby="${slugOf(name)}">
    <h2 id="${slugOf(name)}">${name}</h2>
    ${description !== undefined && html`<p class="lead">${description}</p>`}
    ${operations.filter(({ tags }) => tags.includes(name)).map((operation) => operationArticle(document, operation))}
  </section> `
}

function operationArticle(document: OpenApiDocument, operation: PlacedOperation): Html {
  return html`<article aria-labelledby="${operation.operationId}">
    <div class="text">
      <h3 id="${operation.operationId}"><a href="#${operation.operationId}">${operation.summary}</a></h3>
      <p class="address">${verb(operation)} <code>${pathOf(operation)}</code></p>
      ${rules(operation)} ${parametersTable(operation)} ${bodyTable(document, operation)}
      ${answersTable(operation)}
    </div>
    <div class="sample">
      <h4>Request</h4>
      <pre tabindex="0"><code class="whole">${curl(document, operation)}</code></pre>
      <h4>Answer ${operation.success.status}</h4>
      <pre tabindex="0"><code>${json(exampleOf(document, operation.success.schema))}</code></pre>
    </div>
  </article> `
}

/** A path that may break between its segments. */
function pathOf({ path }: PlacedOperation): Html {
  return html`${path.split('/').map((segment, index) => [index > 0 && html`<wbr />/`, segment])}`
}

function rules(operation: PlacedOperation): Html {
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
        <dd>${emits.map((code) => html`<a href="#${code}"><code>${code}</code></a> `)}</dd>
      </div>`
    }
  </dl>`
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
  return html`<table>
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

function bodyTable(document: OpenApiDocument, { requestBody }: PlacedOperation): Html | undefined {
  const schema = requestBody?.content['application/json']?.schema
  return schema && membersTable(resolved(document, schema), 'Body', 'input')
}

function answersTable(operation: PlacedOperation): Html {
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
              ${codes.length > 0 ? codes.map((code) => html`<a href="#${code}"><code>${code}</code></a> `) : html`<a href="#OAuthError">OAuthError</a>`}
            </td>
          </tr> `,
      )}
    </tbody>
  </table>`
}

function recordsSection(document: OpenApiDocument): Html {
  const named = Object.entries(document.components.schemas).filter(([name]) => !name.endsWith('Body'))
  return html`<section aria-labelledby="records">
    <h2 id="records">Records</h2>
    <p class="lead">What answers are made of.</p>
    ${named.map(
      ([name, schema]) =>
        html`<article aria-labelledby="${name}">
          <div class="text">
            <h3 id="${name}"><a href="#${name}">${name}</a></h3>
            ${schema.properties ? membersTable(schema, 'Members', 'answer') : html`<p>${schema.description ?? ''} ${typeOf(schema)}</p>`}
          </div>
          <div class="sample">
            ${
              schema['examples'] !== undefined &&
              html`<h4>Example</h4>
                <pre tabindex="0"><code>${json(exampleOf(document, schema))}</code></pre>`
            }
          </div>
        </article> `,
    )}
  </section>`
}

function errorsSection(operations: readonly PlacedOperation[]): Html {
  return html`<section class="errors" aria-labelledby="errors">
    <h2 id="errors">Errors</h2>
    <p class="lead">Every code that a failure can carry, what it means, and what to do.</p>
    ${codesOf(errorCodes).map((code) => errorArticle(operations, code))}
  </section> `
}

function errorArticle(operations: readonly PlacedOperation[], code: ErrorCode): Html {
  const { status, message, remedy } = errorCodes[code]
  const names = namesAnswering(operations, code)
  return html`<div class="error">
    <h3 id="${code}">
      <a href="#${code}">${code}</a> <span class="status">${status} ${STATUS_CODES[status]}</span>
    </h3>
    <p>${message}</p>
    <p>${remedy}</p>
    <p class="by">Answered by: ${everyOperation(operations, names) ?? operationLinks(names)}</p>
  </div> `
}

function eventsSection(operations: readonly PlacedOperation[]): Html {
  return html`<section class="events" aria-labelledby="event-codes">
    <h2 id="event-codes">Event codes</h2>
    <p class="lead">
      What a webhook can subscribe to: codes, a family such as <code>user.all</code>, or <code>all</code>.
    </p>
    <table>
      <caption>
        Event codes
      </caption>
      <thead>
        <tr>
          <th scope="col">Code</th>
          <th scope="col">Tells</th>
          <th scope="col">Emitted by</th>
        </tr>
      </thead>
      <tbody>
        ${eventCodes.map(
          (code) =>
            html`<tr id="${code}">
              <th scope="row"><code>${code}</code></th>
              <td>${eventCatalog[code].tells}</td>
              <td>${emitters(operations, code)}</td>
            </tr> `,
        )}
      </tbody>
    </table>
  </section>`
}

function emitters(operations: readonly PlacedOperation[], code: EventCode): Html {
  const names = namesEmitting(operations, code)
  const { elsewhere = [] }: EventKind = eventCatalog[code]
  const sources = elsewhere.map(({ source }) => source).join(', ')
  return html`${names.length > 0 && operationLinks(names)}${names.length > 0 && sources !== '' && ', '}${sources}`
}

function operationLinks(names: readonly string[]): Html {
  return html`${names.map((name, index) => [index > 0 && ', ', html`<a href="#${name}">${name}</a>`])}`
}

function codesOf<Code extends string>(codes: Readonly<Record<Code, unknown>>): Code[] {
  // An object literal has no keys but those of its type.
  return Object.keys(codes) as Code[]
}

/** The example of a record, and of the first where there are several. */
function exampleOf(document: OpenApiDocument, schema: JsonSchema): unknown {
  const [first] = schema.anyOf ?? []
  const { examples } = resolved(document, first ?? schema)
  return Array.isArray(examples) ? examples[0] : undefined
}

function resolved(document: OpenApiDocument, schema: JsonSchema): JsonSchema {
  if (schema.$ref === undefined) return schema
  return document.components.schemas[nameIn(schema.$ref)] ?? {}
}
