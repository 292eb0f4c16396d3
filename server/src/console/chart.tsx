import type { Statistics } from '@portico/contract/health'
import { Day, Time } from '../screens/time.js'
import { valueLabel } from '../screens/labels.js'
import type { Language } from '../screens/value.js'
import type { ConsoleTexts } from './texts/en.js'

/** In the units of the drawing. */
const height = 120
const step = 20
const width = 14

interface ChartProps {
  readonly words: ConsoleTexts
  readonly language: Language
  readonly statistics: Statistics
}

/** The sign-ins of each day: what failed stands on what passed. The same figures are a table below. */
export function Chart({ words: { overview }, language, statistics }: ChartProps) {
  const { lang } = language.texts
  const { days, as_of: at, reasons } = statistics
  const most = Math.max(1, ...days.map(({ passed, failed }) => passed + failed))
  const tall = (count: number) => (count === 0 ? 0 : Math.max(1, Math.round((count / most) * height)))
  const sum = (of: 'passed' | 'failed') => days.reduce((total, day) => total + day[of], 0)
  return (
    <section>
      <h2>{overview.signIns(days.length)}</h2>
      <p>{overview.sums(sum('passed').toLocaleString(lang), sum('failed').toLocaleString(lang))}</p>
      <svg
        class="chart"
        role="img"
        viewBox={`0 0 ${days.length * step} ${height}`}
        aria-labelledby="chart-title"
        preserveAspectRatio="none"
      >
        <title id="chart-title">{overview.chart}</title>
        {days.map(({ day, passed, failed }, place) => (
          <g key={day}>
            <rect
              class="passed"
              x={place * step}
              y={height - tall(passed)}
              width={width}
              height={tall(passed)}
            />
            <rect
              class="failed"
              x={place * step}
              y={height - tall(passed) - tall(failed)}
              width={width}
              height={tall(failed)}
            />
          </g>
        ))}
      </svg>
      <p class="quiet">
        {at === null ? (
          overview.notCounted
        ) : (
          <>
            {overview.asOf} <Time at={at} lang={lang} />
          </>
        )}
      </p>
      <details>
        <summary>{overview.asTable}</summary>
        <table>
          <thead>
            <tr>
              <th scope="col">{overview.day}</th>
              <th scope="col">{overview.passed}</th>
              <th scope="col">{overview.failed}</th>
            </tr>
          </thead>
          <tbody>
            {days.map(({ day, passed, failed }) => (
              <tr key={day}>
                <th scope="row">
                  <Day at={day} lang={lang} />
                </th>
                <td>{passed}</td>
                <td>{failed}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
      {reasons.length > 0 && (
        <>
          <h3>{overview.reasons}</h3>
          <ul>
            {reasons.slice(0, 5).map(({ code, n }) => (
              <li key={code}>
                {valueLabel(language.labels, 'event_code', code)}: {n}
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  )
}
