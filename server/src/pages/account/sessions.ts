import { pathId } from '@portico/contract/fields'
import { endOtherSessions, endOwnSession, listOwnSessions } from '../../directory/sessions/own-sessions.js'
import { sessionsPage } from '../views/sessions.js'
import type { Section, SectionOutcome, SectionRequest } from './section.js'

/** Where the user is signed in: each session with its application and its device, to be ended. */
export const sessionsSection: Section = {
  needsFresh: false,
  show: page,
  actions: { end, end_others: endOthers, sign_out: signOut },
}

/** Ends a session of this user; the id of any other session is not found. */
async function end({ deps, tenant, session, field }: SectionRequest): Promise<SectionOutcome> {
  const sessionId = SessionId.parse(field('session_id'))
  await endOwnSession(deps, tenant, { userId: session.userId, sessionId })
  return sessionId === session.sessionId ? 'signed_out' : 'done'
}

async function endOthers({ deps, tenant, session }: SectionRequest): Promise<SectionOutcome> {
  await endOtherSessions(deps, tenant, session)
  return 'done'
}

async function signOut({ deps, tenant, session }: SectionRequest): Promise<SectionOutcome> {
  await endOwnSession(deps, tenant, session)
  return 'signed_out'
}

async function page({ deps, tenant, session, account, frame, form }: SectionRequest): Promise<string> {
  const sessions = await listOwnSessions(deps, tenant, session.userId)
  return sessionsPage({
    frame,
    form,
    email: account.email,
    sessions: sessions.map(({ userAgent, ...shown }) => ({
      ...shown,
      device: userAgent,
      isCurrent: shown.id === session.sessionId,
    })),
    isOnlyOne: sessions.length === 1,
    now: deps.now(),
  })
}

const SessionId = pathId()
