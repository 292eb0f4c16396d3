import axe from 'axe-core'
import type { Page } from 'playwright-core'

/**
 * The violations that axe finds in the current state of a page; '' without any. Loading axe takes as long as running it, so it
 * stays loaded in the page.
 */
export async function axeFaultsOf(page: Page): Promise<unknown> {
  if (!(await page.evaluate('typeof axe !== "undefined"'))) await page.evaluate(axe.source)
  return page.evaluate(
    `axe.run({
       runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa', 'best-practice'],
       resultTypes: ['violations'],
     }).then(({ violations }) =>
       violations.map(({ id, nodes }) => id + ' ' + nodes.map(({ html }) => html).join(' ')).join('; '))`,
  )
}
