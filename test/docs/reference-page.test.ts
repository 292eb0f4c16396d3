import { readFileSync } from 'node:fs'
import { errorCodes } from '@portico/contract/errors'
import { routes } from '@portico/contract/walk'
import { expect, test } from 'vitest'

const page = readFileSync(new URL('../../docs/site/index.html', import.meta.url), 'utf8')
const ids = valuesOf(/ id="([^"]+)"/g)

test('every link on the reference page leads somewhere', () => {
  const anchors = valuesOf(/href="#([^"]+)"/g)
  expect(anchors.length).toBeGreaterThan(500)
  expect([...new Set(anchors)].filter((anchor) => !ids.includes(anchor))).toEqual([])
})

test('no two places of the reference page have one address', () => {
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([])
})

test('every operation and every error code has a place on the reference page', () => {
  expect(ids).toEqual(
    expect.arrayContaining([...routes().map(({ name }) => name), ...Object.keys(errorCodes)]),
  )
})

test('the reference page works under a policy that allows no inline script and no inline style', () => {
  expect(page).not.toMatch(/<script|<style|\sstyle=|\son[a-z]+=/)
})

function valuesOf(pattern: RegExp): string[] {
  return [...page.matchAll(pattern)].map(([, value]) => value ?? '')
}
