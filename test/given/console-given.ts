import type { Account } from '@portico/server/accounts'
import { makeConsoleLink } from '@portico/server/console-start'
import { ensureStaffOrganization } from '@portico/server/staff-organization'
import { anyEmail } from './given.js'
import type { Service } from './harness.js'
import { createVisitor, type Seen, type Visitor } from './visitor.js'

/** Accounts with staff, and browsers at their consoles. */
export function consoleGivenOf(service: Service) {
  /** The link of the first owner, as the start of the service prints it; of a new account where none is given. */
  async function link(of?: Account) {
    const account = of ?? (await service.createAccount())
    const url = await makeConsoleLink(service.deps, account.id)
    if (url === undefined) throw new Error('the account has an owner')
    return { account, url }
  }

  /** Opens a link, and sends its form. */
  async function open(url: string, fields: { email: string; name?: string }, visitor = visitorOf()) {
    const page = await visitor.visit(url)
    return visitor.send(page, 'start', { name: 'Ada Lovelace', ...fields })
  }

  /** The first owner of an account, in a browser that is at the console. */
  async function owner(of?: Account) {
    const { account, url } = await link(of)
    const [email, visitor] = [anyEmail(), visitorOf()]
    const begun = await open(url, { email }, visitor)
    const staff = await ensureStaffOrganization(service.deps, account.id)
    const home = `/console/${account.domain}/sandbox`
    return { account, email, visitor, begun, staff, home }
  }

  /** Signs in by a mailed link, from the first page of a sign-in on. */
  async function signInByLink(page: Seen, email: string, visitor: Visitor): Promise<Seen> {
    const asked = await visitor.press(page, 'identify', { email })
    await visitor.press(asked, 'mail_link')
    const link = await mailedLink(email)
    const opened = await visitor.visit(link)
    const token = new URLSearchParams(new URL(link).hash.slice(1) || new URL(link).search).get('token') ?? ''
    return visitor.press(opened, '', { token })
  }

  /** The newest link that was mailed to an address: to its mailbox, or kept where the service has no mail server. */
  async function mailedLink(email: string): Promise<string> {
    await service.runJobs()
    const kept = await service.query<{ text: string }>(
      'select text from outbox_messages where recipient = $1 order by inserted_at desc limit 1',
      [email],
    )
    const [url] = kept.flatMap(({ text }) => /http\S+\/t\/\S+/.exec(text)?.[0] ?? [])
    if (url === undefined) throw new Error(`no link was mailed to ${email}`)
    return url
  }

  /** Somebody whom an owner has invited in the console, and who has come in by the mailed link, in a browser of their own. */
  async function colleague(
    owner: { readonly visitor: Visitor; readonly account: Account },
    ...roles: string[]
  ) {
    const [email, visitor] = [anyEmail(), visitorOf()]
    const form = await owner.visitor.request(
      `/console/${owner.account.domain}/sandbox/staff-invitations/_create`,
    )
    const invited = await submit(owner.visitor, form, { email, reason: 'A colleague' }, undefined, roles)
    if (invited.status !== 303) throw new Error(`the invitation was answered by ${invited.status}`)
    const page = await visitor.visit(await mailedLink(email))
    const entered = await visitor.press(page, 'begin')
    if (entered.html.includes('value="not_now"')) await visitor.press(entered, 'not_now')
    return { email, visitor }
  }

  /** Sends the form of a resource, at its own address, with its hidden fields. */
  function submit(
    visitor: Visitor,
    page: Seen,
    fields: Record<string, string>,
    headers: Record<string, string> = { origin: service.baseUrl },
    roles: readonly string[] = [],
  ): Promise<Seen> {
    const form = page.html.split('<form').find((part) => part.includes('class="form-main"')) ?? ''
    const hidden = [...form.matchAll(/<input type="hidden" name="([\w-]+)" value="([^"]*)"/g)].map(
      ([, name = '', value = '']) => [name, value.replaceAll('&quot;', '"')] as const,
    )
    const body = new URLSearchParams({ ...Object.fromEntries(hidden), ...fields })
    for (const role of roles) body.append('roles', role)
    return visitor.request(page.url, { method: 'POST', headers, body })
  }

  function visitorOf(): Visitor {
    return createVisitor(service.baseUrl)
  }

  return { link, open, owner, colleague, signInByLink, mailedLink, submit, visitorOf }
}
