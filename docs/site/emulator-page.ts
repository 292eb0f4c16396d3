import { STATUS_CODES } from 'node:http'
import { controlDocumentPath } from '@portico/contract/emulator'
import { resourceAddress } from './addresses.js'
import { html } from './html.js'
import type { ReferencePage } from './page.js'
import type { Reference } from './reference.js'
import { resourcePage } from './resource-page.js'

export const emulatorAddress = resourceAddress('Emulator')

/** The control of an emulator: its operations, and what they refuse with. */
export function emulatorPage(control: Reference): ReferencePage {
  const { document } = control
  const [tag] = document.tags
  if (tag === undefined || document.tags.length !== 1 || resourceAddress(tag.name) !== emulatorAddress)
    throw new Error('the control of an emulator has one tag, Emulator')
  const page = resourcePage(control, tag)
  return {
    ...page,
    body: html`${page.body}
      <h2 id="refusals">Refusals</h2>
      <p>
        Any request can get those that no operation lists. A running emulator has all of this as OpenAPI at
        <code>${controlDocumentPath}</code>; <a href="/openapi-emulator.json">here</a> it is as a file. What
        it is for is in <a href="/guides/testing.html#from-another-language">Test your program</a>.
      </p>
      <div class="table" tabindex="0" role="group" aria-label="Refusals">
        <table>
          <thead>
            <tr>
              <th scope="col">Code</th>
              <th scope="col">Status</th>
              <th scope="col">Meaning</th>
            </tr>
          </thead>
          <tbody>
            ${Object.entries(document['x-error-codes']).map(
              ([code, { status, message }]) =>
                html`<tr id="${code}">
                  <th scope="row"><code>${code}</code></th>
                  <td>${status} ${STATUS_CODES[status]}</td>
                  <td>${message}</td>
                </tr> `,
            )}
          </tbody>
        </table>
      </div>`,
  }
}
