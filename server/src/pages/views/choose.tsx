import { displayName } from '../../platform/display-name.js'
import { Field } from '../frame/field.js'
import { Form } from '../frame/form.js'
import { HostedPage, toDocument, type Frame } from '../frame/layout.js'
import { Person } from '../frame/person.js'
import type { PageForm } from '../frame/step-page.js'
import { ChoiceList, type ChoiceView } from './choice.js'

/** The page of the organizations of a proved mailbox. */
interface ChoosePage {
  readonly frame: Frame
  readonly form: PageForm
  readonly email: string
  readonly applicationName: string
  readonly choices: readonly ChoiceView[]
  /** Whether there may be more than are listed. */
  readonly isLong: boolean
  /** How often an organization was entered before. */
  readonly round: number
  /** Why the organization that was chosen cannot be entered. */
  readonly refusal: 'not_offered' | 'no_seat' | undefined
  readonly now: Date
}

/** Lists the organizations that the owner of a mailbox can enter. */
export function choosePage(view: ChoosePage): string {
  const { frame, form, email, applicationName, choices, isLong, refusal, round, now } = view
  const { texts } = frame
  const words = texts.accountSignIn
  const application = displayName(applicationName)
  const isNone = choices.length === 0
  return toDocument(
    <HostedPage
      frame={frame}
      title={isNone ? words.noneHeading : words.heading}
      isFault={refusal !== undefined}
    >
      <Person texts={texts} email={email} form={form} />
      {refusal !== undefined && (
        <p class="fault banner" role="alert" tabindex={-1} autofocus>
          {refusal === 'no_seat' ? words.noSeat : words.notOffered}
        </p>
      )}
      {isNone ? (
        <>
          <p>{words.none(application)}</p>
          <p>{words.noneAdvice}</p>
        </>
      ) : (
        <>
          <p class="quiet">{words.sentence(application)}</p>
          <ChoiceList {...{ texts, form, choices, round, now }} action="enter" />
        </>
      )}
      {isLong && <Beyond view={view} />}
      <div class="aside">
        <Form form={form} action="sign_out_here" look="plain" button={words.forget} />
      </div>
    </HostedPage>,
  )
}

/** For an organization that is not among those listed. */
function Beyond({ view: { frame, form, round } }: { view: ChoosePage }) {
  const words = frame.texts.accountSignIn
  return (
    <Form form={form} action="enter" look="second" button={words.enter}>
      <p class="quiet">{words.beyond}</p>
      <input type="hidden" name="round" value={round} />
      <Field
        id="organization"
        label={words.shortName}
        fault={undefined}
        hasFocus={false}
        input={{ type: 'text', autocomplete: 'off' }}
      />
    </Form>
  )
}
