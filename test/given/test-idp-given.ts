import { leadOf } from './saml-given.js'
import type { Seen, Visitor } from './visitor.js'

/** Submits the page of the built-in identity provider, and posts its response to the service, like a browser. */
export async function answerAtTestIdp(
  visitor: Visitor,
  page: Seen,
  fields: Record<string, string>,
): Promise<Seen> {
  const asked = Object.fromEntries(
    ['SAMLRequest', 'RelayState'].map((name) => [name, fieldOf(page.html, name)]),
  )
  const answer = await visitor.send(page, '', { ...asked, ...fields })
  if (answer.status !== 200) return answer
  return visitor.send(answer, '', {
    SAMLResponse: fieldOf(answer.html, 'SAMLResponse'),
    RelayState: fieldOf(answer.html, 'RelayState'),
  })
}

/** The same, and follows the redirects. */
export async function chooseAtTestIdp(
  visitor: Visitor,
  page: Seen,
  fields: Record<string, string>,
): Promise<Seen> {
  const hop = await answerAtTestIdp(visitor, page, fields)
  const leads = hop.status === 200 && hop.html.includes('http-equiv="refresh"')
  return leads ? visitor.visit(leadOf(hop)) : hop
}

function fieldOf(html: string, name: string): string {
  return new RegExp(`name="${name}" value="([^"]*)"`).exec(html)?.[1] ?? ''
}
