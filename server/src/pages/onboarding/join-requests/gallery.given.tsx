import { JoinRequest } from '@portico/contract/join-requests'
import { exampleOf } from '@portico/contract/record'
import { errorPage } from '../../frame/error.js'
import type { GalleryNames, GalleryPage } from '../../gallery.given.js'
import type { Frame } from '../../frame/layout.js'
import { joinRequestNotices } from '../../texts/en/join-requests.js'
import { joinRequestsPage } from './page.js'

/** The page of the join requests in every state. */
export function joinRequestsStates(organizationFrame: Frame, { email }: GalleryNames): GalleryPage[] {
  const url = '/onboarding/join-requests/production'
  const frame = { ...organizationFrame, url }
  const example = { ...exampleOf(JoinRequest), __environment__: 'production' as const, email }
  const requests = [example, { ...example, id: `${example.id.slice(0, -1)}c`, email: `zoe.${email}` }]
  const view = {
    frame,
    form: { action: `${url}?ui_locales=en`, csrf: 'c'.repeat(43) },
    email,
    waiting: { requests, total: requests.length },
    notice: undefined,
    now: new Date(Date.parse(example.inserted_at) + 3_600_000),
  }
  const page = (name: string, html: string): GalleryPage => ({
    name: `onboarding-join-requests-${name}`,
    html,
  })
  return [
    page('waiting', joinRequestsPage(view)),
    page('more', joinRequestsPage({ ...view, waiting: { requests, total: 340 } })),
    page('none', joinRequestsPage({ ...view, waiting: { requests: [], total: 0 } })),
    ...joinRequestNotices.map((notice) => page(notice, joinRequestsPage({ ...view, notice }))),
    page('not-found', errorPage(frame, frame.texts.noSuchJoinRequests)),
  ]
}
