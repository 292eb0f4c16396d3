import axe from 'axe-core'
import type { Page } from 'playwright-core'

/**
 * What axe finds wrong with a page as it is now; '' when it finds nothing. To read axe takes as long as a run of it, so it
 * stays where it is.
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
