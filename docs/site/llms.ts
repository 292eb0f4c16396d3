import type { Navigation } from './navigation.js'
import { markdownAddress } from './markdown-form.js'

/** A list of the pages for programs that read them (llmstxt.org): each as Markdown, with its first sentence. */
export function llmsText({ groups }: Navigation, descriptionOf: (address: string) => string): string {
  const sections = groups.map(({ title, links }) => {
    const lines = links.map(
      ({ title: name, address }) =>
        `- [${name}](${markdownAddress(address).slice(1)}): ${descriptionOf(address)}`,
    )
    // A section of this name may be passed over where there is little room.
    const heading = title === 'Contribute' ? 'Optional' : title
    return [`## ${heading}`, lines.join('\n')].join('\n\n')
  })
  return `${[head, ...sections].join('\n\n')}\n`
}

const head = `# Portico

> Multi-tenant authentication for products that sell to companies: hosted sign-in pages, single sign-on by SAML and OpenID
> Connect, directory sync by SCIM and an OpenID Connect provider, in one process and one Postgres that you run yourself.

Each page is Markdown at the address below. The API is described by openapi.json beside this file.`
