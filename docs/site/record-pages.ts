import { nameOf } from '@portico/contract/record'
import { eventCatalog, eventCodes } from '@portico/contract/event-catalog'
import type { JsonSchema } from '@portico/contract/json-schema'
import { nameIn } from '../operations.js'
import { recordNames, type Addresses } from './addresses.js'
import { html, json, prose, type Html } from './html.js'
import type { ReferencePage } from './page.js'
import type { Reference } from './reference.js'
import { exampleOf, namedLink } from './resource-page.js'
import { membersTable, recordLink, typeOf } from './schema-view.js'

/** A page for each record of the service and of an emulator's control, and one that lists them. */
export function recordPages(service: Reference, control: Reference): ReferencePage[] {
  const names = recordNames(service.document)
  // What both have is the service's.
  const ofControl = recordNames(control.document).filter((name) => !names.includes(name))
  return [
    listOfRecords(names, ofControl),
    ...names.map((name) => recordPage(service, name)),
    ...ofControl.map((name) => recordPage(control, name)),
  ]
}

function listOfRecords(names: readonly string[], ofControl: readonly string[]): ReferencePage {
  const isEvent = (name: string) => name.endsWith('Event')
  return {
    address: '/records.html',
    title: 'Records',
    description:
      'What the answers and events of the Portico API are made of: every record, with its members and an example.',
    body: html`<h1 id="top">Records</h1>
      <p class="lead">What answers are made of. Each has its members, and an example.</p>
      ${listOf(names.filter((name) => !isEvent(name)))}
      <h2 id="events">Events</h2>
      <p>What webhooks receive. The <a href="/events.html">event codes</a> say when.</p>
      ${listOf(names.filter(isEvent))}
      <h2 id="emulator">Emulator</h2>
      <p>What the <a href="/reference/emulator.html">control of an emulator</a> answers.</p>
      ${listOf(ofControl)}`,
  }
}

function listOf(names: readonly string[]): Html {
  return html`<ul class="columns">
    ${names.map((name) => html`<li>${recordLink(name)}</li> `)}
  </ul>`
}

function recordPage({ document, operations, addresses }: Reference, name: string): ReferencePage {
  const schema = document.components.schemas[name] ?? {}
  const answering = operations
    .filter(({ success }) => refersTo(success.schema, name))
    .map(({ operationId }) => operationId)
  const carrying = eventCodes.filter((code) => nameOf(eventCatalog[code].data) === name)
  return {
    address: `/records/${name}.html`,
    title: `${name} · Records`,
    description: `The record ${name} of the Portico API: its members, and an example.`,
    body: html`<h1 id="top">${name}</h1>
      ${schema.description !== undefined && html`<p class="lead">${prose(schema.description)}</p>`}
      ${usedBy('Answered by', answering, addresses)} ${usedBy('Carried by', carrying, addresses)}
      <article class="record" aria-labelledby="top">
        <div class="text">
          ${schema.properties ? membersTable(schema, 'Members', 'answer') : html`<p>${typeOf(schema)}</p>`}
        </div>
        ${
          schema['examples'] !== undefined &&
          html`<div class="sample">
            <h2 id="example">Example</h2>
            <pre tabindex="0"><code>${json(exampleOf(document, schema))}</code></pre>
          </div>`
        }
      </article>`,
  }
}

function usedBy(label: string, names: readonly string[], addresses: Addresses): Html | undefined {
  if (names.length === 0) return undefined
  return html`<p>${label}: ${names.map((name, index) => [index > 0 && ', ', namedLink(addresses, name)])}</p>`
}

function refersTo({ $ref, anyOf = [] }: JsonSchema, name: string): boolean {
  return ($ref !== undefined && nameIn($ref) === name) || anyOf.some((option) => refersTo(option, name))
}
