import { displayName } from '../../platform/display-name.js'
import { HostedPage, toDocument, type Frame } from '../frame/layout.js'

/** The page of a browser that opened a link which another browser had requested. */
interface LinkCodePage {
  readonly frame: Frame
  /** Six digits. */
  readonly code: string
  readonly applicationName: string
}

/** Shows the code that signs in the requesting browser; this one is not signed in. */
export function linkCodePage({ frame, code, applicationName }: LinkCodePage): string {
  const words = frame.texts.linkCode
  const name = displayName(applicationName)
  return toDocument(
    <HostedPage
      frame={frame}
      title={words.heading}
      sentences={({ linkCode }) => [linkCode.heading, linkCode.sentence(name), linkCode.warning]}
    >
      <p class="shown-code">
        <span class="unseen">{words.label}: </span>
        <output>{code}</output>
      </p>
      <p>{words.sentence(name)}</p>
      <p class="notice">{words.warning}</p>
    </HostedPage>,
  )
}
