import type { Html } from './html.js'

/** A page that is written from the contract. Its links begin at the root of the site. */
export interface ReferencePage {
  readonly address: string
  readonly title: string
  readonly description: string
  readonly body: Html
}
