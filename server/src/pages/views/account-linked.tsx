import { displayName } from '../../platform/display-name.js'
import { Disclosure, WithName } from '../frame/disclosure.js'
import { Done } from '../frame/done.js'
import { PageFault, toFault } from '../frame/fault.js'
import { Form } from '../frame/form.js'
import { HostedPage, toDocument, type Frame } from '../frame/layout.js'
import { toTimeAgo } from '../frame/moments.js'
import { Person } from '../frame/person.js'
import type { PageForm } from '../frame/step-page.js'
import type { PageTexts } from '../texts/en.js'
import type { LinkedFault } from '../texts/en/social.js'

/** An account at a social provider as its user sees it. */
interface LinkedView {
  readonly id: string
  /** Of the provider. */
  readonly name: string
  /** As the provider has said it; null where it said none. */
  readonly email: string | null
  readonly authenticatedAt: Date
}

interface LinkedPage {
  readonly frame: Frame
  readonly form: PageForm
  /** Of the user here. */
  readonly email: string
  readonly linked: readonly LinkedView[]
  readonly offered: readonly { readonly name: string; readonly displayName: string }[]
  readonly now: Date
  readonly isDone: boolean
  readonly fault?: LinkedFault | undefined
  readonly retryAfterSeconds?: number | undefined
}

/** The accounts at social providers of the user, to link and unlink them. */
export function linkedPage(view: LinkedPage): string {
  const { frame, form, email, linked, offered, now, isDone } = view
  const { texts } = frame
  const words = texts.linked
  const fault = toFault(texts, words.faults, view.fault, view.retryAfterSeconds)
  return toDocument(
    <HostedPage frame={frame} title={texts.account.sections.linked.heading} isFault={fault !== undefined}>
      <Person texts={texts} email={email} />
      <Done isDone={isDone && fault === undefined} sentence={texts.account.saved} />
      <PageFault fault={fault && { ...fault, isOfField: false }} />
      <p>{offered.length + linked.length > 0 ? words.what : words.notOffered}</p>
      {linked.length > 0 && (
        <ul class="own-sections">
          {linked.map((one) => (
            <LinkedItem key={one.id} one={one} {...{ form, now, texts }} />
          ))}
        </ul>
      )}
      {offered.map(({ name, displayName: provider }) => (
        <Form key={name} form={form} action="link" look="second" button={words.link(displayName(provider))}>
          <input type="hidden" name="provider" value={name} />
        </Form>
      ))}
    </HostedPage>,
  )
}

interface LinkedItemProps {
  readonly one: LinkedView
  readonly form: PageForm
  readonly now: Date
  readonly texts: PageTexts
}

function LinkedItem({ one, form, now, texts }: LinkedItemProps) {
  const words = texts.linked
  const provider = displayName(one.name)
  const email = one.email === null ? null : displayName(one.email)
  const name = email === null ? provider : `${provider}, ${email}`
  return (
    <li>
      <strong>{provider}</strong>
      {email !== null && <p>{email}</p>}
      <p class="quiet">{words.lastUsed(toTimeAgo(one.authenticatedAt, now, texts.lang))}</p>
      <Disclosure summary={words.unlink} of={name}>
        <p>{words.unlinkSentence}</p>
        <Form
          form={form}
          action="unlink"
          look="second"
          button={<WithName words={words.unlinkButton} of={name} />}
        >
          <input type="hidden" name="identity_id" value={one.id} />
        </Form>
      </Disclosure>
    </li>
  )
}

interface LinkingPage {
  readonly frame: Frame
  /** The address at the provider. */
  readonly url: string
  /** The name of the provider. */
  readonly provider: string
  /** The address of the section. */
  readonly back: string
}

/** Leads to the provider: a form may not, whose page names no other site. */
export function linkingPage({ frame, url, back, ...view }: LinkingPage): string {
  const words = frame.texts.socialProvider
  const provider = displayName(view.provider)
  return toDocument(
    <HostedPage frame={frame} title={words.heading(provider)} goesOnTo={url}>
      <p>{words.sentence(provider)}</p>
      <p>
        <a href={url}>{words.button(provider)}</a>
      </p>
      <p>
        <a href={back}>{frame.texts.account.back}</a>
      </p>
    </HostedPage>,
  )
}
