import { askedOf } from '@portico/contract/danger'
import { routeNamed } from '@portico/contract/every-route'
import type { Diagnoses, Diagnosis, Finding, FindingAction } from '@portico/contract/people'
import { formOf, textOf } from '../pages/frame/site.js'
import { failedPage, failureOf } from '../screens/failed.js'
import { valueLabel } from '../screens/labels.js'
import { readableTime, WithTimes } from '../screens/time.js'
import type { Outcome, Visit } from '../screens/visit.js'
import type { PeopleTexts } from './texts/people-en.js'
import { en } from './texts/people-en.js'
import { fr } from './texts/people-fr.js'
import { isOurForm, type ConsoleVisit } from './console-visit.js'
import { consolePage } from './page.js'

const textsOf: Readonly<Record<string, PeopleTexts>> = { en, fr }

/** At most so many characters of an address are looked up (RFC 5321 section 4.5.3.1). */
export const maxEmailLength = 254

function textsFor({ language }: Visit): PeopleTexts {
  return textsOf[language.texts.lang] ?? en
}

/** Says why the owner of an address can or cannot sign in, in each organization, with what mends it. */
export function showPerson(visit: ConsoleVisit): Promise<Outcome> {
  const { email, org_domain: domain } = visit.exchange.req.query
  return personPage(visit, {
    email: textOf(email, maxEmailLength).trim(),
    domain: textOf(domain).trim(),
    failed: undefined,
  })
}

interface Looked {
  readonly email: string
  readonly domain: string
  /** Why what was to mend it did not work. */
  readonly failed: string | undefined
}

async function personPage(visit: ConsoleVisit, { email, domain, failed }: Looked): Promise<Outcome> {
  const { query } = visit.exchange.req
  const texts = textsFor(visit)
  if (email === '') return page(texts.title, <Search texts={texts} email="" domain="" visit={visit} />)
  const answer = await visit.call({
    route: 'people.diagnose',
    query: { email, ...(domain !== '' && { org_domain: domain }) },
  })
  const failure = failureOf(answer)
  if (failure !== undefined && failure.status !== 422 && failure.status !== 404)
    return failedPage(visit, failure)
  const fault = failure && (failure.fields[0]?.message ?? failure.message)
  const found = failure === undefined ? (answer.body as Diagnoses) : undefined
  const content = (
    <>
      <Search texts={texts} email={email} domain={domain} visit={visit} />
      {query['done'] !== undefined && (
        <p class="done" role="status">
          {texts.done}
        </p>
      )}
      {failed !== undefined && (
        <p class="fault" role="alert">
          {texts.failed} {failed}
        </p>
      )}
      {fault !== undefined && (
        <p class="fault" role="alert">
          {fault}
        </p>
      )}
      {found?.data.length === 0 && (
        <p class="empty">
          {texts.nobody} {texts.nobodyAdvice}
        </p>
      )}
      {found?.data.map((diagnosis) => (
        <Organization key={diagnosis.org_domain} visit={visit} email={email} diagnosis={diagnosis} />
      ))}
      {found?.is_cut === true && <p>{texts.cut}</p>}
    </>
  )
  return page(texts.title, content, failure?.status ?? (failed === undefined ? 200 : 422))
}

function page(title: string, content: preact.ComponentChildren, status = 200): Outcome {
  return { page: { status, title, crumbs: [], content } }
}

function Search({
  texts,
  email,
  domain,
  visit,
}: {
  readonly texts: PeopleTexts
  readonly email: string
  readonly domain: string
  readonly visit: Visit
}) {
  return (
    <form method="get" action={`${visit.base}/people`} class="filters" role="search">
      <div class="field">
        <label for="email">{texts.email}</label>
        <input id="email" name="email" type="email" value={email} autocomplete="off" required />
      </div>
      <div class="field">
        <label for="org_domain">{texts.organization}</label>
        <input id="org_domain" name="org_domain" value={domain} autocomplete="off" />
      </div>
      <button type="submit" class="main">
        {texts.search}
      </button>
      <p class="hint">{texts.searchHelp}</p>
    </form>
  )
}

interface OrganizationProps {
  readonly visit: ConsoleVisit
  readonly email: string
  readonly diagnosis: Diagnosis
}

function Organization({ visit, email, diagnosis }: OrganizationProps) {
  const texts = textsFor(visit)
  const { org_domain: domain, org_name: name, user_id: userId, verdict, method, findings } = diagnosis
  const { last_signed_in_at: lastAt } = diagnosis
  const { lang } = visit.language.texts
  const organization = `${visit.base}/organizations/${domain}`
  const [first] = findings.filter(({ stops }) => stops)
  return (
    <section class="diagnosis" aria-label={name}>
      <h2>
        <a href={organization}>
          <bdi>{name}</bdi>
        </a>
      </h2>
      <p class={verdict === 'can' ? 'verdict can' : 'verdict cannot'}>
        <strong>{verdict === 'can' ? texts.can(email) : texts.cannot(email)}</strong>{' '}
        {first !== undefined && <Said visit={visit} finding={first} />}
      </p>
      <p>
        {method !== null && texts.method[method]}{' '}
        {lastAt === null ? (
          texts.never
        ) : (
          <WithTimes sentence={texts.last(readableTime(lastAt, lang))} times={[lastAt]} lang={lang} />
        )}
      </p>
      <ul class="findings">
        {findings.map((finding) => (
          <li key={finding.code} class={finding.stops ? 'stops' : undefined}>
            <strong>{finding.stops ? texts.stops : texts.note}:</strong>{' '}
            <Said visit={visit} finding={finding} />{' '}
            {finding.proof.source === 'login_attempt' && finding.idp_id !== null && (
              <a href={`${visit.base}/sso-connections/${encodeURIComponent(finding.idp_id)}/attempts`}>
                {texts.attempt}
              </a>
            )}
            <Action visit={visit} email={email} diagnosis={diagnosis} finding={finding} />
          </li>
        ))}
      </ul>
      <p class="buttons">
        {userId !== null && visit.mayCall('users.get') && (
          <>
            <a class="button" href={`${organization}/users/${userId}`}>
              {texts.user}
            </a>
            <a class="button" href={`${organization}/users/${userId}/sessions`}>
              {texts.sessions}
            </a>
          </>
        )}
        <a class="button" href={`${organization}/log-events?email=${encodeURIComponent(email)}`}>
          {texts.log}
        </a>
      </p>
    </section>
  )
}

/** What a finding says. */
function Said({
  visit,
  finding,
}: Omit<OrganizationProps, 'email' | 'diagnosis'> & { readonly finding: Finding }) {
  const { texts } = visit.language
  const { code, detail, count, until, proof } = finding
  const readable = (at: string | null) => (at === null ? '' : readableTime(at, texts.lang))
  const sentence = textsFor(visit).findings[code]({
    ...inWords(visit, finding),
    demands: code === 'sso_attempt_failed' ? demandsOf(visit, detail) : '',
    count: count ?? 0,
    until: readable(until),
    at: readable(proof.at),
  })
  const times = [until, proof.at].flatMap((at) => at ?? [])
  return <WithTimes sentence={sentence} times={times} lang={texts.lang} />
}

/** What a finding is about, as the lists of the console call it. */
function inWords(
  { language: { labels } }: Visit,
  { code, detail }: Finding,
): { detail: string; mail: string } {
  const said = detail ?? ''
  const reason = (name: string) => valueLabel(labels, 'reason', name)
  if (code === 'sso_policy') return { detail: valueLabel(labels, 'user_policy', said), mail: '' }
  if (code === 'attempt_refused') return { detail: reason(said), mail: '' }
  if (code !== 'mail_sent' && code !== 'mail_failed') return { detail: said, mail: '' }
  // As the log has it: the name of the mail, and the answer of the server.
  const [name = '', ...answer] = said.split(': ')
  return { detail: answer.join(': '), mail: reason(name) }
}

/** What a check of single sign-on demands, in the words of the pages that administrators have; '' of no check. */
function demandsOf({ exchange, staff }: ConsoleVisit, check: string | null): string {
  const { checkTexts } = consolePage(exchange, exchange.req.path, staff.user.locale).frame.texts
  return Object.entries(checkTexts).find(([name]) => name === check)?.[1].demands ?? ''
}

/** What mends a finding by a form here: the operation that it calls. */
const forms: Readonly<Partial<Record<FindingAction, string>>> = {
  unlock: 'limits.unlock',
  send_link: 'magicLink.createChallenge',
  send_password_mail: 'password.createRequest',
}

/** What mends a finding elsewhere: the operation, and the address below that of the environment. */
const links: Readonly<
  Partial<
    Record<FindingAction, { readonly route: string; readonly to: (of: Diagnosis, about: Finding) => string }>
  >
> = {
  edit_application: {
    route: 'applications.update',
    to: (of) => `organizations/${of.org_domain}/applications`,
  },
  edit_sign_in_methods: { route: 'organizations.update', to: (of) => `organizations/${of.org_domain}` },
  edit_allowed_domains: { route: 'organizations.update', to: (of) => `organizations/${of.org_domain}/_edit` },
  edit_sso_connection: {
    route: 'ssoConnections.get',
    to: (_of, { idp_id: id }) =>
      id === null ? 'sso-connections' : `sso-connections/${encodeURIComponent(id)}`,
  },
  edit_policy: { route: 'organizationPolicy.update', to: (of) => `organizations/${of.org_domain}/policy` },
  edit_passkeys: {
    route: 'passkeys.updateConnection',
    to: (of) => `organizations/${of.org_domain}/passkey-connection`,
  },
  create_user: { route: 'users.create', to: (of) => `organizations/${of.org_domain}/users/_create` },
  activate_user: { route: 'users.update', to: (of) => `${userOf(of)}/_edit` },
  remove_second_factor: {
    route: 'totp.removeEnrollment',
    to: (of) => `${userOf(of)}/_do/totp.removeEnrollment`,
  },
  edit_metadata: { route: 'users.addMetadata', to: (of) => `${userOf(of)}/_do/users.addMetadata` },
}

function userOf({ org_domain: domain, user_id: userId }: Diagnosis): string {
  return `organizations/${domain}/users/${userId ?? ''}`
}

function Action({ visit, email, diagnosis, finding }: OrganizationProps & { readonly finding: Finding }) {
  const texts = textsFor(visit)
  const { action } = finding
  if (action === null) return null
  const link = links[action]
  if (link !== undefined && visit.mayCall(link.route))
    return <a href={`${visit.base}/${link.to(diagnosis, finding)}`}>{texts.actions[action]}</a>
  const route = forms[action]
  if (route === undefined || !visit.mayCall(route)) return null
  const isReasonAsked = askedOf(routeNamed(route), visit.environment) !== undefined
  const id = `reason-${diagnosis.org_domain}-${finding.code}`
  return (
    <form method="post" action={`${visit.base}/people/${action}`} data-once="" class="inline">
      <input type="hidden" name="csrf" value={visit.csrf} />
      <input type="hidden" name="email" value={email} />
      <input type="hidden" name="org_domain" value={diagnosis.org_domain} />
      {isReasonAsked && (
        <>
          <label for={id}>{visit.language.texts.reason}</label>
          <input id={id} name="reason" required minLength={3} maxLength={300} autocomplete="off" />
        </>
      )}
      <button type="submit" class="second">
        {texts.actions[action]}
      </button>
    </form>
  )
}

/** Runs what mends a finding by a form, and looks again. */
export async function mendPerson(
  visit: ConsoleVisit,
  action: string,
): Promise<Outcome | 'foreign' | 'missing'> {
  const { req } = visit.exchange
  if (!isOurForm(visit)) return 'foreign'
  const { email: sentEmail, org_domain: sentDomain, reason } = formOf(req)
  const email = textOf(sentEmail, maxEmailLength)
  const domain = textOf(sentDomain)
  const operation = operations.get(action)
  if (operation === undefined) return 'missing'
  const fault = await operation(visit, { email, domain, reason: textOf(reason) })
  if (fault !== undefined) return personPage(visit, { email, domain: '', failed: fault })
  return { location: `${visit.base}/people?${new URLSearchParams({ email, done: '' }).toString()}` }
}

interface Mending {
  readonly email: string
  readonly domain: string
  readonly reason: string
}

/** Resolves to what went wrong; undefined after a success. */
type Operation = (visit: ConsoleVisit, about: Mending) => Promise<string | undefined>

const operations: ReadonlyMap<string, Operation> = new Map<string, Operation>([
  [
    'unlock',
    async (visit, { email, domain, reason }) =>
      faultOf(
        await visit.call({
          route: 'limits.unlock',
          body: { email, org_domain: domain, kinds: ['sign_in', 'mail'] },
          reason,
        }),
      ),
  ],
  [
    'send_link',
    async (visit, { email, domain }) =>
      faultOf(
        await visit.call({
          route: 'magicLink.createChallenge',
          body: { user_email: email, org_domain: domain },
        }),
      ),
  ],
  ['send_password_mail', sendPasswordMail],
])

/** A password mail is a request for a new password, and the link that leads to it. */
async function sendPasswordMail(
  visit: ConsoleVisit,
  { email, domain }: Mending,
): Promise<string | undefined> {
  const listed = await visit.call({ route: 'applications.list', params: { org_domain: domain } })
  const { data = [] } = listed.body as { data?: readonly Receiver[] }
  const application = data.find(({ allowed_redirect_urls: urls }) => urls.length > 0)
  if (application === undefined) return textsFor(visit).noApplication
  const of = { user_email: email, org_domain: domain, application_id: application.client_id }
  const redirect_uri = application.default_redirect_uri_after_login ?? application.allowed_redirect_urls[0]
  const requested = await visit.call({ route: 'password.createRequest', body: { ...of, redirect_uri } })
  const fault = faultOf(requested)
  if (fault !== undefined) return fault
  const { request_id } = requested.body as { request_id: string }
  return faultOf(
    await visit.call({
      route: 'magicLink.createChallenge',
      body: { user_email: email, org_domain: domain, request_id },
    }),
  )
}

interface Receiver {
  readonly client_id: string
  readonly allowed_redirect_urls: readonly string[]
  readonly default_redirect_uri_after_login: string | null
}

function faultOf(answer: Parameters<typeof failureOf>[0]): string | undefined {
  const failure = failureOf(answer)
  return failure && (failure.fields[0]?.message ?? failure.message)
}
