import { maxRoleRules } from '@portico/contract/role-mapping'
import type { ShownRole } from '../../directory/roles/assignable.js'
import type { OnboardingRule, OnboardingRules } from '../../sso/onboarding/role-rules.js'
import { Field } from '../frame/field.js'
import { Form } from '../frame/form.js'
import type { Frame } from '../frame/layout.js'
import type { PageForm } from '../frame/step-page.js'
import type { RoleRuleFault } from '../texts/en/role-rules.js'
import { asShown } from './as-shown.js'
import type { EnteredRule, RuleField } from './role-rules-form.js'

interface RoleRulesView {
  readonly frame: Frame
  readonly form: PageForm
  readonly of: 'directory' | 'connection'
  readonly mapped: OnboardingRules
  /** The fields of a rule, and what each suggests. */
  readonly suggested: Partial<Record<RuleField, readonly string[]>>
  readonly entered: EnteredRule | undefined
}

/** The rules that give roles, and the form for another one. */
export function RoleRules({ view }: { view: RoleRulesView }) {
  const { frame, of, mapped } = view
  const words = frame.texts.roleRules
  const { sentence, authoritative, noRoles } = words.of[of]
  return (
    <>
      <p>{sentence}</p>
      {mapped.mode === 'authoritative' && <p class="quiet">{authoritative}</p>}
      {mapped.rules.length === 0 && <p class="quiet">{words.none}</p>}
      {mapped.rules.length > 0 && (
        <ul class="connections">
          {mapped.rules.map((rule, position) => (
            <Rule key={position} view={view} rule={rule} position={position} />
          ))}
        </ul>
      )}
      {mapped.roles.length === 0 ? <p class="quiet">{noRoles}</p> : <NewRule view={view} />}
    </>
  )
}

/** Whether there is a rule to see, or a role to give. */
export function hasRoleRules({ rules, roles }: OnboardingRules): boolean {
  return rules.length > 0 || roles.length > 0
}

interface RuleProps {
  readonly view: RoleRulesView
  readonly rule: OnboardingRule
  readonly position: number
}

function Rule({ view: { frame, form, mapped }, rule, position }: RuleProps) {
  const words = frame.texts.roleRules
  const { group, attribute = '', value = '', roles, matched, isRemovable } = rule
  const subject = asShown(group ?? words.ofAttribute(attribute, value))
  return (
    <li>
      <div>
        <p class="connection-name">
          <span>{subject}</span>
          {roles.map(({ name, displayName }) => (
            <span key={name} class="tag">
              {displayName}
            </span>
          ))}
        </p>
        {matched === false && <p class="quiet">{words.unmatched}</p>}
        {!isRemovable && <p class="quiet">{words.kept}</p>}
      </div>
      {isRemovable && (
        <Form
          form={form}
          action="remove_rule"
          look="small"
          button={
            <>
              {words.remove}
              <span class="unseen"> {words.removeWhat(subject)}</span>
            </>
          }
        >
          <input type="hidden" name="version" value={mapped.version} />
          <input type="hidden" name="rule" value={position} />
        </Form>
      )}
    </li>
  )
}

/** The fields in their order, each with the fault of a rule without it. */
const ruleFields = [
  ['group', 'noGroup'],
  ['attribute', 'noAttribute'],
  ['value', 'noValue'],
] as const satisfies readonly (readonly [RuleField, RoleRuleFault])[]

function NewRule({ view }: { view: RoleRulesView }) {
  const { frame, form, of, mapped, suggested, entered } = view
  const { texts } = frame
  const words = texts.roleRules
  // On the page of a directory it is below a heading of the rules.
  const Heading = of === 'directory' ? 'h3' : 'h2'
  const isOfRoles = entered?.fault === 'noRole' || entered?.fault === 'manyRoles'
  return (
    <>
      <Heading>{words.add}</Heading>
      <Form form={form} action="add_rule" look="second" button={words.addButton} working={texts.working}>
        <input type="hidden" name="version" value={mapped.version} />
        {ruleFields
          .filter(([name]) => suggested[name] !== undefined)
          .map(([name, missing]) => (
            <Compared key={name} view={view} name={name} missing={missing} />
          ))}
        <fieldset aria-describedby="roles-hint">
          <legend>{words.roles}</legend>
          <p class="hint" id="roles-hint">
            {words.rolesHint(maxRoleRules.rolesOfRule)}
          </p>
          {isOfRoles && (
            <p class="fault" role="alert" tabindex={-1} autofocus>
              {words.faults[entered.fault]}
            </p>
          )}
          {mapped.roles.map((role) => (
            <RoleChoice key={role.name} role={role} isChosen={entered?.roles.includes(role.name) ?? false} />
          ))}
        </fieldset>
      </Form>
    </>
  )
}

interface ComparedProps {
  readonly view: RoleRulesView
  readonly name: RuleField
  readonly missing: RoleRuleFault
}

/** A name or value that the rule compares, with suggestions of the browser. */
function Compared({ view: { frame, suggested, entered }, name, missing }: ComparedProps) {
  const words = frame.texts.roleRules
  const isMissing = entered?.fault === missing
  const suggestions = suggested[name] ?? []
  return (
    <Field
      id={name}
      label={words.fields[name]}
      fault={isMissing ? { sentence: words.faults[missing], isOfField: true } : undefined}
      hasFocus={isMissing}
      hint={words.hints[name]}
      input={{
        type: 'text',
        value: entered?.[name] ?? '',
        autocomplete: 'off',
        maxLength: maxRoleRules.characters,
        ...(suggestions.length > 0 && { list: `${name}-suggestions` }),
      }}
      beside={
        suggestions.length > 0 && (
          <datalist id={`${name}-suggestions`}>
            {suggestions.map((suggestion) => (
              <option key={suggestion} value={suggestion} />
            ))}
          </datalist>
        )
      }
    />
  )
}

function RoleChoice({ role, isChosen }: { role: ShownRole; isChosen: boolean }) {
  const { name, displayName, description } = role
  const id = `role-${name}`
  return (
    <label class="check" for={id}>
      <input type="checkbox" id={id} name="roles" value={name} checked={isChosen} />
      <span>
        {displayName}
        {description !== null && <span class="quiet"> {description}</span>}
      </span>
    </label>
  )
}
