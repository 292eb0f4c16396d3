import { slug } from '@portico/contract/fields'
import { Field } from '../pages/frame/field.js'
import { HostedPage, toDocument } from '../pages/frame/layout.js'
import { redirect, type Exchange } from '../pages/frame/page-route.js'
import { sendPage, textOf } from '../pages/frame/site.js'
import { accountAt, consolePage, sendConsoleSentence, type ConsolePage } from './page.js'
import { toOwnPath } from './own-path.js'
import { endSignIn, findSignInUrl, homeOf } from './sign-in.js'
import { findStaff, type Staff } from './visitor.js'

/**
 * The member of staff at a page of an account. Anybody else is sent to sign in and back to the page, or is told so where a form was
 * sent; an account that is not there, or has no staff, has no page.
 *
 * @returns Undefined when the answer was sent.
 */
export async function findStaffOrAsk(exchange: Exchange): Promise<Staff | undefined> {
  const { deps, req } = exchange
  const accountDomain = accountAt(exchange)
  const staff = await findStaff(deps, { accountDomain, cookie: req.headers.cookie })
  if (staff !== undefined) return staff
  const to = toOwnPath(req.originalUrl) ?? homeOf({ accountDomain })
  const url = await findSignInUrl(deps, accountDomain, { to })
  if (url === undefined) sendConsoleSentence(exchange, 404, 'notFound')
  else if (req.method === 'POST') sendConsoleSentence(exchange, 401, 'notSignedIn')
  else redirect(exchange, url)
  return undefined
}

/** The first page of the console, of no account: names of accounts are no secret, who has which is. */
export function chooseAccount(exchange: Exchange): void {
  const { site, req, res } = exchange
  const { account } = req.query
  const named = textOf(account).trim().toLowerCase()
  if (named !== '' && slug().safeParse(named).success) {
    redirect(exchange, homeOf({ accountDomain: named }))
    return
  }
  const isInvalid = account !== undefined
  const page = accountChoicePage(consolePage(exchange, '/console'), { isInvalid, typed: textOf(account) })
  sendPage(site, res.status(isInvalid ? 422 : 200), page, { organization: undefined })
}

interface AccountChoice {
  readonly isInvalid: boolean
  readonly typed: string
}

function accountChoicePage({ frame, words }: ConsolePage, { isInvalid, typed }: AccountChoice): string {
  const { heading, label, hint, button, invalid } = words.accountChoice
  return toDocument(
    <HostedPage frame={frame} title={heading} isFault={isInvalid}>
      <form method="get" action="/console" class="form-main" novalidate>
        <Field
          id="account"
          label={label}
          hint={hint}
          fault={isInvalid ? { sentence: invalid, isOfField: true } : undefined}
          input={{ type: 'text', value: typed, autocomplete: 'organization' }}
        />
        <button type="submit" class="main">
          {button}
        </button>
      </form>
    </HostedPage>,
  )
}

/** Where every sign-in to the console ends. The code in its address is nobody's: what counts is the session of the browser. */
export async function arrive(exchange: Exchange): Promise<void> {
  const { deps, req } = exchange
  const { state, error, iss } = req.query
  const arrived = await endSignIn(deps, { state, error, iss }, req.headers.cookie)
  if ('to' in arrived) redirect(exchange, arrived.to)
  else {
    const label = consolePage(exchange, undefined).frame.texts.tryAgain
    const back = { label, url: toOwnPath(state) ?? '/console' }
    if (arrived.refused === 'error') sendConsoleSentence(exchange, 403, 'refused', { back })
    else sendConsoleSentence(exchange, 401, 'notSignedIn', { back })
  }
}
