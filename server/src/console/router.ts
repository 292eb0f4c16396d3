import { environments } from '@portico/contract/fields'
import type { Request, Router } from 'express'
import type { Deps } from '../delivery/deps.js'
import { pageRouter, type Exchange } from '../pages/frame/page-route.js'
import type { Site } from '../pages/frame/site.js'
import type { Call } from '../screens/call.js'
import { formReader, nestedFormReader } from '../platform/http/body.js'
import { arrive, chooseAccount } from './entrance.js'
import { goHome, signOut } from './coming-and-going.js'
import { sendConsoleSentence } from './page.js'
import { serveScreens } from './serve-screens.js'
import { showStart, takeStart } from './start.js'

const formBytes = 16 * 1024
/** Of a resource; as large as the body of its operation. */
const largeFormBytes = 512 * 1024

/** Whether the address names an environment. */
function isThere({ params }: Request): boolean {
  return environments.some((environment) => environment === params['environment'])
}

/** The console: the pages on which the staff of an account manage what is in it. */
export function consoleRouter(call: Call): (deps: Deps, site: Site) => Router {
  const screens = serveScreens(call)
  return (deps, site) => routerOf(screens, deps, site)
}

function routerOf(screens: ReturnType<typeof serveScreens>, deps: Deps, site: Site): Router {
  const otherwise = (exchange: Exchange, status: number) => sendConsoleSentence(exchange, status, 'notFound')
  return pageRouter(deps, site, [
    { path: '/console', get: chooseAccount, otherwise },
    {
      path: '/console/start',
      get: showStart,
      read: [formReader(formBytes)],
      post: takeStart,
      otherwise,
    },
    { path: '/console/signed-in', get: arrive, otherwise },
    {
      path: '/console/:account_domain/sign-out',
      read: [formReader(formBytes)],
      post: signOut,
      otherwise,
    },
    { path: '/console/:account_domain', get: goHome, otherwise },
    { path: '/console/:account_domain/:environment', isThere, get: screens.home, otherwise },
    { path: '/console/:account_domain/:environment/people', isThere, get: screens.person, otherwise },
    { path: '/console/:account_domain/:environment/search', isThere, get: screens.search, otherwise },
    {
      path: '/console/:account_domain/:environment/people/:action',
      isThere,
      read: [formReader(formBytes)],
      post: screens.mend,
      otherwise,
    },
    {
      path: '/console/:account_domain/:environment/*path',
      isThere,
      get: screens.get,
      read: [nestedFormReader(largeFormBytes)],
      post: screens.post,
      otherwise,
    },
    { path: '/console/*path', get: (exchange) => sendConsoleSentence(exchange, 404, 'notFound') },
  ])
}
