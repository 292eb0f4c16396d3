import { maxPasskeyName } from '@portico/contract/passkey-credentials'
import { displayName } from '../../platform/display-name.js'
import { Disclosure, WithName } from '../frame/disclosure.js'
import { Done } from '../frame/done.js'
import { PageFault, toFault } from '../frame/fault.js'
import { Form } from '../frame/form.js'
import { HostedPage, toDocument, type Frame } from '../frame/layout.js'
import { toTimeAgo } from '../frame/moments.js'
import { Person } from '../frame/person.js'
import type { PageForm } from '../frame/step-page.js'
import type { OwnPasskeyFault } from '../texts/en/passkeys.js'
import { PasskeyForm } from './passkey-form.js'

/** A passkey as its user sees it. */
export interface PasskeyView {
  readonly id: string
  readonly name: string
  readonly isSynced: boolean
  readonly isDisabled: boolean
  readonly addedAt: Date
  /** Null: never. */
  readonly lastUsedAt: Date | null
}

interface PasskeysPage {
  readonly frame: Frame
  readonly form: PageForm
  readonly email: string
  readonly passkeys: readonly PasskeyView[]
  /** What the browser is asked for to add one; undefined where there are none. */
  readonly options: object | undefined
  /** Whether a passkey signs this user in by itself. */
  readonly isFirstFactor: boolean
  /** The one passkey is the second factor that is demanded of the user, and nothing takes its place. */
  readonly isOnlyFactor: boolean
  /** The recovery codes that are left; undefined where the user needs none. */
  readonly codesLeft: number | undefined
  /** Whether there are some that are not asked for, because those of the telephone are. */
  readonly hasUnaskedCodes: boolean
  readonly now: Date
  readonly isDone: boolean
  readonly fault?: OwnPasskeyFault | undefined
}

/** The passkeys of the user, to add, rename and remove them. */
export function passkeysPage(view: PasskeysPage): string {
  const { frame, form, email, passkeys, options, codesLeft, isDone } = view
  const { texts } = frame
  const words = texts.passkeys.own
  const fault = toFault(texts, words.faults, view.fault)
  return toDocument(
    <HostedPage
      frame={frame}
      title={texts.account.sections.passkeys.heading}
      isFault={fault !== undefined}
      needsPasskeys={options !== undefined}
    >
      <Person texts={texts} email={email} />
      <Done isDone={isDone && fault === undefined} sentence={texts.account.saved} />
      <PageFault fault={fault && { ...fault, isOfField: false }} />
      <p>{options === undefined ? words.notOffered : view.isFirstFactor ? words.what : words.whatBesides}</p>
      {options !== undefined && (
        <>
          <noscript>
            <p class="quiet">{words.needsScript}</p>
          </noscript>
          <PasskeyForm
            form={form}
            action="add"
            kind="create"
            options={options}
            button={words.add}
            look={passkeys.length === 0 ? 'main' : 'second'}
            failed={words.notAdded}
            held={words.held}
            hasSignals
          />
        </>
      )}
      {view.isOnlyFactor && codesLeft === 0 && <p class="notice">{words.onlyFactor}</p>}
      {passkeys.length > 0 && (
        <ul class="own-sections">
          {passkeys.map((passkey) => (
            <PasskeyItem key={passkey.id} view={view} passkey={passkey} />
          ))}
        </ul>
      )}
      {view.hasUnaskedCodes && <p>{words.codesRest}</p>}
      {codesLeft !== undefined && (
        <>
          <p>{codesLeft === 0 ? words.noCodes : words.codesLeft(codesLeft)}</p>
          {codesLeft === 0 ? (
            <Form form={form} action="new_codes" look="second" button={words.getCodes} />
          ) : (
            <Disclosure summary={texts.recoveryCodes.newCodes}>
              <p>{texts.recoveryCodes.newCodesSentence}</p>
              <Form
                form={form}
                action="new_codes"
                look="second"
                button={texts.recoveryCodes.newCodesButton}
              />
            </Disclosure>
          )}
        </>
      )}
    </HostedPage>,
  )
}

function PasskeyItem({ view: { frame, form, now }, passkey }: { view: PasskeysPage; passkey: PasskeyView }) {
  const { texts } = frame
  const words = texts.passkeys.own
  const { id, isSynced, isDisabled, addedAt, lastUsedAt } = passkey
  const name = displayName(passkey.name, maxPasskeyName)
  const ago = (at: Date) => toTimeAgo(at, now, texts.lang)
  const used = lastUsedAt === null ? words.neverUsed : words.lastUsed(ago(lastUsedAt))
  return (
    <li>
      <strong>{name}</strong>
      <p class="quiet">
        {words.added(ago(addedAt))} {used} {isSynced ? words.synced : words.onDevice}
      </p>
      {isDisabled && (
        <p>
          <strong>{words.disabled}</strong>
        </p>
      )}
      <Disclosure summary={words.rename} of={name}>
        <Form form={form} action="rename" look="second" button={words.save}>
          <input type="hidden" name="passkey_id" value={id} />
          <div class="field">
            <label for={`name-${id}`}>{words.name}</label>
            <div class="entry">
              <input
                id={`name-${id}`}
                name="name"
                type="text"
                autocomplete="off"
                value={passkey.name}
                maxLength={maxPasskeyName}
                required
              />
            </div>
          </div>
        </Form>
      </Disclosure>
      <Disclosure summary={words.remove} of={name}>
        <p>{words.removeSentence}</p>
        <Form
          form={form}
          action="remove"
          look="second"
          button={<WithName words={words.removeButton} of={name} />}
        >
          <input type="hidden" name="passkey_id" value={id} />
        </Form>
      </Disclosure>
    </li>
  )
}
