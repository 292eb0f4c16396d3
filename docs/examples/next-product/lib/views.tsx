import type { Auth } from '@portico/sdk/session'
import type { ReactNode } from 'react'
import { AddInvoice } from './add-invoice'

/** What a page of an organization is given: `[organization]` of its path. */
export interface OfPath {
  readonly params: Promise<{ readonly organization: string }>
}

/** The companies that use the product. A real one has them in its database. */
const customers = (process.env['CUSTOMERS'] ?? '').split(',').filter((domain) => domain !== '')

const { PORTICO_URL, PORTICO_ENVIRONMENT, PORTICO_CLIENT_ID, SIGNED_OUT_URL } = process.env

/** The page that everybody may see. */
export function Home(auth: Auth) {
  return (
    <Page title="Welcome" auth={auth}>
      {auth.session === null ? <Customers /> : <p>Hello {auth.user.name ?? auth.user.email}.</p>}
    </Page>
  )
}

/** The invoices of the organization that the path names. */
export function Invoices(auth: Auth) {
  return (
    <Page title="Invoices" auth={auth}>
      <p>
        There are no invoices of <strong>{auth.organization?.domain}</strong> yet.
      </p>
      <AddInvoice path={`/api/o/${auth.organization?.domain}/invoices`} />
    </Page>
  )
}

/** A page for those who have signed in with a second factor. */
export function Payroll(auth: Auth) {
  return (
    <Page title="Payroll" auth={auth}>
      <p>The salary of {auth.user?.email} is 4,200.00.</p>
    </Page>
  )
}

interface PageProps {
  readonly title: string
  readonly auth: Auth
  readonly children: ReactNode
}

function Page({ title, auth, children }: PageProps) {
  return (
    <>
      <header>
        <a className="name" href="/">
          Ledger
        </a>
        {auth.session !== null && <Menu {...auth} />}
      </header>
      <main>
        <h1>{title}</h1>
        {children}
      </main>
    </>
  )
}

function Customers() {
  return (
    <ul>
      {customers.map((domain) => (
        <li key={domain}>
          {/* No <Link>, which would fetch it ahead. */}
          <a className="button" href={`/auth/sign-in?organization=${domain}&return_to=/o/${domain}/invoices`}>
            Sign in at {domain}
          </a>
        </li>
      ))}
    </ul>
  )
}

/** The user, and where they can go. A switch and a sign-out are forms, because they change something. */
function Menu({ user, organization }: Auth) {
  const others = customers.filter((domain) => domain !== organization?.domain)
  return (
    <>
      <nav>
        <a href={`/o/${organization?.domain}/invoices`}>Invoices</a> <a href="/payroll">Payroll</a>{' '}
        <a href={accountUrl(organization?.domain)}>Your account</a>
      </nav>
      <p id="user">
        {user?.email} at {organization?.domain}
      </p>
      {others.map((domain) => (
        <form key={domain} method="post" action="/auth/switch">
          <input type="hidden" name="return_to" value={`/o/${domain}/invoices`} />
          <button name="organization" value={domain}>
            Switch to {domain}
          </button>
        </form>
      ))}
      <form method="post" action="/auth/sign-out">
        <button>Sign out</button>
      </form>
    </>
  )
}

/** Where users manage their own account; its link back is one of the allowed URLs of the application, to the letter. */
function accountUrl(domain = ''): string {
  const url = new URL(`/t/${domain}/account`, PORTICO_URL)
  url.searchParams.set('environment', PORTICO_ENVIRONMENT ?? 'production')
  url.searchParams.set('client_id', PORTICO_CLIENT_ID ?? '')
  url.searchParams.set('return_to', SIGNED_OUT_URL ?? '')
  return url.href
}
