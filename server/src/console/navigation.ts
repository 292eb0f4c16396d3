import { screenLabel } from '../screens/labels.js'
import type { LinkGroup } from '../screens/frame.js'
import { addressOf } from '../screens/screen.js'
import type { Visit } from '../screens/visit.js'
import type { ConsoleTexts } from './texts/en.js'

interface MenuGroup {
  readonly key: keyof ConsoleTexts['frame']['groups']
  /** Their keys, in the order of the menu. */
  readonly screens: readonly string[]
}

/** The screens of the menu: all that are not below another one, as a test demands. */
export const menu: readonly MenuGroup[] = [
  {
    key: 'customers',
    screens: ['organizations', 'sso-connections', 'social-providers', 'roles', 'permissions'],
  },
  { key: 'integration', screens: ['applications', 'api-keys', 'webhooks', 'relays'] },
  { key: 'activity', screens: ['events', 'log-events', 'outbox', 'audit'] },
  { key: 'account', screens: ['staff', 'staff-invitations', 'account'] },
]

/** The menu of a member of staff, without what they may not see. */
export function menuOf(
  { screens, language, mayCall, base }: Visit,
  { frame }: ConsoleTexts,
): readonly LinkGroup[] {
  return menu
    .map(({ key, screens: keys }) => ({
      key,
      label: frame.groups[key],
      links: keys.flatMap((name) => {
        const screen = screens.find((one) => one.key === name)
        if (screen === undefined || !mayCall(screen.list?.route ?? screen.record ?? '')) return []
        const url = `${base}/${addressOf(screen.at, {})}`
        return [{ label: screenLabel(language.labels, name)[0], url }]
      }),
    }))
    .filter(({ links }) => links.length > 0)
}
