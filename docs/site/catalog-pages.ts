import { STATUS_CODES } from 'node:http'
import { conventions } from '@portico/contract/conventions'
import { errorCodes, type PublicErrorCode } from '@portico/contract/errors'
import { eventCatalog, eventCodes, type EventCode, type EventKind } from '@portico/contract/event-catalog'
import { nameOf } from '@portico/contract/record'
import type { OpenApiDocument } from '@portico/contract/openapi'
import { everyOperation, namesAnswering, namesEmitting, type PlacedOperation } from '../operations.js'
import { resourceAddress, slugOf, type Addresses } from './addresses.js'
import { html, prose, type Html } from './html.js'
import type { ReferencePage } from './page.js'
import { namedLink } from './resource-page.js'
import { recordLink } from './schema-view.js'

/** What holds for every operation, and where each is. */
export function conventionsPage(
  document: OpenApiDocument,
  operations: readonly PlacedOperation[],
): ReferencePage {
  return {
    address: '/reference.html',
    title: 'API reference',
    description: 'What holds for every operation of the Portico API, and where each operation is described.',
    body: html`<h1 id="top">API reference</h1>
      <p class="lead">
        ${operations.length} operations, by resource. As OpenAPI: <a href="/openapi.json">3.1</a>,
        <a href="/openapi-3.0.json">3.0</a>.
      </p>
      <ul class="columns">
        ${document.tags.map(({ name }) => html`<li><a href="${resourceAddress(name)}">${name}</a></li> `)}
      </ul>
      ${conventions.map(
        ({ title, text }) =>
          html`<h2 id="${slugOf(title)}">${title}</h2>
            <p>${prose(text)}</p> `,
      )}`,
  }
}

/** Every error code; `docs_url` of a failure leads to the code's place here. */
export function errorsPage(operations: readonly PlacedOperation[], addresses: Addresses): ReferencePage {
  return {
    address: '/errors.html',
    title: 'Errors',
    description: 'Every code that a failure of the Portico API can carry, what it means, and what to do.',
    body: html`<h1 id="top">Errors</h1>
      <p class="lead">
        Every code that a failure can carry, what it means, and what to do. Its form is in
        <a href="/reference.html#errors">the conventions</a>.
      </p>
      ${codesOf(errorCodes).map((code) => errorSection(operations, code, addresses))}`,
  }
}

function errorSection(
  operations: readonly PlacedOperation[],
  code: PublicErrorCode,
  addresses: Addresses,
): Html {
  const { status, message, remedy } = errorCodes[code]
  const names = namesAnswering(operations, code)
  return html`<section class="error" aria-labelledby="${code}">
    <h2 id="${code}">${code}</h2>
    <p><span class="status">${status} ${STATUS_CODES[status]}</span> ${message}</p>
    <p>${remedy}</p>
    <p class="by">Answered by: ${everyOperation(operations, names) ?? links(names, addresses)}</p>
  </section> `
}

/** Every event code: what it tells, what it carries, who emits it. */
export function eventsPage(operations: readonly PlacedOperation[], addresses: Addresses): ReferencePage {
  return {
    address: '/events.html',
    title: 'Event codes',
    description:
      'Every event of Portico that a webhook can subscribe to: what it tells, what it carries, and what emits it.',
    body: html`<h1 id="top">Event codes</h1>
      <p class="lead">
        What a webhook can subscribe to: codes, a family such as <code>user.all</code>, or <code>all</code>. A
        code is family, resource, action and outcome.
      </p>
      <div class="table" tabindex="0" role="group" aria-label="Event codes">
        <table class="events">
          <thead>
            <tr>
              <th scope="col">Code</th>
              <th scope="col">Tells</th>
              <th scope="col">Carries</th>
              <th scope="col">Emitted by</th>
            </tr>
          </thead>
          <tbody>
            ${eventCodes.map(
              (code) =>
                html`<tr id="${code}">
                  <th scope="row"><code>${code}</code></th>
                  <td>${prose(eventCatalog[code].tells)}</td>
                  <td>${recordLink(nameOf(eventCatalog[code].data))}</td>
                  <td>${emitters(operations, code, addresses)}</td>
                </tr> `,
            )}
          </tbody>
        </table>
      </div>`,
  }
}

function emitters(operations: readonly PlacedOperation[], code: EventCode, addresses: Addresses): Html {
  const names = namesEmitting(operations, code)
  const { elsewhere = [] }: EventKind = eventCatalog[code]
  const sources = elsewhere.map(({ source }) => source).join(', ')
  return html`${names.length > 0 && links(names, addresses)}${names.length > 0 && sources !== '' && ', '}${prose(sources)}`
}

function links(names: readonly string[], addresses: Addresses): Html {
  return html`${names.map((name, index) => [index > 0 && ', ', namedLink(addresses, name)])}`
}

function codesOf<Code extends string>(codes: Readonly<Record<Code, unknown>>): Code[] {
  // An object literal has no keys but those of its type.
  return Object.keys(codes) as Code[]
}
