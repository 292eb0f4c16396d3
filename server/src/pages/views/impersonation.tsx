import { displayName } from '../../platform/display-name.js'
import type { ShownImpersonation } from '../../sign-in/impersonation/address.js'
import { Form } from '../frame/form.js'
import { HostedPage, toDocument, type Frame } from '../frame/layout.js'
import { Person } from '../frame/person.js'
import type { PageForm } from '../frame/step-page.js'

/** The page of an impersonation: it names user, actor, reason and duration, and its one button starts it. */
interface ImpersonationPage {
  readonly frame: Frame
  readonly form: PageForm
  readonly impersonation: Omit<ShownImpersonation, 'environment' | 'uri'>
  readonly token: string
}

/** Of a reason, and of an actor with an address. */
const maxLength = 500

/** Starts only by its button, because what looks at links opens them, but presses no buttons. */
export function impersonationPage({ frame, form, impersonation, token }: ImpersonationPage): string {
  const { texts, organization, productName } = frame
  const words = texts.impersonation
  const heading = words.heading(displayName(organization?.name ?? productName))
  const facts = [
    [words.application, displayName(impersonation.applicationName)],
    [words.actor, displayName(impersonation.actor, maxLength)],
    [words.reason, displayName(impersonation.reason, maxLength)],
    [words.duration, words.minutes(impersonation.minutes)],
  ] as const
  return toDocument(
    <HostedPage frame={frame} title={heading}>
      <Person texts={texts} email={impersonation.userEmail} />
      <p>{words.sentence}</p>
      <dl class="facts">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <bdi>{value}</bdi>
            </dd>
          </div>
        ))}
      </dl>
      {impersonation.isUserNotified && <p>{words.notified}</p>}
      <Form form={form} action="start" button={words.start} working={texts.working}>
        <input type="hidden" name="token" value={token} />
      </Form>
      <p class="quiet">{words.hint}</p>
    </HostedPage>,
  )
}
