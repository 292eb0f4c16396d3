import { displayName } from '../../platform/display-name.js'
import { Form } from '../frame/form.js'
import { toTimeAgo } from '../frame/moments.js'
import { initialOf, isHttps } from '../frame/organization.js'
import { displayAddress } from '../frame/person.js'
import type { PageForm } from '../frame/step-page.js'
import type { PageTexts } from '../texts/en.js'

/** An organization to go on to. */
export interface ChoiceView {
  readonly domain: string
  readonly name: string
  /** The address of the user there, where the list is not of one address. */
  readonly email?: string
  /** Null where the organization has none, or its user has not been there. */
  readonly logoUrl: string | null
  /** Null where the user has not signed in yet. */
  readonly lastUsedAt: Date | null
  /** The owner of the address may only ask to join. */
  readonly mayOnlyAsk?: boolean
}

interface ChoiceListProps {
  readonly texts: PageTexts
  readonly form: PageForm
  readonly action: 'enter' | 'continue_as'
  readonly choices: readonly ChoiceView[]
  /** How often an organization was entered before. */
  readonly round: number
  readonly now: Date
}

/** Lists organizations, each with the button that enters it. */
export function ChoiceList({ choices, ...list }: ChoiceListProps) {
  return (
    <ul class="sessions choices">
      {choices.map((choice) => (
        <Choice key={choice.domain} choice={choice} {...list} />
      ))}
    </ul>
  )
}

function Choice({
  choice,
  texts,
  form,
  action,
  round,
  now,
}: Omit<ChoiceListProps, 'choices'> & { readonly choice: ChoiceView }) {
  const words = texts.accountSignIn
  const { domain, email, lastUsedAt: at } = choice
  const name = displayName(choice.name)
  return (
    <li>
      <Mark name={name} logoUrl={choice.logoUrl} />
      <p class="device">
        <bdi>{name}</bdi>
      </p>
      <Form
        form={form}
        action={action}
        look="small"
        button={
          <>
            {words.enter}
            <span class="unseen">{` (${name})`}</span>
          </>
        }
      >
        <input type="hidden" name="organization" value={domain} />
        <input type="hidden" name="round" value={round} />
      </Form>
      <div class="session-details quiet">
        {email !== undefined && (
          <p>
            <bdi>{displayAddress(email)}</bdi>
          </p>
        )}
        <p>{domain}</p>
        <p>
          {at === null ? (
            choice.mayOnlyAsk === true ? (
              words.mayAsk
            ) : (
              words.isNew
            )
          ) : (
            <time dateTime={at.toISOString()}>{words.used(toTimeAgo(at, now, texts.lang))}</time>
          )}
        </p>
      </div>
    </li>
  )
}

/** The logo of an organization, or its initial; the name stands beside it. */
function Mark({ name, logoUrl }: { readonly name: string; readonly logoUrl: string | null }) {
  const hasLogo = isHttps(logoUrl)
  return (
    <span class="choice-mark">
      {hasLogo && (
        <img class="logo" src={logoUrl} alt="" referrerpolicy="no-referrer" decoding="async" data-logo="" />
      )}
      <span class="monogram" aria-hidden="true" hidden={hasLogo}>
        {initialOf(name)}
      </span>
    </span>
  )
}
