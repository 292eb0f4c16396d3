import { z } from 'zod/v4'

/** The order of a list: a member of its records, and the direction. */
interface ListOrder {
  readonly column: string
  readonly direction: 'asc' | 'desc'
}

const listOrders = z.registry<{ readonly columns: readonly string[] }>()

/** The parameter that orders a list by one of these members; another value is ignored. */
export function order(columns: readonly string[], description: string) {
  const parameter = z.string().optional().catch(undefined).describe(description)
  listOrders.add(parameter, { columns })
  return parameter
}

/** Reads `name`, `-name` or `name desc` of a closed list; undefined for anything else. */
export function readOrder(text: string | undefined, columns: readonly string[]): ListOrder | undefined {
  const [, minus, name, word] = /^(-?)(\w+)(?:[ +](asc|desc))?$/i.exec(text ?? '') ?? []
  if (name === undefined || !columns.includes(name)) return undefined
  return { column: name, direction: minus === '-' || word?.toLowerCase() === 'desc' ? 'desc' : 'asc' }
}

/** The values in a query that its schema takes for an order, and that are none, each without its direction. */
export function unknownOrders(schema: z.ZodType | undefined, query: URLSearchParams): string[] {
  if (!(schema instanceof z.ZodObject)) return []
  const shape: Readonly<Record<string, z.core.$ZodType>> = schema.shape
  return Object.entries(shape).flatMap(([name, parameter]) => {
    const { columns } = listOrders.get(parameter) ?? {}
    const value = query.get(name)
    if (columns === undefined || !value || readOrder(value, columns) !== undefined) return []
    return [value.replace(/^-|[ +].*$/g, '')]
  })
}
