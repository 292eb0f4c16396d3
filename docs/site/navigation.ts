import type { OpenApiDocument } from '@portico/contract/openapi'
import { resourceAddress } from './addresses.js'
import type { Group } from './contents.js'
import { emulatorAddress } from './emulator-page.js'

export interface Link {
  readonly title: string
  readonly address: string
}

/** The pages that the side of each page lists, in groups. The previous and the next page follow this order. */
export interface Navigation {
  readonly groups: readonly { readonly title: string; readonly links: readonly Link[] }[]
}

/** The reference stands before what contributors read. */
export function navigationOf(contents: readonly Group[], { tags }: OpenApiDocument): Navigation {
  const reference = {
    title: 'Reference',
    links: [
      { title: 'Conventions', address: '/reference.html' },
      ...tags.map(({ name }) => ({ title: name, address: resourceAddress(name) })),
      { title: 'Records', address: '/records.html' },
      { title: 'Errors', address: '/errors.html' },
      { title: 'Event codes', address: '/events.html' },
      { title: 'Emulator', address: emulatorAddress },
    ],
  }
  const groups = contents.map(({ title, documents }) => ({ title, links: documents }))
  return { groups: [...groups.slice(0, -1), reference, ...groups.slice(-1)] }
}
