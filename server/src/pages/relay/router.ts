import type { Router } from 'express'
import type { Deps } from '../../delivery/deps.js'
import { requestIdOf } from '../../delivery/request-context.js'
import { consumeRelay, type RelayOutcome } from '../../sign-in/relays/consume.js'
import { isOnlyLooking } from '../frame/only-looking.js'
import { pageHeaders } from '../frame/page-headers.js'
import { pageRouter, redirect, sendPlainSentence, type Exchange } from '../frame/page-route.js'
import { textOf, type Site } from '../frame/site.js'

/** Status and text for each refusal of a relay. */
const relayFailures = {
  dead: { status: 404, text: 'deadRelay' },
  email_taken: { status: 409, text: 'relayEmailTaken' },
  user_inactive: { status: 403, text: 'relayUserInactive' },
  not_admitted: { status: 403, text: 'signInRefused' },
} as const satisfies Record<Extract<RelayOutcome, { refusal: string }>['refusal'], object>

/** The address of a relay, which is consumed by its first visit. */
export function relayRouter(deps: Deps, site: Site): Router {
  return pageRouter(deps, site, [
    {
      path: '/relay/:token',
      get: follow,
      otherwise: (exchange, status) => sendPlainSentence(exchange, status, 'deadRelay'),
    },
  ])
}

async function follow(exchange: Exchange): Promise<void> {
  const { deps, site, req, res } = exchange
  res.set(pageHeaders(site.isHttps)).vary('Accept-Language')
  if (isOnlyLooking(req)) {
    res.status(204).end()
    return
  }
  const outcome = await consumeRelay(deps, { token: textOf(req.params.token), requestId: requestIdOf(req) })
  if (!('refusal' in outcome)) {
    redirect(exchange, outcome.redirectUrl)
    return
  }
  const { status, text } = relayFailures[outcome.refusal]
  // The relay is consumed, so the page has no links to it.
  sendPlainSentence(exchange, status, text)
}
