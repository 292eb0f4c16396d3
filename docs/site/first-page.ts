import { html } from './html.js'
import type { Navigation } from './navigation.js'
import type { ReferencePage } from './page.js'

/** Where a reader arrives: what this is, the way to a first token, and every page. */
export function firstPage({ groups }: Navigation): ReferencePage {
  return {
    address: '/index.html',
    title: 'Portico documentation',
    description:
      'Guides, API reference, errors and events of Portico, the multi-tenant authentication service.',
    body: html`<h1 id="top">Portico</h1>
      <p class="lead">
        Sign-in, users and organizations for your applications, on a server of yours: hosted pages, passwords,
        magic links, second factors, SAML, OpenID Connect, SCIM.
      </p>
      <p class="ways">
        <a class="first" href="/guides/start.html">From nothing to a verified token in five minutes</a>
        <a href="/reference.html">API reference</a>
      </p>
      ${groups.map(
        ({ title, links }) =>
          html`<h2 id="${title.toLowerCase().replaceAll(' ', '-')}">${title}</h2>
            <ul class="columns">
              ${links.map((link) => html`<li><a href="${link.address}">${link.title}</a></li> `)}
            </ul> `,
      )}`,
  }
}
