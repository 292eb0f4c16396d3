import { OrganizationPath } from '@portico/contract/fields'
import type { Router } from 'express'
import type { Deps } from '../../delivery/deps.js'
import { findOrganizationByDomain } from '../../directory/organizations/find-organization.js'
import { errorPage } from '../frame/error.js'
import {
  doneNames,
  isMessageName,
  messagePaths,
  messageUrl,
  signInLinkOf,
  type DoneName,
} from '../frame/message.js'
import type { Frame } from '../frame/layout.js'
import { pageRouter, type Exchange } from '../frame/page-route.js'
import { frameOf, sendPage, textOf, type Site } from '../frame/site.js'
import { passwordSetPage } from '../views/set-password.js'
import { signedOutPage } from '../views/sign-out.js'

/** The sentences of pages that cannot be shown again, for the links to their other languages. */
export function messageRouter(deps: Deps, site: Site): Router {
  return pageRouter(deps, site, [
    {
      path: messagePaths,
      isThere: ({ params }) => isDone(textOf(params['name'])) || isMessageName(textOf(params['name'])),
      get: showMessage,
    },
  ])
}

async function showMessage(exchange: Exchange): Promise<void> {
  const { site, req, res } = exchange
  const name = textOf(req.params['name'])
  const frame = await frameAt(exchange)
  res.vary('Accept-Language')
  if (isDone(name)) {
    sendPage(site, res, donePages[name]({ frame: { ...frame, url: messageUrl(frame, name) } }), frame)
    return
  }
  if (!isMessageName(name)) return
  const sent = textOf(req.query['reference'])
  const reference = referenceForm.test(sent) ? sent : undefined
  const shown = { ...frame, url: messageUrl(frame, name, reference) }
  sendPage(
    site,
    res,
    errorPage(shown, frame.texts[name], { reference, back: signInLinkOf(frame, name) }),
    frame,
  )
}

async function frameAt({ deps, site, req }: Exchange): Promise<Frame> {
  const domain = OrganizationPath.safeParse(req.params).data?.org_domain
  const organization = domain === undefined ? undefined : await findOrganizationByDomain(deps, domain)
  return frameOf(site, req, {
    organization,
    isSandbox: req.query['environment'] === 'sandbox',
    url: undefined,
  })
}

const donePages = { 'signed-out': signedOutPage, 'password-set': passwordSetPage }

function isDone(name: string): name is DoneName {
  return doneNames.some((done) => done === name)
}

const referenceForm = /^[\w.-]{1,128}$/
