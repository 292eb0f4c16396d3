import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const root = new URL('../../', import.meta.url)

function rowsOf(file: string): string[][] {
  const lines = readFileSync(new URL(file, root), 'utf8').split('\n')
  return lines.flatMap((line) => {
    const cells = line.split('|').map((cell) => cell.trim())
    return cells.length > 2 ? [cells.slice(1, -1)] : []
  })
}

/** In ms, of text such as `1.681 ms (server 0.971 ms)`. */
function millisecondsIn(text: string): number[] {
  return [...text.matchAll(/([\d.]+) ms/g)].map(([, figure]) => Number(figure))
}

test('what a request costs by the guide to sizes is, rounded, what the benchmarks have measured', () => {
  const measured = new Map(
    rowsOf('docs/benchmarks.md').map(([row, what, ours = '']) => [`${row} ${what}`, millisecondsIn(ours)]),
  )
  const costs = rowsOf('docs/guides/sizes.md').filter(([, cpu = '']) => cpu.endsWith(' ms'))

  expect(costs.length).toBeGreaterThan(10)
  for (const [work = '', cpu = '', service = '', rate = '', row = ''] of costs) {
    const [all = NaN, ofService = NaN] = measured.get(`${row} ${work}: CPU`) ?? []
    const stated = [...millisecondsIn(cpu), ...millisecondsIn(service), Number(rate.replace(',', ''))]
    const isNear = [all, ofService, 1000 / all].map((figure, index) => {
      const guess = stated[index] ?? NaN
      return Math.abs(guess - figure) <= figure / 20
    })
    expect([work, ...isNear]).toEqual([work, true, true, true])
  }
})
