import type { DomainState } from '@portico/contract/domains'
import type { OnboardingDomain } from '../../../sso/onboarding/email-domains.js'
import { PageFault, type Fault } from '../../frame/fault.js'
import { Field } from '../../frame/field.js'
import { Form } from '../../frame/form.js'
import { HostedPage, toDocument, type Frame } from '../../frame/layout.js'
import { toTimeAgo } from '../../frame/moments.js'
import type { PageForm } from '../../frame/step-page.js'
import type { DomainFault } from '../../texts/en/email-domains.js'
import { SignOutForms } from '../onboarding-frame.js'
import { CopyField } from '../tutorial-blocks.js'

/** The page on which an administrator proves the domains of the organization. */
interface DomainsPage {
  readonly frame: Frame
  readonly form: PageForm
  readonly email: string
  readonly domains: readonly OnboardingDomain[]
  /** idp_id of each connection of the environment. */
  readonly connections: readonly string[]
  /** The last input. */
  readonly entered: string
  /** Why it was not added. */
  readonly fault: DomainFault | undefined
  /** What became of another form of the page, where it was refused. */
  readonly notice: string | undefined
  readonly now: Date
}

/** Shows each domain with its record and the meaning of its state, and the form for another one. */
export function domainsPage(view: DomainsPage): string {
  const { frame, domains, fault, notice } = view
  const { texts } = frame
  const words = texts.emailDomains
  const isFault = fault !== undefined || notice !== undefined
  const told: Fault | undefined = notice === undefined ? undefined : { sentence: notice, isOfField: false }
  return toDocument(
    <HostedPage frame={frame} title={words.heading} isWide isFault={isFault}>
      <p>{words.sentence}</p>
      <PageFault fault={told} />
      {domains.length === 0 && <p class="quiet">{words.none}</p>}
      {domains.map((domain) => (
        <OneDomain key={domain.id} view={view} domain={domain} />
      ))}
      <AddDomain view={view} />
      <SignOutForms view={{ ...view, listUrl: '/onboarding' }} />
    </HostedPage>,
  )
}

function OneDomain({ view, domain }: { view: DomainsPage; domain: OnboardingDomain }) {
  const { frame, form, now } = view
  const { texts } = frame
  const words = texts.emailDomains
  const { domain: name, state, checked_at: checkedAt, last_result: result, expires_at: expiresAt } = domain
  const day = expiresAt === null ? '' : toDay(expiresAt, texts.lang)
  return (
    <section aria-labelledby={`domain-${domain.id}`}>
      <h2 id={`domain-${domain.id}`}>
        <span>{name}</span>
        <span class={counting.has(state) ? 'tag' : 'tag note'}>{words.states[state]}</span>
      </h2>
      <p>{words.meanings[state](day)}</p>
      {checkedAt !== null && result !== null && (
        <p class="quiet">
          {words.results[result]} {words.checked(toTimeAgo(new Date(checkedAt), now, texts.lang))}
        </p>
      )}
      <Uses view={view} domain={domain} />
      {state === 'expired' ? (
        <Form form={form} action="add" look="second" button={<Named text={words.renew} name={name} />}>
          <input type="hidden" name="domain" value={name} />
        </Form>
      ) : (
        <>
          <DomainRecord view={view} domain={domain} />
          <Form form={form} action="check" look="second" button={<Named text={words.check} name={name} />}>
            <input type="hidden" name="domain_id" value={domain.id} />
          </Form>
        </>
      )}
    </section>
  )
}

/** The states in which a domain counts. */
const counting: ReadonlySet<DomainState> = new Set(['verified', 'lapsing', 'declared'])

/** A button of one of several domains, which those who hear it can tell apart. */
function Named({ text, name }: { text: string; name: string }) {
  return (
    <>
      {text}
      <span class="unseen"> {name}</span>
    </>
  )
}

/** The record, folded away where nothing is to be done with it. */
function DomainRecord({ view: { frame }, domain }: { view: DomainsPage; domain: OnboardingDomain }) {
  const { texts } = frame
  const words = texts.emailDomains
  const { id, record, state } = domain
  const fields = (
    <>
      <p>{words.recordSentence}</p>
      <CopyField id={`name-${id}`} label={words.recordName} value={record.name} texts={texts} />
      <CopyField id={`value-${id}`} label={words.recordValue} value={record.value} texts={texts} />
      <p class="quiet">{words.recordHint}</p>
    </>
  )
  if (state !== 'verified' && state !== 'declared') return fields
  return (
    <details>
      <summary>{words.record}</summary>
      {fields}
    </details>
  )
}

/** The connections that name a domain, or those that may. */
function Uses({ view, domain }: { view: DomainsPage; domain: OnboardingDomain }) {
  const { frame, form, connections } = view
  const words = frame.texts.emailDomains
  if (domain.namedBy.length > 0) return <p class="quiet">{words.usedBy(domain.namedBy.join(', '))}</p>
  if (connections.length === 0 || (domain.state !== 'verified' && domain.state !== 'declared')) return null
  return (
    <>
      <p class="quiet">{words.useSentence}</p>
      {connections.map((idpId) => (
        <Form
          key={idpId}
          form={form}
          action="use"
          look="second"
          button={<Named text={words.use(idpId)} name={domain.domain} />}
        >
          <input type="hidden" name="domain_id" value={domain.id} />
          <input type="hidden" name="idp_id" value={idpId} />
        </Form>
      ))}
    </>
  )
}

function AddDomain({ view: { frame, form, entered, fault } }: { view: DomainsPage }) {
  const { texts } = frame
  const words = texts.emailDomains
  const ofField = fault === undefined ? undefined : { sentence: words.faults[fault], isOfField: true }
  return (
    <section>
      <h2>{words.add}</h2>
      <Form form={form} action="add" button={words.addButton} working={texts.working}>
        <Field
          id="domain"
          label={words.domain}
          fault={ofField}
          hasFocus={ofField !== undefined}
          hint={
            <>
              {words.domainHint} <code lang="en">example.com</code>
            </>
          }
          input={{ type: 'text', value: entered, autocomplete: 'off', inputMode: 'url' }}
        />
      </Form>
    </section>
  )
}

function toDay(at: string, lang: string): string {
  return new Intl.DateTimeFormat(lang, { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(at))
}
