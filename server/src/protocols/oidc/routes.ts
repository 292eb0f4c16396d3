import { contract } from '@portico/contract/contract'
import { initServer } from '@ts-rest/express'
import type { Request, Response } from 'express'
import type { Deps } from '../../delivery/deps.js'
import { requestIdOf } from '../../delivery/request-context.js'
import { toProviderMetadata } from './discovery.js'
import { getKeySet, isIssuerMissing, issuingOwners } from './key-set.js'
import { tagOf } from './entity-tag.js'
import { getUserInfo } from './userinfo.js'
import { accountOf, organizationOf, type NamedIssuer } from '../../tokens/issuer.js'

const s = initServer()

export function oidcRoutes(deps: Deps) {
  const getIssuingOwner = issuingOwners(deps)

  const metadataOf = async (res: Response, issuer: NamedIssuer) => {
    await getIssuingOwner(issuer)
    const body = toProviderMetadata(deps, issuer)
    res.set('Cache-Control', 'public, max-age=300')
    res.set('ETag', tagOf(JSON.stringify(body)))
    return { status: 200 as const, body }
  }
  const metadata = ({ res, params }: { res: Response; params: OrganizationParams }) =>
    metadataOf(res, organizationOf(params))
  const accountMetadata = ({ res, params }: { res: Response; params: AccountParams }) =>
    metadataOf(res, accountOf(params))

  const keySetOf = async (res: Response, issuer: NamedIssuer) => {
    const owner = await getIssuingOwner(issuer).catch((error: unknown) => {
      // Verifiers of every organization ask for those of made-up ones, too.
      if (isIssuerMissing(error)) res.set('Cache-Control', 'public, max-age=60')
      throw error
    })
    const body = await getKeySet(deps, owner)
    // A next key is published for longer before its first use.
    res.set('Cache-Control', 'public, max-age=900')
    res.set('ETag', tagOf(body.keys.map(({ kid }) => kid).join(' ')))
    return { status: 200 as const, body }
  }

  const userInfoOf = async ({ req, res }: Exchange, issuer: NamedIssuer, formToken?: string) => {
    const { authorization } = req.headers
    const body = await getUserInfo(deps, { issuer, authorization, formToken, requestId: requestIdOf(req) })
    // Personal data must not be cached.
    res.set('Cache-Control', 'no-store')
    return { status: 200 as const, body }
  }

  return s.router(contract.oidc, {
    discovery: metadata,
    discoveryAtRoot: metadata,
    serverMetadata: metadata,
    serverMetadataAtRoot: metadata,
    accountDiscovery: accountMetadata,
    accountDiscoveryAtRoot: accountMetadata,
    accountServerMetadata: accountMetadata,
    accountServerMetadataAtRoot: accountMetadata,
    keySet: ({ res, params }) => keySetOf(res, organizationOf(params)),
    accountKeySet: ({ res, params }) => keySetOf(res, accountOf(params)),
    userInfo: ({ params, ...exchange }) => userInfoOf(exchange, organizationOf(params)),
    postUserInfo: ({ params, body, ...exchange }) =>
      userInfoOf(exchange, organizationOf(params), body.access_token),
    accountUserInfo: ({ params, ...exchange }) => userInfoOf(exchange, accountOf(params)),
    postAccountUserInfo: ({ params, body, ...exchange }) =>
      userInfoOf(exchange, accountOf(params), body.access_token),
  })
}

interface Exchange {
  readonly req: Pick<Request, 'headers' | 'params'>
  readonly res: Response
}

interface OrganizationParams {
  readonly org_domain: string
}
interface AccountParams {
  readonly account_domain: string
}
