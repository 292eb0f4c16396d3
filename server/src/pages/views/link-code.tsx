import { displayName } from '../../platform/display-name.js'
import { toDocument, type Frame } from '../frame/layout.js'

/** What a browser shows that opened a link which another one has asked for. */
interface LinkCodePage {
  readonly frame: Frame
  /** Six digits. */
  readonly code: string
  readonly applicationName: string
}

/** The code that signs in the browser that asked for the link; this one is not signed in. */
export function linkCodePage({ frame, code, applicationName }: LinkCodePage): string {
  const words = frame.texts.linkCode
  return toDocument({
    frame,
    title: words.heading,
    children: (
      <>
        <h1>{words.heading}</h1>
        <p class="shown-code">
          <span class="unseen">{words.label}: </span>
          <output>{code}</output>
        </p>
        <p>{words.sentence(displayName(applicationName))}</p>
        <p class="notice">{words.warning}</p>
      </>
    ),
  })
}
