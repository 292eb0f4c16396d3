import { directoryProviders, DirectorySync, ScimRequest } from '@portico/contract/directory-sync'
import { exampleOf } from '@portico/contract/record'
import { errorPage } from '../../frame/error.js'
import type { GalleryNames, GalleryPage } from '../../gallery.given.js'
import type { Frame } from '../../frame/layout.js'
import type { OnboardingRules } from '../../../sso/onboarding/role-rules.js'
import { roleRuleNotices } from '../../texts/en/role-rules.js'
import { directoryPage } from './page.js'

/** The page of a directory in every state, and for every provider. */
export function directoryStates(organizationFrame: Frame, { email }: GalleryNames): GalleryPage[] {
  const url = '/onboarding/directory-sync/production'
  const frame = { ...organizationFrame, url }
  const directory = { ...exampleOf(DirectorySync), __environment__: 'production' as const }
  const now = new Date(Date.parse(directory.inserted_at) + 3_600_000)
  const done = exampleOf(ScimRequest)
  const refused = {
    ...done,
    id: `${done.id.slice(0, -1)}c`,
    method: 'POST',
    path: '/Users',
    status: 409,
    scim_type: 'uniqueness',
    answer: JSON.stringify({ detail: `userName ${email} is taken by a user who is not of this directory` }),
  }
  const failed = { ...refused, id: `${done.id.slice(0, -1)}d`, status: 500, scim_type: null, answer: null }
  const view = {
    frame,
    form: { action: `${url}?ui_locales=en`, csrf: 'c'.repeat(43) },
    email,
    directory,
    version: 1,
    requests: [
      { request: refused, subject: email },
      { request: failed, subject: undefined },
      { request: done, subject: email },
    ],
    usedPaths: [
      { path: 'title', isMapped: true },
      { path: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department', isMapped: false },
    ],
    mapped: { mode: 'add' as const, version: 1, rules: [], roles: [] },
    groups: { names: ['Board', 'Finance', 'Support'], hasMore: false },
    entered: undefined,
    notice: undefined,
    secret: undefined,
    now,
  }
  const mapped = mappedGroups()
  const page = (name: string, html: string): GalleryPage => ({ name: `onboarding-directory-${name}`, html })
  const end = new Date(now.getTime() + 7 * 3_600_000).toISOString()
  return [
    ...directoryProviders.map((provider_type) =>
      page(provider_type, directoryPage({ ...view, directory: { ...directory, provider_type } })),
    ),
    page('no-requests', directoryPage({ ...view, requests: [], usedPaths: [] })),
    page('secret', directoryPage({ ...view, secret: `scimproduction_${'a1B2c3'.repeat(8)}d` })),
    page(
      'previous',
      directoryPage({ ...view, directory: { ...directory, active: false, previous_secret_expires_at: end } }),
    ),
    page('rules', directoryPage({ ...view, mapped })),
    page(
      'rules-none',
      directoryPage({ ...view, mapped: { ...mapped, rules: [] }, groups: { ...view.groups, hasMore: true } }),
    ),
    page('rules-kept', directoryPage({ ...view, mapped: { ...mapped, mode: 'authoritative', roles: [] } })),
    ...(['noGroup', 'noRole', 'manyRoles'] as const).map((fault) => {
      const entered = { group: 'Finance', roles: ['auditor'], fault }
      return page(`rules-${fault}`, directoryPage({ ...view, mapped, entered }))
    }),
    ...roleRuleNotices.map((notice) => page(notice, directoryPage({ ...view, mapped, notice }))),
    page('none', errorPage(frame, frame.texts.noSuchDirectory)),
  ]
}

/** Rules that the administrator may remove and may not, and the roles of another one. */
function mappedGroups(): OnboardingRules {
  const auditor = { name: 'auditor', displayName: 'Auditor', description: null, isAssignable: true }
  const billing = {
    ...auditor,
    name: 'billing_admin',
    displayName: 'Billing',
    description: 'Writes invoices',
  }
  const owner = { ...auditor, name: 'owner', displayName: 'Owner', isAssignable: false }
  const country = 'Finance (Germany, Austria, Switzerland)'
  return {
    mode: 'add',
    version: 1,
    rules: [
      { group: 'Finance', matched: true, roles: [auditor, billing], isRemovable: true },
      { group: country, matched: false, roles: [auditor], isRemovable: true },
      { group: 'Board', matched: true, roles: [owner], isRemovable: false },
      { attribute: 'entitlements', value: 'invoices', roles: [billing], isRemovable: true },
    ],
    roles: [auditor, billing],
  }
}
