import { environments } from '@portico/contract/fields'
import type { Router } from 'express'
import type { Deps } from '../delivery/deps.js'
import { pageRouter, type Exchange } from '../pages/frame/page-route.js'
import type { Site } from '../pages/frame/site.js'
import { formReader } from '../platform/http/body.js'
import { arrive, chooseAccount } from './entrance.js'
import { goHome, showHome, signOut } from './home.js'
import { sendConsoleSentence } from './page.js'
import { showStart, takeStart } from './start.js'

const formBytes = 16 * 1024

/** The console: the pages on which the staff of an account manage what is in it. */
export function consoleRouter(deps: Deps, site: Site): Router {
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
    {
      path: '/console/:account_domain/:environment',
      isThere: ({ params }) => environments.some((environment) => environment === params['environment']),
      get: showHome,
      otherwise,
    },
    { path: '/console/*path', get: (exchange) => sendConsoleSentence(exchange, 404, 'notFound') },
  ])
}
