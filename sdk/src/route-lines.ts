import type { RouteRow } from './generated.js'

/** Parses the routes of each resource: a line has a path, followed by the verb of each operation, METHOD and flags. */
export function readRoutes<Name extends string>(
  resources: Readonly<Record<string, string>>,
): { readonly [Operation in Name]: RouteRow } {
  const table: Record<string, RouteRow> = {}
  for (const [resource, lines] of Object.entries(resources))
    for (const line of lines.split('\n')) {
      const [path = ''] = line.split(' ')
      for (const [, verb, method = '', flags = ''] of line.matchAll(/ (\w+) ([A-Z]+)([a-z]*)/g))
        table[`${resource}.${verb}`] = [method, path, flags]
    }
  // The generator writes the lines and the names of the operations from the same routes.
  return table as { readonly [Operation in Name]: RouteRow }
}
