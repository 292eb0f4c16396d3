import type { InputHTMLAttributes } from 'preact'
import { Field } from '../frame/field.js'
import { Form } from '../frame/form.js'
import { HostedPage, toDocument, type Frame } from '../frame/layout.js'
import { Done } from '../frame/done.js'
import { Person } from '../frame/person.js'
import type { PageForm } from '../frame/step-page.js'
import { ownMembers, type OwnMember } from '../../sign-in/own-account/own-account.js'

interface ProfilePage {
  readonly frame: Frame
  readonly form: PageForm
  readonly email: string
  readonly values: Readonly<Record<OwnMember, string>>
  /** Another system writes them. */
  readonly isManaged: boolean
  readonly isDone: boolean
  readonly wrong: OwnMember | undefined
}

const inputs: Readonly<Record<OwnMember, InputHTMLAttributes>> = {
  given_name: { autocomplete: 'given-name' },
  family_name: { autocomplete: 'family-name' },
  nickname: { autocomplete: 'nickname' },
  locale: { autocomplete: 'language', maxLength: 35 },
  zoneinfo: { autocomplete: 'off', list: 'zones' },
  picture: { type: 'url', autocomplete: 'photo' },
  street_address: { autocomplete: 'street-address' },
  postal_code: { autocomplete: 'postal-code' },
  locality: { autocomplete: 'address-level2' },
  region: { autocomplete: 'address-level1' },
  country: { autocomplete: 'country-name' },
}
const zones = Intl.supportedValuesOf('timeZone')

/** What applications are told of the user, to be changed where nobody else writes it. */
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
            {ownMembers.map((name) => (
              <div key={name}>
                <dt>{words.labels[name]}</dt>
                <dd>{values[name] === '' ? words.none : values[name]}</dd>
              </div>
            ))}
          </dl>
        </>
      ) : (
        <Form form={form} action="save" button={words.button} working={texts.working}>
          {ownMembers.map((name) => (
            <Field
              key={name}
              id={name}
              label={words.labels[name]}
              hint={words.hints[name]}
              fault={name === wrong ? { sentence: words.faults[name], isOfField: true } : undefined}
              hasFocus={name === wrong}
              input={{ type: 'text', ...inputs[name], value: values[name], required: false }}
              beside={name === 'zoneinfo' && <Zones />}
            />
          ))}
        </Form>
      )}
    </HostedPage>,
  )
}

function Zones() {
  return (
    <datalist id="zones">
      {zones.map((zone) => (
        <option key={zone} value={zone} />
      ))}
    </datalist>
  )
}
