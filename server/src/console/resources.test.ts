import { everyRoute, routeNamed } from '@portico/contract/every-route'
import { describe, expect, test } from 'vitest'
import { z } from 'zod/v4'
import { fieldsOf, queryFieldsOf } from '../screens/field.js'
import { memberLabel, operationLabel, screenLabel, valueLabel } from '../screens/labels.js'
import { screensOf, type Screen } from '../screens/screen.js'
import { en } from './labels/en.js'
import { fr } from './labels/fr.js'
import { menu } from './navigation.js'
import { notShown, resources } from './resources.js'

const screens = screensOf(resources)

function operationsOf({ actions = [], rowActions = [], listActions = [] }: Screen): readonly string[] {
  return [...actions, ...rowActions, ...listActions]
}

function routesOf(screen: Screen): readonly string[] {
  const { list, record, create, update } = screen
  return [list?.route, record, create, update, ...operationsOf(screen)].filter((name) => name !== undefined)
}

test('every operation with a scope has a screen, or a reason why not', () => {
  const all = everyRoute.filter(({ access }) => access.scope !== null)
  const shown = new Set(screens.flatMap(routesOf))

  expect(all.map(({ name }) => name).filter((name) => !shown.has(name) && !(name in notShown))).toEqual([])
  expect(Object.keys(notShown).filter((name) => shown.has(name))).toEqual([])
})

/** The schema within optional, nullable and the like. */
function unwrapped(schema: unknown): unknown {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return unwrapped(schema.unwrap())
  return schema instanceof z.ZodDefault || schema instanceof z.ZodCatch ? unwrapped(schema.unwrap()) : schema
}

/** The member of a record at a path; of an alternative of several the first that has it. */
function memberAt(schema: unknown, [name, ...rest]: readonly string[]): unknown {
  const inner = unwrapped(schema)
  if (name === undefined) return inner
  if (inner instanceof z.ZodUnion)
    return inner.options
      .map((option) => memberAt(option, [name, ...rest]))
      .find((found) => found !== undefined)
  return inner instanceof z.ZodObject ? memberAt(inner.shape[name], rest) : undefined
}

function rowOf(route: string, member = 'data'): unknown {
  const data = memberAt(routeNamed(route).success, [member])
  return data instanceof z.ZodArray ? data.element : undefined
}

test.each(screens.flatMap(({ list }) => (list === undefined ? [] : [list])))(
  'the columns of $route are members of its records',
  ({ route, member, columns }) => {
    const row = rowOf(route, member)
    expect(columns.filter((column) => memberAt(row, column.split('.')) === undefined)).toEqual([])
  },
)

test('what a screen leaves out of a form is a member of its body', () => {
  const unknown = screens.flatMap((screen) => {
    const members = [screen.create, screen.update].flatMap((name) =>
      name === undefined
        ? []
        : fieldsOf(routeNamed(name)).flatMap(({ path, name: whole }) => [path[0], whole]),
    )
    return Object.keys(screen.omitted ?? {}).filter((name) => !members.includes(name))
  })
  expect(unknown).toEqual([])
})

test('an answer that is shown is that of an operation of its screen', () => {
  for (const screen of screens)
    expect((screen.shown ?? []).filter((name) => !operationsOf(screen).includes(name))).toEqual([])
})

test('what is done to a record in a state, and what is entered by a name, is of its screen', () => {
  for (const screen of screens) {
    const offered = [screen.update, ...operationsOf(screen)]
    expect(Object.keys(screen.onlyIf ?? {}).filter((name) => !offered.includes(name))).toEqual([])
    const members = fieldsOf(routeNamed(screen.create ?? 'organizations.create')).map(({ name }) => name)
    for (const [member, route] of Object.entries(screen.references ?? {})) {
      expect(members).toContain(member)
      expect(routeNamed(route).pathParameters).toHaveLength(1)
    }
  }
})

test('the menu has each screen that is not below another one, once', () => {
  const first = screens.filter(({ at }) => !at.includes('/')).map(({ key }) => key)
  expect(menu.flatMap((group) => group.screens).toSorted()).toEqual(first.toSorted())
})

/** Names that programs have, of scopes, events, algorithms and roles, and what no page has as a choice. */
const isName = (member: string, value: string) =>
  /[.:]|^all$/.test(value) || ['roles', 'token_signing_alg', 'preload_associations'].includes(member)

test('each choice of a form or a filter is in words, or is a name that programs have', () => {
  const raw = screens.flatMap((screen) =>
    routesOf(screen).flatMap((name) =>
      [...fieldsOf(routeNamed(name)), ...queryFieldsOf(routeNamed(name))].flatMap(({ path, options }) => {
        const member = path.at(-1) ?? ''
        return options
          .filter((option) => !isName(member, option) && valueLabel(en, member, option) === option)
          .map((option) => `${name} ${member}: ${option}`)
      }),
    ),
  )
  expect(raw).toEqual([])
})

describe('in French', () => {
  const none = { members: {}, values: {}, ofNull: {}, operations: {}, screens: {} }

  test('every screen and operation has its name', () => {
    const keys = screens
      .map(({ key }) => key)
      .filter((key) => screenLabel(fr, key)[0] === screenLabel(none, key)[0])
    // These words are the same in both languages.
    expect(keys).toEqual(sameInFrench.filter((key) => keys.includes(key)))
    const operations = screens.flatMap(operationsOf)
    expect(operations.filter((name) => operationLabel(fr, name) === operationLabel(none, name))).toEqual([])
  })

  test('every operation says what it does', () => {
    expect(Object.keys(fr.helps ?? {}).toSorted()).toEqual(
      [...new Set(screens.flatMap(operationsOf))].toSorted(),
    )
  })

  test('every member has its name', () => {
    const members = new Set(
      screens.flatMap((screen) => [
        ...routesOf(screen).flatMap((name) => [
          ...fieldsOf(routeNamed(name)).map(({ path }) => path.at(-1) ?? ''),
          ...queryFieldsOf(routeNamed(name)).map(({ name: filter }) => filter),
        ]),
        ...(screen.list?.columns ?? []).map((column) => column.split('.').at(-1) ?? ''),
        ...(screen.record === undefined ? [] : membersOf(routeNamed(screen.record).success)),
      ]),
    )
    expect([...members].filter((name) => !name.startsWith('__') && !(name in fr.members)).toSorted()).toEqual(
      [],
    )
    expect(memberLabel(fr, ['profile', 'given_name'])).toBe('Prénom')
  })

  const sameInFrench = [
    ...[
      'organizations.users.sessions',
      'organizations.invitations',
      'organizations.applications',
      'applications',
    ],
    ...['webhooks', 'permissions', 'audit'],
  ]
})

function membersOf(schema: unknown): readonly string[] {
  const inner = unwrapped(schema)
  if (inner instanceof z.ZodUnion) return inner.options.flatMap(membersOf)
  return inner instanceof z.ZodObject ? Object.keys(inner.shape) : []
}
