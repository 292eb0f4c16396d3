import { withoutSecrets } from '@portico/contract/sensitivity'
import type { Route } from '@portico/contract/walk'
import { isDeepStrictEqual } from 'node:util'
import { memberOf } from './form-values.js'
import { memberLabel } from './labels.js'
import { Members, Value, type Language } from './value.js'

/** The names of the members of an answer that have secrets, which no later answer has. */
export function secretsOf({ success }: Route, body: unknown): readonly string[] {
  const kept = withoutSecrets(success, body)
  return membersOf(body).flatMap(([name, value]) =>
    isDeepStrictEqual(memberOf(kept, [name]), value) ? [] : [name],
  )
}

function membersOf(body: unknown): readonly (readonly [name: string, value: unknown])[] {
  return typeof body === 'object' && body !== null ? Object.entries(body) : []
}

/** An answer with secrets: these first, each with a button that copies it, which is hidden without scripts. */
export function ShownOnce({
  route,
  body,
  language,
}: {
  readonly route: Route
  readonly body: unknown
  readonly language: Language
}) {
  const { texts, labels } = language
  const secrets = secretsOf(route, body)
  return (
    <>
      {secrets.map((name) => {
        const [id, label] = [`once-${name}`, memberLabel(labels, [name])]
        return (
          <section key={name} class="once" aria-label={label}>
            <h2>{label}</h2>
            <div class="secret" id={id}>
              <div>
                <Value value={memberOf(body, [name])} language={language} />
              </div>
            </div>
            <button type="button" class="second" hidden data-copy={id} data-other={texts.copied}>
              <span>{texts.copy}</span>
              <span class="unseen"> {label}</span>
            </button>
          </section>
        )
      })}
      <Members members={membersOf(body).filter(([name]) => !secrets.includes(name))} language={language} />
    </>
  )
}
