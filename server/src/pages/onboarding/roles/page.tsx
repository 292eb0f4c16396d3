import type { OnboardingRules } from '../../../sso/onboarding/role-rules.js'
import { HostedPage, toDocument, type Frame } from '../../frame/layout.js'
import type { PageForm } from '../../frame/step-page.js'
import type { RoleRuleNotice } from '../../texts/en/role-rules.js'
import { addressOf, SignOutForms } from '../onboarding-frame.js'
import { RoleRules } from '../role-rules.js'
import type { EnteredRule } from '../role-rules-form.js'

/** The page on which an administrator maps what the identity provider says to roles. */
interface RolesPage {
  readonly frame: Frame
  readonly form: PageForm
  readonly email: string
  /** The path prefix of the connection. */
  readonly base: string
  /** The list of connections, if the invitation is for the whole organization. */
  readonly listUrl: string | undefined
  readonly mapped: OnboardingRules
  /** Names of attributes that tests have seen. */
  readonly attributes: readonly string[]
  /** The rule that was not added. */
  readonly entered: EnteredRule | undefined
  /** Why a form did nothing. */
  readonly notice: RoleRuleNotice | undefined
}

/** Shows the rules of a connection, and the form for another one. */
export function rolesPage(view: RolesPage): string {
  const { frame, form, base, mapped, attributes, entered, notice } = view
  const { texts } = frame
  const words = texts.roleRules
  return toDocument(
    <HostedPage frame={frame} title={words.of.connection.heading} isWide isFault={entered !== undefined}>
      {notice !== undefined && (
        <p class="notice warn" role="status">
          {words.notices[notice]}
        </p>
      )}
      <RoleRules
        view={{
          ...{ frame, form, mapped, entered },
          of: 'connection',
          suggested: { attribute: attributes, value: [] },
        }}
      />
      <p>
        <a class="second" href={addressOf(base, 'done', texts)}>
          {words.back}
        </a>
      </p>
      <SignOutForms view={view} />
    </HostedPage>,
  )
}
