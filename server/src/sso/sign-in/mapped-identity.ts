import { ruleKey } from '../../directory/roles/rule-key.js'
import { mappedValues, type MappedValues, type Said } from '../../directory/users/mapped-values.js'
import { shortNamed, type Asserted } from './asserted-identity.js'
import type { LiveConnection } from './live-connection.js'

/** What the rules of a connection make of what its identity provider says; undefined without rules. */
export function mappedOfAsserted(
  { mapping }: Pick<LiveConnection, 'mapping'>,
  { attributes }: Pick<Asserted, 'attributes'>,
): MappedValues | undefined {
  if (mapping === null) return undefined
  const valuesOf = readerOf(attributes)
  return mappedValues(mapping, (from) => toSaid(valuesOf(from)))
}

/** The keys that rules of roles are compared with: every value of the attributes that they name. */
export function roleKeysOfAsserted(
  named: readonly string[],
  { attributes }: Pick<Asserted, 'attributes'>,
): string[] {
  const valuesOf = readerOf(attributes)
  const keys = named.flatMap((name) => (valuesOf(name) ?? []).map((value) => ruleKey(name, value)))
  return [...new Set(keys)]
}

/** Makes the function that reads an attribute by its name, or by the last part of it, in any case. */
function readerOf(attributes: Asserted['attributes']) {
  const whole = new Map(Object.entries(attributes).map(([name, values]) => [name.toLowerCase(), values]))
  const short = shortNamed(attributes)
  return (from: string) => whole.get(from.toLowerCase()) ?? short.get(from.toLowerCase())
}

function toSaid(values: readonly string[] = []): Said | undefined {
  const [one, ...others] = values
  return one === undefined ? undefined : { one, whole: others.length === 0 ? one : values }
}
