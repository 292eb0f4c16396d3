import { mappedValues, type MappedValues, type Said } from '../../directory/users/mapped-values.js'
import { shortNamed, type Asserted } from './asserted-identity.js'
import type { LiveConnection } from './live-connection.js'

/** What the rules of a connection make of what its identity provider says; undefined without rules. */
export function mappedOfAsserted(
  { mapping }: Pick<LiveConnection, 'mapping'>,
  { attributes }: Pick<Asserted, 'attributes'>,
): MappedValues | undefined {
  if (mapping === null) return undefined
  const whole = new Map(Object.entries(attributes).map(([name, values]) => [name.toLowerCase(), values]))
  const short = shortNamed(attributes)
  return mappedValues(mapping, (from) => {
    const name = from.toLowerCase()
    return toSaid(whole.get(name) ?? short.get(name))
  })
}

function toSaid(values: readonly string[] = []): Said | undefined {
  const [one, ...others] = values
  return one === undefined ? undefined : { one, whole: others.length === 0 ? one : values }
}
