import type { FieldError } from '@portico/contract/errors'
import type { Field } from './field.js'
import { everything, memberOf, postedValues, shownValue, type Posted } from './form-values.js'
import { memberLabel, valueLabel } from './labels.js'
import { Value, type Language } from './value.js'

/** At most so many choices are radio buttons; more are a list. */
const mostRadios = 5

export interface FormProps {
  readonly language: Language
  readonly fields: readonly Field[]
  /** The record as it is; undefined for a new one. */
  readonly record?: unknown
  /** What was sent, where the form is shown again. */
  readonly posted?: Posted | undefined
  readonly faults?: readonly FieldError[]
  /** Whether the record differs from what the sender saw: its values are shown beside their entries. */
  readonly isChangedMeanwhile?: boolean
}

/** The fields of a form, each with what is wrong with it. */
export function Fields({ language, fields, record, posted, faults = [], isChangedMeanwhile }: FormProps) {
  return (
    <>
      {fields.map((field) => {
        const sent = posted === undefined ? undefined : postedValues(posted, field)
        const shown = memberOf(record, field.path)
        const values = sent ?? (record === undefined ? [] : valuesOf(field, shown))
        return (
          <Entry
            key={field.name}
            language={language}
            field={field}
            values={field.kind === 'secret' ? [] : values}
            fault={faults.find(({ path }) => path === field.name || path.startsWith(`${field.name}.`))}
            isNew={record === undefined}
            now={isChangedMeanwhile === true ? [shown] : []}
          />
        )
      })}
    </>
  )
}

function valuesOf(field: Field, shown: unknown): readonly string[] {
  if (field.kind !== 'choices') return [shownValue(field, shown)]
  return Array.isArray(shown) ? shown.map(String) : shown === null ? [everything] : []
}

interface EntryProps {
  readonly language: Language
  readonly field: Field
  readonly values: readonly string[]
  readonly fault: FieldError | undefined
  readonly isNew: boolean
  /** The value of now, where it is to be shown beside the entry. */
  readonly now: readonly unknown[]
}

function Entry(props: EntryProps) {
  const { language, field, fault, now } = props
  const { texts, labels } = language
  const label = memberLabel(labels, field.path)
  const [help, hint] = [helpOf(field), hintOf(language, field)]
  const isHelped = help !== undefined || hint !== undefined
  const describedBy = [fault && `${field.name}-fault`, isHelped && `${field.name}-help`].filter(Boolean)
  const described = describedBy.length === 0 ? undefined : describedBy.join(' ')
  const isGroup = field.kind === 'choices' || field.kind === 'flag' || isRadio(field)
  const about = (
    <>
      {isHelped && (
        <div class="hint" id={`${field.name}-help`}>
          {help !== undefined && <span lang={texts.lang === 'en' ? undefined : 'en'}>{help}. </span>}
          {hint}
        </div>
      )}
      {now.map((value) => (
        <div class="hint" key="now">
          {texts.nowIs('')} <Value value={value} language={language} member={field.path.at(-1)} />
        </div>
      ))}
    </>
  )
  const required = field.isRequired && <span class="quiet"> ({texts.required})</span>
  const told = fault && (
    <p class="fault" id={`${field.name}-fault`}>
      {fault.message}
    </p>
  )
  if (isGroup)
    return (
      <fieldset class="field" id={field.name} aria-describedby={described}>
        <legend>
          {label}
          {required}
        </legend>
        {about}
        <Choices {...props} />
        {told}
      </fieldset>
    )
  return (
    <div class="field">
      <label for={field.name}>
        {label}
        {required}
      </label>
      {about}
      <Control {...props} described={described} />
      {told}
    </div>
  )
}

/** What the contract says of a field. It says it in English, which is better than nothing in another language, and marked as such. */
function helpOf({ help, kind }: Field): string | undefined {
  return help?.replace(/\bnull: /g, kind === 'choices' ? 'everything: ' : 'left empty: ')
}

function hintOf({ texts }: Language, { kind }: Field): string | undefined {
  if (kind === 'lines') return texts.oneInEachLine
  if (kind === 'json') return texts.asJson
  return kind === 'time' ? texts.timeHint : undefined
}

function isRadio({ kind, options }: Field): boolean {
  return kind === 'choice' && options.length <= mostRadios
}

/** The buttons of a flag, a choice of few, or a choice of several. */
function Choices({ language, field, values, isNew }: EntryProps) {
  const { texts, labels } = language
  const isSeveral = field.kind === 'choices'
  const named =
    field.kind === 'flag'
      ? [['true', texts.yes] as const, ['false', texts.no] as const]
      : field.options.map((option) => [option, valueLabel(labels, field.path.at(-1), option)] as const)
  const isUnsaid = isNew && !field.isRequired && !isSeveral
  const chosen = values.length === 0 && isUnsaid ? [''] : values
  const options = [
    ...(isUnsaid ? [['', texts.byDefault] as const] : []),
    ...(isSeveral && field.isNullable ? [[everything, texts.everything] as const] : []),
    ...named,
  ]
  return (
    <div class={isSeveral ? 'options many' : 'options'}>
      {isSeveral && <input type="hidden" name={field.name} value="" />}
      {options.map(([value, text]) => (
        <label key={value}>
          <input
            type={isSeveral ? 'checkbox' : 'radio'}
            name={field.name}
            value={value}
            checked={chosen.includes(value)}
          />{' '}
          {text}
        </label>
      ))}
    </div>
  )
}

function Control({
  language,
  field,
  values,
  fault,
  isNew,
  described,
}: EntryProps & { described: string | undefined }) {
  const [value = ''] = values
  const common = {
    id: field.name,
    name: field.name,
    'aria-describedby': described,
    'aria-invalid': fault === undefined ? undefined : ('true' as const),
    required: field.isRequired && isNew,
  }
  switch (field.kind) {
    case 'lines':
    case 'json':
      return (
        <textarea
          {...common}
          class={field.kind === 'json' ? 'code' : undefined}
          required={false}
          rows={field.kind === 'json' ? 6 : 3}
          spellcheck={false}
        >
          {value}
        </textarea>
      )
    case 'choice':
      return (
        <select {...common} value={value}>
          {(isNew || value === '') && <option value="">{language.texts.byDefault}</option>}
          {field.options.map((option) => (
            <option key={option} value={option} selected={option === value}>
              {valueLabel(language.labels, field.path.at(-1), option)}
            </option>
          ))}
        </select>
      )
    case 'integer':
      return <input {...common} type="number" min={field.min} max={field.max} value={value} />
    case 'secret':
      return <input {...common} type="password" autocomplete="off" />
    default:
      return (
        <input
          {...common}
          type={field.kind === 'email' ? 'email' : field.kind === 'url' ? 'url' : 'text'}
          maxLength={field.maxLength}
          value={value}
          autocomplete="off"
          spellcheck={false}
        />
      )
  }
}
