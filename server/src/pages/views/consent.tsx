import { displayName } from '../../platform/display-name.js'
import { isLoopbackHost } from '../../platform/loopback.js'
import { Form } from '../frame/form.js'
import { HostedPage, toDocument, type Frame } from '../frame/layout.js'
import { Person } from '../frame/person.js'
import type { PageForm } from '../frame/step-page.js'
import type { PageTexts } from '../texts/en.js'

/** The page that asks the user to allow an application. */
interface ConsentPage {
  readonly frame: Frame
  readonly form: PageForm
  readonly user: { readonly id: string; readonly email: string }
  readonly applicationName: string
  readonly redirectUri: string
  /** The granted scopes; those without a sentence are not of the application's asking. */
  readonly scopes: readonly string[]
}

/** Says what the application will be able to do, and where the browser goes. */
export function consentPage({ frame, form, user, ...asked }: ConsentPage): string {
  const { texts, organization, productName } = frame
  const words = texts.consent
  const heading = words.heading(
    displayName(asked.applicationName),
    displayName(organization?.name ?? productName),
  )
  const abilities = Object.entries(words.abilities).filter(([scope]) => asked.scopes.includes(scope))
  return toDocument(
    <HostedPage frame={frame} title={heading}>
      <Person texts={texts} email={user.email} form={form} change={words.change} />
      <p>{words.sentence}</p>
      <ul class="abilities">
        {abilities.map(([scope, sentence]) => (
          <li key={scope}>{sentence}</li>
        ))}
      </ul>
      <p class="quiet">{returnOf(texts, asked.redirectUri)}</p>
      <Form form={form} action="allow" button={words.allow} working={texts.working} isDelayed>
        <input type="hidden" name="user" value={user.id} />
      </Form>
      <Form form={form} action="refuse" button={words.refuse} look="second" isDelayed />
    </HostedPage>,
  )
}

/** Where the browser goes afterwards, by the address itself and never by a name. */
function returnOf({ consent }: PageTexts, redirectUri: string): string {
  const words = consent.returns
  const { protocol, hostname, host } = new URL(redirectUri)
  if (protocol !== 'https:' && protocol !== 'http:') return words.toApp(displayName(protocol))
  return isLoopbackHost(hostname) ? words.toComputer : words.toSite(displayName(host))
}
