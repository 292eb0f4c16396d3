import { displayName } from '../../platform/display-name.js'
import { Form } from '../frame/form.js'
import { HostedPage, toDocument, type Frame } from '../frame/layout.js'
import { toDate } from '../frame/moments.js'
import { displayAddress } from '../frame/person.js'
import type { PageForm } from '../frame/step-page.js'
import type { PageTexts } from '../texts/en.js'
import type { RecoveryCodesFault } from '../texts/en/second-factor.js'

/** What its user may have lost who uses a recovery code. */
export type LostFactor = 'phone' | 'passkey'

/** The page of the recovery codes. */
interface RecoveryCodesPage {
  readonly frame: Frame
  readonly form: PageForm
  readonly of: LostFactor
  /** Null after they have been shown: only their digests are stored. */
  readonly made: MadeCodes | null
  readonly fault?: RecoveryCodesFault | undefined
}

/** New codes, and what a user who keeps those of several accounts needs to know of them. */
export interface MadeCodes {
  readonly codes: readonly string[]
  /** Of their user. */
  readonly email: string
  readonly at: Date
}

/** Shows recovery codes once, to be copied, downloaded or printed, and asks the user to confirm that they are saved. */
export function recoveryCodesPage({ frame, form, of, made, fault }: RecoveryCodesPage): string {
  const { texts } = frame
  const words = texts.recoveryCodes
  const heading = made === null ? words.goneHeading : words.heading
  return toDocument(
    <HostedPage
      frame={frame}
      title={heading}
      isFault={fault !== undefined}
      sentences={(each) => sentencesOf(each, of)}
    >
      {made === null ? (
        <p>{words.gone}</p>
      ) : (
        <>
          <p>{words.sentences[of]}</p>
          <p class="notice">{words.once}</p>
          <Codes frame={frame} of={of} made={made} />
        </>
      )}
      <Form
        form={form}
        action="acknowledge"
        button={words.button}
        working={texts.working}
        isShownOnce={made !== null}
      >
        <div class="field">
          {fault !== undefined && (
            <p class="fault" id="acknowledged-fault" role="alert">
              {words.faults[fault]}
            </p>
          )}
          <label class="check" for="acknowledged">
            <input
              type="checkbox"
              id="acknowledged"
              name="acknowledged"
              value="true"
              required
              aria-invalid={fault === undefined ? undefined : 'true'}
              aria-describedby={fault === undefined ? undefined : 'acknowledged-fault'}
              autofocus={fault !== undefined}
            />
            <span>{words.acknowledge}</span>
          </label>
        </div>
      </Form>
      {made === null && <Form form={form} action="new_codes" look="second" button={words.newCodes} />}
    </HostedPage>,
  )
}

function sentencesOf({ recoveryCodes: words }: PageTexts, of: LostFactor): string[] {
  return [words.heading, words.sentences[of], words.once, words.acknowledge]
}

interface CodesProps {
  readonly frame: Frame
  readonly of: LostFactor
  readonly made: MadeCodes
}

function Codes({ frame: { texts, organization, productName }, of, made }: CodesProps) {
  const words = texts.recoveryCodes
  const title = words.titles[of](displayName(organization?.name ?? productName))
  // Both kinds of one organization, and those of two, may be in the same folder.
  const fileName = [organization?.domain ?? [], words.fileNames[of]].flat().join('-')
  const shown = made.codes.map(inGroups)
  const whose = [words.whose(displayAddress(made.email)), words.made(toDate(made.at, texts.lang))]
  const file = `${[title, ...whose].join('\n')}\n\n${shown.join('\n')}\n`
  return (
    <section class="codes" aria-label={words.list}>
      {[title, ...whose].map((line) => (
        <p key={line} class="print-only">
          {line}
        </p>
      ))}
      <ul id="codes" class="notranslate">
        {shown.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <div class="tools">
        <a
          class="small"
          download={fileName}
          href={`data:text/plain;charset=utf-8,${encodeURIComponent(file)}`}
        >
          {words.download}
        </a>
        <button type="button" class="small" data-copy="codes" data-other={words.copied} hidden>
          <span aria-live="polite">{words.copy}</span>
        </button>
        <button type="button" class="small" data-print="" hidden>
          {words.print}
        </button>
      </div>
    </section>
  )
}

/** Groups a code for copying by hand; the dash is optional when it is typed. */
function inGroups(code: string): string {
  return code.length === 10 ? `${code.slice(0, 5)}-${code.slice(5)}` : code
}
