import { Done } from '../frame/done.js'
import { PageFault, toFault, type Fault } from '../frame/fault.js'
import { CodeField, Field } from '../frame/field.js'
import { Form } from '../frame/form.js'
import { HostedPage, toDocument, type Frame } from '../frame/layout.js'
import { toWait } from '../frame/moments.js'
import { displayAddress, Person } from '../frame/person.js'
import type { PageForm } from '../frame/step-page.js'
import type { OwnEmailFault } from '../texts/en/account.js'
import { PasskeyForm } from './passkey-form.js'

/** A change that waits for the code of a mailbox. */
export interface WaitingView {
  readonly email: string
  readonly stage: 'old' | 'new'
  /** The user has had an app for long enough that its code stands in for that of the old mailbox. */
  readonly hasApp: boolean
  /** What the browser is asked for to use a passkey in its place; undefined without one. */
  readonly options: object | undefined
}

interface AccountEmailPage {
  readonly frame: Frame
  readonly form: PageForm
  readonly email: string
  readonly isManaged: boolean
  /** Until the address may be changed again; undefined: now. */
  readonly stoppedSeconds: number | undefined
  readonly waiting: WaitingView | undefined
  /** An address that was typed, and not accepted. */
  readonly typed?: string | undefined
  readonly isDone: boolean
  /** Another code was just sent. */
  readonly isResent?: boolean
  readonly fault?: OwnEmailFault | undefined
  readonly retryAfterSeconds?: number | undefined
}

/** Asks for another address, and then for the codes of both. Never discloses whether somebody has it here. */
export function accountEmailPage(view: AccountEmailPage): string {
  const { frame, email, isManaged, stoppedSeconds, waiting, isDone, isResent = false } = view
  const { texts } = frame
  const words = texts.account.email
  const fault = toFault(texts, words.faults, view.fault, view.retryAfterSeconds)
  const isOpen = !isManaged && stoppedSeconds === undefined
  return toDocument(
    <HostedPage
      frame={frame}
      title={texts.account.sections.email.heading}
      isFault={fault !== undefined}
      needsPasskeys={isOpen && waiting?.stage === 'old' && waiting.options !== undefined}
    >
      <Person texts={texts} email={email} />
      <Done isDone={isDone && waiting === undefined && fault === undefined} sentence={words.changed} />
      <Done isDone={isResent && fault === undefined} sentence={texts.proveAddress.resent} />
      <PageFault fault={fault} />
      {isManaged && <p>{words.managed}</p>}
      {!isManaged && stoppedSeconds !== undefined && (
        <p>{words.stopped(toWait(stoppedSeconds, texts.lang))}</p>
      )}
      {isOpen && waiting === undefined && <Ask view={view} fault={fault} />}
      {isOpen && waiting !== undefined && <Prove view={view} waiting={waiting} fault={fault} />}
    </HostedPage>,
  )
}

interface Part {
  readonly view: AccountEmailPage
  readonly fault: Fault | undefined
}

function Ask({ view: { frame, form, typed = '', isDone }, fault }: Part) {
  const { texts } = frame
  const words = texts.account.email
  return (
    <>
      <p>{words.sentence}</p>
      <Form form={form} action="ask" button={words.button} working={texts.working}>
        <Field
          id="email"
          label={words.label}
          fault={fault}
          hasFocus={!isDone}
          input={{ type: 'email', autocomplete: 'email', inputMode: 'email', value: typed }}
        />
      </Form>
    </>
  )
}

function Prove({ view, waiting, fault }: Part & { readonly waiting: WaitingView }) {
  const { frame, form } = view
  const { texts } = frame
  const words = texts.account.email
  const isOld = waiting.stage === 'old'
  const isOfApp = view.fault === 'wrong_app_code'
  return (
    <>
      <p>
        <bdi>{words.to(displayAddress(waiting.email))}</bdi>
      </p>
      <p>{isOld ? words.oldSentence : words.newSentence}</p>
      <Form
        form={form}
        action={isOld ? 'old_code' : 'new_code'}
        button={words.confirm}
        working={texts.working}
        isCodeForm
      >
        <CodeField label={words.codeLabel} fault={isOfApp ? undefined : fault} hasFocus={!isOfApp} />
      </Form>
      {isOld && <StandIns view={view} waiting={waiting} fault={isOfApp ? fault : undefined} />}
      <div class="aside">
        <p class="quiet">{texts.proveAddress.nothingArrived}</p>
        <Form form={form} action="resend" look="plain" button={texts.proveAddress.resend} />
        <Form form={form} action="cancel" look="plain" button={words.cancel} />
      </div>
    </>
  )
}

/** What proves the change in place of a mailbox that the user no longer reads. */
function StandIns({ view: { frame, form }, waiting, fault }: Part & { readonly waiting: WaitingView }) {
  const { texts } = frame
  const words = texts.account.email
  const { hasApp, options } = waiting
  if (!hasApp && options === undefined) return null
  return (
    <>
      <p class="quiet">{words.noAccess}</p>
      {hasApp && (
        <Form form={form} action="app_code" look="second" button={words.appButton}>
          <Field
            id="app_code"
            label={words.appLabel}
            fault={fault}
            hasFocus={fault !== undefined}
            input={{ type: 'text', inputMode: 'numeric', autocomplete: 'off', class: 'code' }}
          />
        </Form>
      )}
      {options !== undefined && (
        <PasskeyForm
          form={form}
          action="passkey"
          kind="get"
          options={options}
          button={words.passkeyButton}
          failed={texts.passkeys.notUsed}
        />
      )}
    </>
  )
}
