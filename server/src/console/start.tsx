import { email as emailAddress, text } from '@portico/contract/fields'
import { requestIdOf } from '../delivery/request-context.js'
import { findConsoleStart, startConsole } from '../operations/staff/console-start.js'
import { staffEnvironment } from '../operations/staff/staff-organization.js'
import { secretOfOurForm, toCsrfField } from '../pages/frame/csrf.js'
import { Field } from '../pages/frame/field.js'
import { Form } from '../pages/frame/form.js'
import { HostedPage, toDocument } from '../pages/frame/layout.js'
import { keepFlowSecret, redirect, sendPlainSentence, type Exchange } from '../pages/frame/page-route.js'
import { toSessionCookie } from '../pages/frame/session-cookie.js'
import { formOf, sendPage, textOf } from '../pages/frame/site.js'
import type { PageForm } from '../pages/frame/step-page.js'
import { displayName } from '../platform/display-name.js'
import { ApiError } from '../platform/errors.js'
import { consolePage, sendConsoleSentence, type ConsolePage } from './page.js'
import { homeOf } from './sign-in.js'
import type { StartFault } from './texts/en.js'

/** The form of the first owner. It changes nothing, so that a link that something else opens still works. */
export async function showStart(exchange: Exchange): Promise<void> {
  await sendStart(exchange, { email: '', name: '' })
}

interface Entry {
  readonly email: string
  readonly name: string
}

async function sendStart(exchange: Exchange, entry: Entry, fault?: StartFault): Promise<void> {
  const { deps, site, res } = exchange
  const token = tokenOf(exchange)
  const start = await findConsoleStart(deps, token)
  if (start === undefined) {
    sendConsoleSentence(exchange, 404, 'deadStart')
    return
  }
  const action = `/console/start?${new URLSearchParams({ token }).toString()}`
  const form = { action, csrf: toCsrfField(keepFlowSecret(exchange), token) }
  const page = startPage(consolePage(exchange, action), { ...entry, ...start, form, fault })
  sendPage(site, res.status(fault === undefined ? 200 : 422), page, { organization: undefined })
}

/** Makes the first owner, and opens the console in this browser. */
export async function takeStart(exchange: Exchange): Promise<void> {
  const { deps, site, req, res } = exchange
  const token = tokenOf(exchange)
  if (secretOfOurForm(req, site, token) === undefined) {
    sendPlainSentence(exchange, 403, 'otherBrowser')
    return
  }
  const form = formOf(req)
  const entry = { email: textOf(form['email']).trim(), name: textOf(form['name']).trim() }
  const fault = faultOf(entry)
  if (fault !== undefined) {
    await sendStart(exchange, entry, fault)
    return
  }
  const owner = {
    ...entry,
    token,
    userAgent: req.headers['user-agent']?.slice(0, 500) ?? null,
    requestId: requestIdOf(req),
  }
  const started = await startConsole(deps, owner).catch(asTaken)
  if (started === 'email_taken') await sendStart(exchange, entry, started)
  else if (started === undefined) sendConsoleSentence(exchange, 404, 'deadStart')
  else {
    const { staff, secret, expiresAt } = started
    const seconds = Math.ceil((expiresAt.getTime() - deps.now().getTime()) / 1000)
    const owned = { organizationId: staff.organizationId, environment: staffEnvironment }
    res.append('Set-Cookie', toSessionCookie(secret, site.isHttps, owned, seconds))
    redirect(exchange, homeOf(staff))
  }
}

function tokenOf({ req }: Exchange): string {
  return textOf(req.query['token'])
}

function faultOf({ email, name }: Entry): StartFault | undefined {
  if (email === '') return 'email_missing'
  if (!emailAddress().safeParse(email).success) return 'email_invalid'
  if (name === '') return 'name_missing'
  return text(100).safeParse(name).success ? undefined : 'name_too_long'
}

function asTaken(error: unknown): 'email_taken' {
  if (error instanceof ApiError && error.code === 'email_taken') return 'email_taken'
  throw error
}

interface StartPage extends Entry {
  readonly accountDomain: string
  readonly form: PageForm
  readonly fault: StartFault | undefined
}

function startPage({ frame, words }: ConsolePage, shown: StartPage): string {
  const { start } = words
  const { accountDomain, form, email, name, fault } = shown
  const faultAt = (field: 'email' | 'name') =>
    fault?.startsWith(`${field}_`) === true ? { sentence: start.faults[fault], isOfField: true } : undefined
  return toDocument(
    <HostedPage
      frame={frame}
      title={start.heading(displayName(accountDomain, 100))}
      isFault={fault !== undefined}
    >
      <p>{start.lead}</p>
      <Form form={form} action="start" button={start.button} working={frame.texts.working}>
        <Field
          id="email"
          label={start.email}
          hint={start.emailHint}
          fault={faultAt('email')}
          hasFocus={faultAt('name') === undefined}
          input={{ type: 'email', value: email, autocomplete: 'email' }}
        />
        <Field
          id="name"
          label={start.name}
          fault={faultAt('name')}
          hasFocus={faultAt('name') !== undefined}
          input={{ type: 'text', value: name, autocomplete: 'name' }}
        />
      </Form>
    </HostedPage>,
  )
}
