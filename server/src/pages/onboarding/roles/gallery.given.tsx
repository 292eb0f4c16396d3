import type { OnboardingRules } from '../../../sso/onboarding/role-rules.js'
import type { GalleryNames, GalleryPage } from '../../gallery.given.js'
import type { Frame } from '../../frame/layout.js'
import { rolesPage } from './page.js'

/** The page of the rules of a connection in every state. */
export function rolesStates(organizationFrame: Frame, { email }: GalleryNames, base: string): GalleryPage[] {
  const url = `${base}/roles`
  const auditor = { name: 'auditor', displayName: 'Auditor', description: null, isAssignable: true }
  const owner = { ...auditor, name: 'owner', displayName: 'Owner', isAssignable: false }
  const department = 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/department'
  const mapped: OnboardingRules = {
    mode: 'authoritative',
    version: 1,
    rules: [
      { attribute: 'groups', value: 'finance', roles: [auditor], isRemovable: true },
      { attribute: department, value: 'Board', roles: [owner], isRemovable: false },
    ],
    roles: [auditor],
  }
  const view = {
    frame: { ...organizationFrame, url },
    form: { action: `${url}?ui_locales=en`, csrf: 'c'.repeat(43) },
    email,
    base,
    listUrl: undefined,
    mapped,
    attributes: ['groups', department],
    entered: undefined,
    notice: undefined,
  }
  const page = (name: string, html: string): GalleryPage => ({ name: `onboarding-roles-${name}`, html })
  return [
    page('rules', rolesPage(view)),
    page('none', rolesPage({ ...view, mapped: { ...mapped, mode: 'add', rules: [] } })),
    page('kept', rolesPage({ ...view, mapped: { ...mapped, roles: [] }, notice: 'notAssignable' })),
    ...(['noAttribute', 'noValue', 'noRole'] as const).map((fault) =>
      page(fault, rolesPage({ ...view, entered: { attribute: 'groups', value: '', roles: [], fault } })),
    ),
  ]
}
