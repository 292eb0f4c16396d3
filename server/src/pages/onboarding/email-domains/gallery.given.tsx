import { Domain, domainResults, domainStates } from '@portico/contract/domains'
import { exampleOf } from '@portico/contract/record'
import { errorPage } from '../../frame/error.js'
import type { GalleryNames, GalleryPage } from '../../gallery.given.js'
import type { Frame } from '../../frame/layout.js'
import { domainFaults } from '../../texts/en/email-domains.js'
import { domainsPage } from './page.js'

/** The page of the domains in every state. */
export function emailDomainsStates(organizationFrame: Frame, { email }: GalleryNames): GalleryPage[] {
  const url = '/onboarding/email-domains/production'
  const frame = { ...organizationFrame, url }
  const words = frame.texts.emailDomains
  const example = { ...exampleOf(Domain), __environment__: 'production' as const, namedBy: [] }
  const now = new Date(Date.parse(example.inserted_at) + 3_600_000)
  const domains = domainStates.map((state, index) => ({
    ...example,
    id: `${example.id.slice(0, -1)}${index}`,
    state,
    expires_at: new Date(now.getTime() + 14 * 24 * 3_600_000).toISOString(),
    last_result: domainResults[index % domainResults.length] ?? null,
  }))
  const view = {
    frame,
    form: { action: `${url}?ui_locales=en`, csrf: 'c'.repeat(43) },
    email,
    domains,
    connections: ['awesome_company_5fGh2KqPzX81mTnRw4YdJb'],
    entered: '',
    fault: undefined,
    notice: undefined,
    now,
  }
  const named = domains.map((domain) => ({ ...domain, namedBy: view.connections }))
  const page = (name: string, html: string): GalleryPage => ({ name: `onboarding-domains-${name}`, html })
  return [
    page('states', domainsPage(view)),
    page('used', domainsPage({ ...view, domains: named.slice(0, 2) })),
    page('empty', domainsPage({ ...view, domains: [] })),
    ...domainFaults.map((fault) =>
      page(fault, domainsPage({ ...view, domains: [], entered: 'gmail.com', fault })),
    ),
    page('not-proved', domainsPage({ ...view, notice: words.notProved })),
    page('none', errorPage(frame, frame.texts.noSuchDomains)),
  ]
}
