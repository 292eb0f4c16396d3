import { readFileSync } from 'node:fs'
import type { Auth } from '@portico/sdk/session'

const { PORTICO_URL, PORTICO_ENVIRONMENT, PORTICO_CLIENT_ID, SIGNED_OUT_URL } = process.env

const style = readFileSync(new URL('style.css', import.meta.url), 'utf8')

/** The companies that use the product. A real one has them in its database. */
const customers = (process.env['CUSTOMERS'] ?? '').split(',').filter((domain) => domain !== '')

/** Markup: what is put into it is escaped. */
interface Html {
  readonly markup: string
}

/** The page that everybody may see. */
export function home(auth: Auth): string {
  if (auth.session === null) {
    const links = customers.map(
      (domain) => html`<li><a class="button" href="${signInPath(domain)}">Sign in at ${domain}</a></li>`,
    )
    return page(
      'Welcome',
      auth,
      html`<p>Invoices and payroll of your company.</p>
        <ul>
          ${links}
        </ul>`,
    )
  }
  return page('Welcome', auth, html`<p>Hello ${auth.user.name ?? auth.user.email}.</p>`)
}

/** The invoices of the organization that the path names. */
export function invoices(auth: Auth): string {
  const content = html`<p>There are no invoices of <strong>${auth.organization?.domain}</strong> yet.</p>
    <p><button id="add">Add an invoice</button></p>
    <p id="answer" role="status"></p>
    <script type="module">
      ${addInvoice}
    </script>`
  return page('Invoices', auth, content)
}

/** A page for those who have signed in with a second factor. */
export function payroll(auth: Auth): string {
  return page('Payroll', auth, html`<p>The salary of ${auth.user?.email} is 4,200.00.</p>`)
}

/** A tab that was left open in another organization is told so, and adds nothing to the wrong one. */
const addInvoice: Html = {
  markup: `
  const answer = document.querySelector('#answer')
  document.querySelector('#add').addEventListener('click', async () => {
    const response = await fetch(location.pathname, { method: 'POST' })
    const { error } = await response.json()
    answer.textContent = error === undefined ? 'An invoice was added.' : 'Nothing was added: ' + error.code + '. '
    if (error?.sign_in_url === undefined) return
    const link = Object.assign(document.createElement('a'), { href: error.sign_in_url, textContent: 'Go on' })
    answer.append(link)
  })`,
}

function page(title: string, auth: Auth, content: Html): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title} – Ledger</title>
        <link rel="icon" href="data:," />
        <style>
          ${{ markup: style }}
        </style>
      </head>
      <body>
        <header><a class="name" href="/">Ledger</a>${auth.session === null ? '' : menuOf(auth)}</header>
        <main>
          <h1>${title}</h1>
          ${content}
        </main>
      </body>
    </html>`.markup
}

/** The user, and where they can go. A switch and a sign-out are forms, because they change something. */
function menuOf({ user, organization }: Auth): Html {
  const others = customers.filter((domain) => domain !== organization?.domain)
  return html`<nav>
      <a href="/o/${organization?.domain}/invoices">Invoices</a> <a href="/payroll">Payroll</a>
      <a href="${accountUrl(organization?.domain)}">Your account</a>
    </nav>
    <p id="user">${user?.email} at ${organization?.domain}</p>
    ${others.map(switchTo)}
    <form method="post" action="/auth/sign-out"><button>Sign out</button></form>`
}

/** Where users manage their own account; its link back is one of the allowed URLs of the application, to the letter. */
function accountUrl(domain = ''): string {
  const url = new URL(`/t/${domain}/account`, PORTICO_URL)
  url.searchParams.set('environment', PORTICO_ENVIRONMENT ?? 'production')
  url.searchParams.set('client_id', PORTICO_CLIENT_ID ?? '')
  url.searchParams.set('return_to', SIGNED_OUT_URL ?? '')
  return url.href
}

function switchTo(domain: string): Html {
  return html`<form method="post" action="/auth/switch">
    <input type="hidden" name="return_to" value="/o/${domain}/invoices" />
    <button name="organization" value="${domain}">Switch to ${domain}</button>
  </form>`
}

function signInPath(domain: string): string {
  const query = new URLSearchParams({ organization: domain, return_to: `/o/${domain}/invoices` })
  return `/auth/sign-in?${query.toString()}`
}

type Value = string | undefined | Html | readonly Html[]

function html(parts: TemplateStringsArray, ...values: readonly Value[]): Html {
  const written = parts.map((part, index) => part + markupOf(values[index]))
  return { markup: written.join('') }
}

function markupOf(value: Value): string {
  if (value === undefined) return ''
  if (typeof value === 'string')
    return value.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
  return 'markup' in value ? value.markup : value.map(({ markup }) => markup).join('')
}
