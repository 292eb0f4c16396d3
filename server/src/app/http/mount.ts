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
 * The routes of a contract, told apart by the segments of their paths, one after the other.
 *
 * A parameter takes any segment. So the routes that have one at a place are in the branch `otherwise`, and also in the
 * branch of each literal that other routes have there: a walk never has to turn back, and the first route of the
 * contract that fits wins, as it does in Express.
 */
type PathIndex<Leaf> =
  | { leaf: Leaf }
  | { literals: ReadonlyMap<string, PathIndex<Leaf>>; otherwise?: PathIndex<Leaf> }

/** Deeper than any path of the contract, so that each router holds the methods of one path. */
const defaultDepth = 12

/**
 * Serves a contract with ts-rest's own Express adapter, in one small router for each path.
 *
 * Express tries its routes one after the other, which for a hundred costs more than all the rest of a request. Here
 * maps lead to the few that can match; what they do then, order and errors included, is what one router would do.
 *
 * @param options ts-rest's options; `globalMiddleware` runs before validation.
 * @param depth How many segments of a path are looked at; fewer make fewer and longer routers.
 * @throws Error when a route has no handler, or a path is not made of literal segments and `:parameters`.
 */
export function mountContract<Contract extends AppRouter>(
  app: IRouter,
  contract: Contract,
  implementation: Implementation<Contract>,
  options: TsRestExpressOptions<Contract>,
  depth = defaultDepth,
): void {
  const index = indexPaths(routesOf(contract), depth, (routes) => ({
    routes,
    router: routerOf(routes, implementation, options),
  }))
  app.use((req, res, next) => {
    // No route of a contract is for OPTIONS, which a router would answer by itself and here belongs to who comes next.
    const leaf = req.method === 'OPTIONS' ? undefined : findLeaf(index, req.path)
    if (leaf === undefined) {
      next()
      return
    }
    leaf.router(req, res, (error?: unknown) => {
      // Parameters are decoded before ts-rest says whose they are, by which the error is answered.
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
 * Makes a function that tells the methods which a path of the contract takes, for the `Allow` header of a 405; undefined
 * when no route has the path, which is a 404. HEAD goes with GET.
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
    // Optional parameters, wildcards and parameters within a segment would need a cleverer index than this one.
    if (!/^(?:\/(?::\w+|[\w.~-]+))+$/.test(node.path)) {
      throw new Error(
        `The path of ${keys.join('.')}, ${node.path}, is not made of literal segments and :parameters alone.`,
      )
    }
    return [{ keys, route: node, segments: segmentsOf(node.path) }]
  })
}

function indexPaths<Leaf>(
  routes: readonly NamedRoute[],
  depth: number,
  makeLeaf: (routes: readonly NamedRoute[]) => Leaf,
  place = 0,
): PathIndex<Leaf> {
  const isEnd = routes.every(({ segments }) => segments.length <= place)
  if (place >= depth || isEnd) return { leaf: makeLeaf(routes) }
  const branch = (chosen: readonly NamedRoute[]) => indexPaths(chosen, depth, makeLeaf, place + 1)
  const segmentOf = ({ segments }: NamedRoute) => segments[place] ?? ''
  const open = routes.filter((route) => isParameter(segmentOf(route)))
  const literals = new Set(routes.map(segmentOf).filter((segment) => !isParameter(segment)))
  return {
    literals: new Map(
      [...literals].map((literal) => [
        literal,
        // No parameter takes an empty segment, which is how a path ends.
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
  for (let place = 0; node; place += 1) {
    if ('leaf' in node) return node.leaf
    node = node.literals.get(segments[place] ?? '') ?? node.otherwise
  }
  return undefined
}

/** The segments of a path in the letter case that all literals are compared in, as in Express: none. */
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
  return pattern.every((part, place) => {
    const segment = segments[place] ?? ''
    return isParameter(part) ? segment !== '' : segment === part
  })
}

function routerOf<Contract extends AppRouter>(
  routes: readonly NamedRoute[],
  implementation: Implementation<Contract>,
  options: TsRestExpressOptions<Contract>,
): Router {
  const router = express.Router()
  // The handlers of a few routes, picked from a tree that the compiler has checked against the whole contract; the
  // options speak of any route of the contract, and so of these.
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
  // Keys of the contract are keys of its implementation: the compiler has checked it, one key at a time is not typed.
  const handler = keys.reduce<unknown>(
    (node, key) => (node as Record<string, unknown> | undefined)?.[key],
    implementation,
  )
  if (!handler) throw new Error(`The route ${keys.join('.')} has no handler.`)
  return handler
}
