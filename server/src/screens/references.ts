import type { FieldError } from '@portico/contract/errors'
import { routeNamed } from '@portico/contract/every-route'
import { reference } from '@portico/contract/fields'
import { failureOf } from './failed.js'
import type { Screen } from './screen.js'
import type { Visit } from './visit.js'

type Body = Readonly<Record<string, unknown>>

/** An id, which is taken as it is. */
const anyId = reference()

/** As many as any list of ids of the API has. */
const mostNames = 100

/** The body of a call with the ids of what was entered by its name, and the fields whose names name nothing. */
export async function withIds(
  visit: Visit,
  { references = {} }: Screen,
  entered: Body,
): Promise<{ readonly body: Body; readonly faults: readonly FieldError[] }> {
  const found = await Promise.all(
    Object.entries(references).flatMap(([member, route]) =>
      entered[member] == null ? [] : [idsOf(visit, route, { member, value: entered[member] })],
    ),
  )
  return {
    body: { ...entered, ...Object.fromEntries(found.map(({ member, value }) => [member, value])) },
    faults: found.flatMap(({ faults }) => faults),
  }
}

interface Named {
  readonly member: string
  /** A name, or a list of names. */
  readonly value: unknown
}

async function idsOf(
  visit: Visit,
  route: string,
  { member, value }: Named,
): Promise<Named & { readonly faults: readonly FieldError[] }> {
  const names = [value].flat().map(String)
  // Each costs a call; the API refuses so many, whatever they are.
  if (names.length > mostNames) return { member, value, faults: [] }
  const ids = await Promise.all(names.map((name) => findId(visit, route, name)))
  const faults = names.flatMap((name, place) =>
    ids[place] === undefined
      ? [{ path: member, code: 'unknown', message: visit.language.texts.unknownName(name) }]
      : [],
  )
  return { member, value: Array.isArray(value) ? ids : ids[0], faults }
}

async function findId(visit: Visit, route: string, name: string): Promise<string | undefined> {
  if (anyId.safeParse(name).success) return name
  const [parameter = ''] = routeNamed(route).pathParameters
  const answer = await visit.call({ route, params: { [parameter]: name } })
  return failureOf(answer) === undefined ? (answer.body as { readonly id: string }).id : undefined
}
