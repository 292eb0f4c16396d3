import { displayName } from '../../platform/display-name.js'
import { HostedPage, toDocument, type Frame } from '../frame/layout.js'

/** An answer that the browser posts to the application. */
interface FormPostPage {
  readonly frame: Frame
  /** The application's redirect URI. */
  readonly action: string
  readonly parameters: Readonly<Record<string, string>>
}

/** Submits itself; without scripts its button does (OAuth 2.0 Form Post Response Mode section 2). */
export function formPostPage({ frame, action, parameters }: FormPostPage): string {
  const { texts } = frame
  const words = texts.formPost
  return toDocument(
    <HostedPage frame={frame} title={words.heading}>
      <p>{words.sentence(hostOf(action))}</p>
      <form method="post" action={action} data-once="" data-at-once="">
        {Object.entries(parameters).map(([name, value]) => (
          <input key={name} type="hidden" name={name} value={value} />
        ))}
        <button type="submit" class="main" data-working={texts.working}>
          {words.button}
        </button>
      </form>
    </HostedPage>,
  )
}

/** The site to which the form goes, in its ASCII form. */
function hostOf(address: string): string {
  return displayName(URL.canParse(address) ? new URL(address).host : '')
}
