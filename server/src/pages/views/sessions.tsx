import { displayName } from '../../platform/display-name.js'
import { toDevice, type Device } from '../../platform/device.js'
import { toDeviceName } from '../frame/device-name.js'
import { Form } from '../frame/form.js'
import { HostedPage, toDocument, type Frame } from '../frame/layout.js'
import { toTimeAgo } from '../frame/moments.js'
import { Person } from '../frame/person.js'
import type { PageForm } from '../frame/step-page.js'
import type { PageTexts } from '../texts/en.js'

/** A session of a user. */
export interface SessionView {
  readonly id: string
  /** Whether this browser has it. */
  readonly isCurrent: boolean
  /** The User-Agent header of its browser; null when unknown. */
  readonly device: string | null
  /** Null when its application is deleted. */
  readonly applicationName: string | null
  readonly authenticatedAt: Date
  readonly lastUsedAt: Date
}

/** The page of the sessions of a user. */
interface SessionsPage {
  readonly frame: Frame
  readonly form: PageForm
  readonly email: string
  readonly sessions: readonly SessionView[]
  /** Whether the current session is the only one. */
  readonly isOnlyOne: boolean
  readonly now: Date
}

/** Lists the sessions of a user, to end one of them or all others at once. */
export function sessionsPage({ frame, form, email, sessions, isOnlyOne, now }: SessionsPage): string {
  const { texts } = frame
  const words = texts.sessions
  return toDocument(
    <HostedPage frame={frame} title={words.heading}>
      <Person texts={texts} email={email} />
      <p class="quiet">{isOnlyOne ? words.onlyOne : words.sentence}</p>
      <ul class="sessions">
        {sessions.map((session) => (
          <Session key={session.id} {...{ texts, form, session, now }} />
        ))}
      </ul>
      {!isOnlyOne && <Form form={form} action="end_others" look="second" button={words.endOthers} />}
      <Form form={form} action="sign_out" look="second" button={words.signOut} />
    </HostedPage>,
  )
}

interface SessionProps {
  readonly texts: PageTexts
  readonly form: PageForm
  readonly session: SessionView
  readonly now: Date
}

function Session({ texts, form, session, now }: SessionProps) {
  const words = texts.sessions
  const device = toDevice(session.device)
  const name = toDeviceName(texts, device) ?? words.unknownDevice
  const application = session.applicationName === null ? null : displayName(session.applicationName)
  const signedIn = (when: string) =>
    application === null ? words.signedIn(when) : words.signedInTo(application, when)
  return (
    <li>
      <DeviceIcon device={device} />
      <p class="device">
        {name}
        {session.isCurrent && <span class="badge">{words.current}</span>}
      </p>
      {!session.isCurrent && (
        <Form
          form={form}
          action="end"
          look="small"
          button={
            <>
              {words.end}
              <span class="unseen">{` (${name})`}</span>
            </>
          }
        >
          <input type="hidden" name="session_id" value={session.id} />
        </Form>
      )}
      <div class="session-details quiet">
        <Moment at={session.lastUsedAt} {...{ now, texts }} say={words.lastUsed} />
        <Moment at={session.authenticatedAt} {...{ now, texts }} say={signedIn} />
      </div>
    </li>
  )
}

interface MomentProps {
  readonly at: Date
  readonly now: Date
  readonly texts: PageTexts
  readonly say: (when: string) => string
}

function Moment({ at, now, texts, say }: MomentProps) {
  return (
    <p>
      <time dateTime={at.toISOString()}>{say(toTimeAgo(at, now, texts.lang))}</time>
    </p>
  )
}

function DeviceIcon({ device: { isHandheld } }: { device: Device }) {
  return (
    <svg class="device-icon" viewBox="0 0 24 24" aria-hidden="true">
      <path
        d={
          isHandheld
            ? 'M8 2h8a2 2 0 0 1 2 2v16a2 2 0 0 1-2 2H8a2 2 0 0 1-2-2V4a2 2 0 0 1 2-2zM11 18.5h2'
            : 'M4 4h16a1 1 0 0 1 1 1v10a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1V5a1 1 0 0 1 1-1zM8 20h8M12 16v4'
        }
      />
    </svg>
  )
}
