import { z } from 'zod/v4'
import { id } from './fields.js'

/**
 * A record of the interface: its name, its fields and an example of them, in one expression.
 * The name is also the value of `__type__`, the OpenAPI component and the SDK's type.
 */
export function record<const Name extends string, Fields extends z.ZodRawShape>(
  name: Name,
  fields: Fields,
  example: NoInfer<z.output<z.ZodObject<Fields>>>,
) {
  return z.object(fields).meta({ id: name, examples: [example] })
}

/** The example of a record. */
export function exampleOf<T extends z.ZodType>(schema: T): z.output<T> {
  const examples = schema.meta()?.['examples']
  const example: unknown = Array.isArray(examples) ? examples[0] : undefined
  if (example === undefined) throw new Error(`record ${schema.meta()?.id ?? 'without a name'} has no example`)
  // Only record() writes examples, and it types them by the schema.
  return example as z.output<T>
}

export function nameOf(schema: z.ZodType): string {
  const name = schema.meta()?.id
  if (name === undefined) throw new Error('only a schema made by record() has a name')
  return name
}

export const Pagination = record(
  'Pagination',
  {
    current_page: z.int(),
    current_pages: z.array(z.int()).describe('Up to five page numbers around the current one'),
    next_page: z.int().nullable(),
    per_page: z.int(),
    prev_page: z.int().nullable(),
    total_pages: z.int(),
  },
  { current_page: 1, current_pages: [1], next_page: null, per_page: 25, prev_page: null, total_pages: 1 },
)

/** The list envelope. `next_cursor` continues after the last record, so concurrent inserts do not shift the pages. */
export function listOf<Fields extends z.ZodRawShape>(schema: z.ZodObject<Fields>) {
  return record(
    `${nameOf(schema)}List`,
    {
      __type__: z.literal('List'),
      data: z.array(schema),
      pagination: Pagination,
      total: z.int(),
      next_cursor: z.string().nullable().describe('Value of after for the next page; null at the end'),
    },
    {
      __type__: 'List',
      data: [exampleOf(schema)],
      pagination: exampleOf(Pagination),
      total: 1,
      next_cursor: null,
      // The generic shape hides from the compiler that this is the envelope's own output.
    } as never,
  )
}

/** The deletion envelope, with the record as it was before. */
export function deletionOf<Fields extends z.ZodRawShape>(schema: z.ZodObject<Fields>) {
  return record(
    `${nameOf(schema)}Deletion`,
    { deleted: z.literal(true), resource: schema, type: z.literal('__Deleted__') },
    { deleted: true, resource: exampleOf(schema), type: '__Deleted__' } as never,
  )
}

/** The answer to a read of a deleted record: its type, its id, the member that names it, and the deletion. */
export function deletedOf<const Name extends string, const Label extends string>(
  name: Name,
  label: Label,
  example: { id: string; label: string },
) {
  const fields = {
    __type__: z.literal(name),
    id: id(),
    deleted: z.literal(true),
    [label]: z.string(),
  } as { __type__: z.ZodLiteral<Name>; id: z.ZodString; deleted: z.ZodLiteral<true> } & Record<
    Label,
    z.ZodString
  >
  return record(`Deleted${name}`, fields, {
    __type__: name,
    id: example.id,
    deleted: true,
    [label]: example.label,
  } as never)
}
