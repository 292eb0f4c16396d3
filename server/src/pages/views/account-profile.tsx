import { Field } from '../frame/field.js'
import { Form } from '../frame/form.js'
import { HostedPage, toDocument, type Frame } from '../frame/layout.js'
import { Done } from '../frame/done.js'
import { Person } from '../frame/person.js'
import type { PageForm } from '../frame/step-page.js'

export type NameField = 'given_name' | 'family_name' | 'nickname'

interface ProfilePage {
  readonly frame: Frame
  readonly form: PageForm
  readonly email: string
  readonly values: Readonly<Record<NameField, string>>
  /** Another system writes them. */
  readonly isManaged: boolean
  readonly isDone: boolean
  readonly wrong: NameField | undefined
}

const autocompletes = { given_name: 'given-name', family_name: 'family-name', nickname: 'nickname' } as const
const names: readonly NameField[] = ['given_name', 'family_name', 'nickname']

/** The names of the user, to be changed where nobody else writes them. */
export function profilePage({ frame, form, email, values, isManaged, isDone, wrong }: ProfilePage): string {
  const { texts } = frame
  const words = texts.account.profile
  return toDocument(
    <HostedPage frame={frame} title={texts.account.sections.profile.heading} isFault={wrong !== undefined}>
      <Person texts={texts} email={email} />
      <Done isDone={isDone} sentence={texts.account.saved} />
      {isManaged ? (
        <>
          <p>{words.managed}</p>
          <dl class="own-values">
            {names.map((name) => (
              <div key={name}>
                <dt>{words.labels[name]}</dt>
                <dd>{values[name] === '' ? words.none : values[name]}</dd>
              </div>
            ))}
          </dl>
        </>
      ) : (
        <Form form={form} action="save" button={words.button} working={texts.working}>
          {names.map((name) => (
            <Field
              key={name}
              id={name}
              label={words.labels[name]}
              fault={name === wrong ? { sentence: words.tooLong, isOfField: true } : undefined}
              hasFocus={name === wrong}
              input={{
                type: 'text',
                autocomplete: autocompletes[name],
                value: values[name],
                required: false,
              }}
            />
          ))}
        </Form>
      )}
    </HostedPage>,
  )
}
