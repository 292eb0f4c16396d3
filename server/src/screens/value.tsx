import type { ComponentChildren } from 'preact'
import { memberLabel, nullLabel, valueLabel, type Labels } from './labels.js'
import type { ScreenTexts } from './texts/en.js'
import { Time } from './time.js'

/** The texts and labels of a page, in one language. */
export interface Language {
  readonly texts: ScreenTexts
  readonly labels: Labels
}

const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3,6}Z$/

/** Deeper values are shown as JSON. */
const deepest = 2

/** A value of an answer as people read it. A name that somebody has chosen is isolated, so that its direction is its own. */
export function Value({
  value,
  language,
  member,
  depth = 0,
}: {
  readonly value: unknown
  readonly language: Language
  /** The name of the member that has it. */
  readonly member?: string | undefined
  readonly depth?: number
}): ComponentChildren {
  const { texts, labels } = language
  if (value === undefined)
    return (
      <span class="unseen-value" title={texts.hiddenWhat}>
        {texts.hidden}
      </span>
    )
  if (value === null || value === '') return <span class="nothing">{texts.nothing}</span>
  if (typeof value === 'boolean') return value ? texts.yes : texts.no
  if (typeof value === 'number') return String(value)
  if (typeof value === 'string' && timestamp.test(value)) return <Time at={value} lang={texts.lang} />
  if (typeof value === 'string') {
    const label = valueLabel(labels, member, value)
    return <bdi title={label === value ? undefined : value}>{label}</bdi>
  }
  if (Array.isArray(value)) return <Values values={value} language={language} member={member} depth={depth} />
  if (depth >= deepest) return <pre>{JSON.stringify(value, null, 2)}</pre>
  return <Members members={Object.entries(value as object)} language={language} depth={depth + 1} />
}

function Values({
  values,
  language,
  member,
  depth,
}: {
  readonly values: readonly unknown[]
  readonly language: Language
  readonly member: string | undefined
  readonly depth: number
}) {
  if (values.length === 0) return <span class="nothing">{language.texts.nothing}</span>
  if (depth >= deepest) return <pre>{JSON.stringify(values, null, 2)}</pre>
  return (
    <ul class="values">
      {values.map((value, place) => (
        <li key={place}>
          <Value value={value} language={language} member={member} depth={depth + 1} />
        </li>
      ))}
    </ul>
  )
}

/** Members with their labels; those that only programs read are left out. */
export function Members({
  members,
  language,
  depth = 0,
}: {
  readonly members: readonly (readonly [name: string, value: unknown])[]
  readonly language: Language
  readonly depth?: number
}) {
  return (
    <dl class="members">
      {members
        .filter(([name]) => !name.startsWith('__'))
        .map(([name, value]) => (
          <div key={name}>
            <dt>{memberLabel(language.labels, [name])}</dt>
            <dd>
              <Value
                value={value === null ? (nullLabel(language.labels, [name]) ?? value) : value}
                language={language}
                member={name}
                depth={depth}
              />
            </dd>
          </div>
        ))}
    </dl>
  )
}
