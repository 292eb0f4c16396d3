import { bodyOf, routes } from '@portico/contract/walk'
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { z } from 'zod/v4'
import { withoutPersonalData } from '@portico/contract/sensitivity'
import { exampleOf } from '@portico/contract/record'
import { kinds } from './kinds.js'

const guide = readFileSync(new URL('../../../../docs/guides/promotion.md', import.meta.url), 'utf8')

describe.each(kinds.map((kind) => [`${kind.section} of the ${kind.of}`, kind] as const))('%s', (_, kind) => {
  test('every member that callers can write is promoted, or left out for a reason that the guide tells', () => {
    const bodies = routes()
      .filter(({ resource, verb }) => resource === kind.resource && isOfSettings(verb))
      .flatMap((route) => bodyOf(route) ?? [])
    const written = new Set(
      bodies.flatMap((body) => (body instanceof z.ZodObject ? Object.keys(body.shape) : [])),
    )
    const left = [...written].filter((name) => name !== kind.key && !kind.members.includes(name))

    expect(bodies.length).toBeGreaterThan(0)
    expect(left.toSorted()).toEqual(Object.keys(kind.omitted).toSorted())
    for (const name of left) expect(guide).toContain(`\`${name}\``)
  })

  test('what is promoted can be read, changed, and is no secret and nothing of a person', () => {
    const example: Record<string, unknown> = exampleOf(kind.record)
    const members = Object.fromEntries(kind.members.map((name) => [name, example[name]]))

    expect(withoutPersonalData(kind.record, members)).toEqual(members)
    expect(withoutPersonalData(kind.changes, members)).toEqual(members)
  })
})

test('what else callers can write is left out for a reason that the guide tells', () => {
  const writable = routes().filter(({ method }) => method !== 'GET')
  const promoted = new Set<string>(kinds.map(({ resource }) => resource))

  for (const { name, resource, access } of writable) {
    const { notPromoted } = access.tag
    expect([name, notPromoted === undefined]).toEqual([name, promoted.has(resource)])
    if (notPromoted !== undefined) expect(guide).toContain(notPromoted)
  }
})

/** Whether a route writes the object itself, rather than a challenge, an onboarding or the like. */
function isOfSettings(verb: string): boolean {
  return /^(create|update|post)(Connection)?$/.test(verb)
}
