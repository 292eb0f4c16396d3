import { html, type Html } from './html.js'
import type { Link, Navigation } from './navigation.js'
import type { ReferencePage } from './page.js'
import { picture } from './picture.js'

/** What readers come for, in their words, and the page that says how. */
const tasks: readonly { readonly title: string; readonly text: string; readonly address: string }[] = [
  {
    title: "Sign in my customers' employees",
    text: 'Hosted pages by OpenID Connect: password, magic link, second factor.',
    address: '/guides/sign-in.html',
  },
  {
    title: 'Keep them signed in to my app',
    text: 'Next.js, Express and Hono in twelve lines, a cookie and no token in the browser.',
    address: '/guides/sessions-in-your-app.html',
  },
  {
    title: 'Connect Okta',
    text: 'Or Entra ID, Google Workspace and others, by SAML or OpenID Connect.',
    address: '/guides/sso.html#connect-okta-entra-id-or-another',
  },
  {
    title: 'Let the customer set it up',
    text: 'A link to pages that lead their administrator to a test sign-in.',
    address: '/guides/onboarding.html',
  },
  {
    title: 'Sync a directory',
    text: 'SCIM 2.0: people who join have a user, people who leave are signed out.',
    address: '/guides/directory-sync.html',
  },
  {
    title: 'Protect an API',
    text: 'Verify tokens of every customer, in TypeScript, Python or by hand.',
    address: '/guides/protect-a-route.html',
  },
  {
    title: 'Help a person who cannot sign in',
    text: 'The console says why, with the button that mends it; staff have roles, and an audit.',
    address: '/guides/console.html',
  },
  {
    title: 'Test without a network',
    text: 'An emulator that is the service, with a clock that tests move.',
    address: '/guides/testing.html',
  },
  {
    title: 'Follow what happens',
    text: 'Every change as an event, without a gap; signed webhooks.',
    address: '/guides/events.html',
  },
  {
    title: 'Run it in production',
    text: 'An image, Compose, Kubernetes, systemd; several processes behind a proxy.',
    address: '/guides/deploy.html',
  },
  {
    title: 'Back up, upgrade, rotate keys',
    text: 'Each is one command, while the service runs.',
    address: '/guides/operate.html#backup-and-restore',
  },
  {
    title: 'Answer the GDPR',
    text: "Export a person's data, and erase them, with proof by an event.",
    address: '/guides/privacy.html',
  },
  {
    title: 'Move users here',
    text: 'With the password hashes of the system before: nobody chooses a new one.',
    address: '/guides/import.html',
  },
]

/** Where a reader arrives: what this is, what it looks like, ways to begin, and every page. */
export function firstPage({ groups }: Navigation): ReferencePage {
  return {
    address: '/index.html',
    title: 'Portico documentation',
    description:
      'Guides, API reference, errors and events of Portico, the multi-tenant authentication service.',
    body: html`<h1 id="top">Portico</h1>
      <p class="lead">
        Multi-tenant authentication for products that sell to companies: hosted sign-in pages, single sign-on
        by SAML and OpenID Connect, directory sync by SCIM and an OpenID Connect provider, in one process and
        one Postgres that you run yourself. For a team that sells software to companies and runs its own
        servers.
      </p>
      <pre tabindex="0"><code>npm ci &amp;&amp; npm start</code></pre>
      <p class="ways">
        <a class="first" href="/guides/start.html">From nothing to a verified token in five minutes</a>
        <a href="/reference.html">API reference</a>
        <a href="/readme.html">Compared with others, and what they cost</a>
        <a href="/guides/not-there.html">What it does not do</a>
      </p>
      <div class="looks">
        ${look('sign-in', 'The sign-in page, which asks for an e-mail address.', 'The sign-in page of a customer.')}
        ${look(
          'attempt',
          'A test sign-in that failed: each check, and of the failed one what was expected and what came.',
          'A login attempt that explains itself: what was expected, what came, who can mend it.',
        )}
      </div>
      <h2 id="tasks">What do you want to do?</h2>
      <ul class="tiles">
        ${tasks.map(
          ({ title, text, address }) =>
            html`<li><a href="${address}">${title}</a> <span>${text}</span></li> `,
        )}
      </ul>
      ${groups.map(
        ({ title, links }) =>
          html`<h2 id="${title.toLowerCase().replaceAll(' ', '-')}">${title}</h2>
            <ul class="columns">
              ${links.filter(isNoDecision).map((link) => html`<li><a href="${link.address}">${link.title}</a></li> `)}
            </ul> `,
      )}`,
  }
}

/** The decisions are dozens, and follow each other; the contents at the side list them. */
function isNoDecision({ address }: Link): boolean {
  return !address.startsWith('/decisions/')
}

function look(name: string, alt: string, caption: string): Html {
  return html`<figure>
    ${{ markup: picture(`docs/images/${name}.webp`, alt) }}
    <figcaption>${caption}</figcaption>
  </figure> `
}
