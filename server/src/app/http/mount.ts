import { isAppRoute, type AppRoute, type AppRouter } from '@ts-rest/core'
import { createExpressEndpoints, type TsRestExpressOptions } from '@ts-rest/express'
import express, { type IRouter, type Router } from 'express'

/** The handlers of a contract, in the contract's own shape. */
export type Implementation<Contract extends AppRouter> = Parameters<
  typeof createExpressEndpoints<Contract>
>[1]

/** A route of the contract, with the keys that lead to it and its path in segments. */
interface NamedRoute {
  keys: readonly string[]
  route: AppRoute
  segments: readonly string[]
}

/**
 * The routes of a contract, indexed by one path segment after another.
 *
 * A parameter matches any segment, so its routes are in the branch `otherwise` and also in the branch of each literal
 * at the same position: a lookup never backtracks, and the first matching route of the contract wins, as in Express.
 */
type PathIndex<Leaf> =
  | { leaf: Leaf }
  | { literals: ReadonlyMap<string, PathIndex<Leaf>>; otherwise?: PathIndex<Leaf> }

/** Deeper than any path of the contract, so that each router holds the methods of one path. */
const defaultDepth = 12

/**
 * Serves a contract with ts-rest's own Express adapter, in one small router for each path.
 *
 * Express tries its routes one after the other, which for a hundred costs more than the rest of a request. The index
 * finds the few that can match; order and errors are those of a single router.
 *
 * @param options ts-rest's options; `globalMiddleware` runs before validation.
 * @param depth How many segments of a path are indexed; fewer make fewer and longer routers.
 * @throws Error when a route has no handler, or a path is not made of literal segments and `:parameters`.
 */
export function mountContract<Contract extends AppRouter>(
  app: IRouter,
  contract: Contract,
  implementation: Implementation<Contract>,
  options: TsRestExpressOptions<Contract>,
  depth = defaultDepth,
): void {
  const index = indexPaths(routesOf(contract), depth, (routes) => {
    for (const { keys } of routes) handlerOf(implementation, keys)
    let router: Router | undefined
    // Made by the first request: all of them would be half of the time in which the service is built.
    return { routes, getRouter: () => (router ??= routerOf(routes, implementation, options)) }
  })
  app.use((req, res, next) => {
    // A router would answer OPTIONS by itself, but later middleware handles it.
    const leaf = req.method === 'OPTIONS' ? undefined : findLeaf(index, req.path)
    if (leaf === undefined) {
      next()
      return
    }
    leaf.getRouter()(req, res, (error?: unknown) => {
      // Parameters are decoded before ts-rest sets the route, which the error handler needs.
      if (error instanceof URIError && !('tsRestRoute' in req)) {
        const segments = segmentsOf(req.path)
        const meant = leaf.routes.find(
          ({ route, segments: pattern }) => route.method === req.method && isMatch(pattern, segments),
        )
        Object.assign(req, meant && { tsRestRoute: meant.route })
      }
      next(error)
    })
  })
}

/**
 * Makes a function that lists the methods of a path, for the `Allow` header of a 405; undefined when no route has the
 * path, which is a 404. GET implies HEAD.
 */
export function allowedMethods(contract: AppRouter): (path: string) => string[] | undefined {
  const index = indexPaths(routesOf(contract), defaultDepth, (routes) => routes)
  return (path) => {
    const segments = segmentsOf(path)
    const routes = (findLeaf(index, path) ?? []).filter((route) => isMatch(route.segments, segments))
    if (routes.length === 0) return undefined
    return [
      ...new Set(routes.flatMap(({ route }) => (route.method === 'GET' ? ['GET', 'HEAD'] : [route.method]))),
    ]
  }
}

/** All routes of a contract, in its order. */
function routesOf(contract: AppRouter, parents: readonly string[] = []): NamedRoute[] {
  return Object.entries(contract).flatMap(([key, node]) => {
    const keys = [...parents, key]
    if (!isAppRoute(node)) return routesOf(node, keys)
    // The index supports no optional parameters, wildcards or parameters within a segment.
    if (!/^(?:\/(?::\w+|[\w.~-]+))+$/.test(node.path)) {
      throw new Error(
        `The path of ${keys.join('.')}, ${node.path}, is not made of literal segments and :parameters only.`,
      )
    }
    return [{ keys, route: node, segments: segmentsOf(node.path) }]
  })
}

function indexPaths<Leaf>(
  routes: readonly NamedRoute[],
  depth: number,
  makeLeaf: (routes: readonly NamedRoute[]) => Leaf,
  position = 0,
): PathIndex<Leaf> {
  const isEnd = routes.every(({ segments }) => segments.length <= position)
  if (position >= depth || isEnd) return { leaf: makeLeaf(routes) }
  const branch = (chosen: readonly NamedRoute[]) => indexPaths(chosen, depth, makeLeaf, position + 1)
  const segmentOf = ({ segments }: NamedRoute) => segments[position] ?? ''
  const open = routes.filter((route) => isParameter(segmentOf(route)))
  const literals = new Set(routes.map(segmentOf).filter((segment) => !isParameter(segment)))
  return {
    literals: new Map(
      [...literals].map((literal) => [
        literal,
        // No parameter matches an empty segment, which marks the end of a path.
        branch(
          routes.filter((route) => segmentOf(route) === literal || (literal !== '' && open.includes(route))),
        ),
      ]),
    ),
    ...(open.length > 0 && { otherwise: branch(open) }),
  }
}

function findLeaf<Leaf>(index: PathIndex<Leaf>, path: string): Leaf | undefined {
  const segments = segmentsOf(path)
  let node: PathIndex<Leaf> | undefined = index
  for (let position = 0; node; position += 1) {
    if ('leaf' in node) return node.leaf
    node = node.literals.get(segments[position] ?? '') ?? node.otherwise
  }
  return undefined
}

/** The segments of a path in lower case, because literals match case-insensitively, as in Express. */
function segmentsOf(path: string): string[] {
  return path.slice(1).toLowerCase().split('/')
}

function isParameter(segment: string): boolean {
  return segment.startsWith(':')
}

/** Whether Express would match: segment by segment, as sent (not decoded), with or without one slash at the end. */
function isMatch(pattern: readonly string[], segments: readonly string[]): boolean {
  const trailing = segments.length === pattern.length + 1 && segments.at(-1) === ''
  if (segments.length !== pattern.length && !trailing) return false
  return pattern.every((part, position) => {
    const segment = segments[position] ?? ''
    return isParameter(part) ? segment !== '' : segment === part
  })
}

function routerOf<Contract extends AppRouter>(
  routes: readonly NamedRoute[],
  implementation: Implementation<Contract>,
  options: TsRestExpressOptions<Contract>,
): Router {
  const router = express.Router()
  // The casts are safe: the compiler has checked the whole tree, and the options apply to any of its routes.
  createExpressEndpoints(
    Object.fromEntries(routes.map(({ keys, route }) => [keys.join('.'), route])),
    Object.fromEntries(
      routes.map(({ keys }) => [keys.join('.'), handlerOf(implementation, keys)]),
    ) as Implementation<AppRouter>,
    router,
    options as unknown as TsRestExpressOptions<AppRouter>,
  )
  return router
}

function handlerOf(implementation: object, keys: readonly string[]): unknown {
  // The compiler has checked that the implementation has the contract's keys, but cannot type one at a time.
  const handler = keys.reduce<unknown>(
    (node, key) => (node as Record<string, unknown> | undefined)?.[key],
    implementation,
  )
  if (!handler) throw new Error(`The route ${keys.join('.')} has no handler.`)
  return handler
}
