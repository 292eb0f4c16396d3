import { Fragment } from 'preact'
import { memberOf } from './form-values.js'
import { memberLabel, nullLabel } from './labels.js'
import { Buttons, type Button } from './links.js'
import { Members, Value, type Language } from './value.js'

type Row = Readonly<Record<string, unknown>>

interface TableProps {
  readonly language: Language
  readonly caption: string
  readonly rows: readonly Row[]
  /** Paths of members, the most important first; small screens leave out the last ones. */
  readonly columns: readonly string[]
  /** The address of a row's record; undefined where rows have none. */
  readonly addressOf?: ((row: Row) => string) | undefined
  /** What can be done with a row that has no record. */
  readonly actionsOf?: ((row: Row) => readonly Button[]) | undefined
}

/** A list of records. A row leads to its record, or has what its columns do not show in a fold. */
export function Table({ language, caption, rows, columns, addressOf, actionsOf }: TableProps) {
  const { texts, labels } = language
  const paths = columns.map((column) => column.split('.'))
  return (
    <table>
      <caption class="unseen">{caption}</caption>
      <thead>
        <tr>
          {paths.map((path, place) => (
            <th key={path.join('.')} scope="col" class={priorityOf(place)}>
              {memberLabel(labels, path)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, index) => (
          <Fragment key={index}>
            <tr class={addressOf === undefined ? 'folded' : undefined}>
              {paths.map((path, place) => {
                const value = (
                  <Value value={shownMember(language, row, path)} language={language} member={path.at(-1)} />
                )
                const isHead = place === 0
                return isHead ? (
                  <th key={path.join('.')} scope="row">
                    {addressOf === undefined ? value : <a href={addressOf(row)}>{value}</a>}
                  </th>
                ) : (
                  <td key={path.join('.')} class={priorityOf(place)}>
                    {value}
                  </td>
                )
              })}
            </tr>
            {addressOf === undefined && (
              <tr>
                <td colSpan={paths.length}>
                  <details>
                    <summary>{texts.details}</summary>
                    <Members members={Object.entries(row)} language={language} />
                    <Buttons links={actionsOf?.(row) ?? []} label={texts.actionsLabel} />
                  </details>
                </td>
              </tr>
            )}
          </Fragment>
        ))}
      </tbody>
    </table>
  )
}

/** Small screens show two columns, those of tablets three. */
function priorityOf(place: number): string | undefined {
  if (place < 2) return undefined
  return place === 2 ? 'wide' : 'wider'
}

function shownMember({ labels }: Language, row: Row, path: readonly string[]): unknown {
  const value = memberOf(row, path)
  return value === null ? (nullLabel(labels, path) ?? value) : value
}
