import { inflateRawSync } from 'node:zlib'
import type { Kysely } from 'kysely'
import type { DB } from '../../platform/db/schema.js'
import type { Deps } from '../../delivery/deps.js'
import { readXmlTree, XmlFault } from '../saml/xml-tree.js'
import { isOfConnection } from '../connections/connection-key.js'
import { findServiceProviderKeys, findSsoKeys } from '../connections/keys.js'
import { isAwaited } from '../sign-in/awaited-request.js'
import { findLiveConnection, type LiveConnection } from '../sign-in/live-connection.js'
import { acsUrlOf, entityIdOf } from '../saml/service-provider.js'
import { testIdpEntityId } from '../connections/provision-test-idp.js'
import { testIdpResponse, type TestIdpFault } from './response.js'

/** More than our own requests have. */
const maxRequestBytes = 10_000

/** A browser at the built-in identity provider, and the request that it brings. */
export interface TestIdpVisit {
  readonly connection: LiveConnection
  /** Null for an IdP-initiated sign-in. */
  readonly requestId: string | null
}

/** Finds the built-in identity provider of a connection that has chosen it, only in the sandbox: it asserts any user. */
async function findTestIdp(db: Kysely<DB>, idpId: string): Promise<LiveConnection | undefined> {
  const connection = await findLiveConnection(db, idpId)
  const isTest = connection?.environment === 'sandbox' && connection.providerType === 'test'
  return isTest ? connection : undefined
}

/**
 * Reads the request of a browser at the built-in identity provider.
 *
 * @param samlRequest The parameter; empty for an IdP-initiated sign-in.
 * @returns Undefined when there is no such identity provider, or the request is not an open one of ours.
 */
export async function findTestIdpVisit(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  idpId: string,
  samlRequest: string,
): Promise<TestIdpVisit | undefined> {
  const connection = await findTestIdp(db, idpId)
  if (connection === undefined) return undefined
  if (samlRequest === '') return { connection, requestId: null }
  const requestId = requestIdIn(samlRequest)
  if (requestId === undefined || !(await isRequestAwaited({ db, now }, connection, requestId)))
    return undefined
  return { connection, requestId }
}

/** The user and the fault that were chosen at the built-in identity provider. */
interface TestIdpChoice {
  readonly email: string
  readonly fault: TestIdpFault
  /** Null for an IdP-initiated sign-in. */
  readonly requestId: string | null
}

/** The signed response of the built-in identity provider, as a form carries it. */
export async function answerAsTestIdp(
  deps: Pick<Deps, 'config' | 'db' | 'keys' | 'now'>,
  connection: LiveConnection,
  { email, fault, requestId }: TestIdpChoice,
): Promise<string> {
  const { baseUrl } = deps.config
  const [own] = await findSsoKeys(deps, deps.db, connection, 'test_identity_provider')
  const [ours] = await findServiceProviderKeys(deps, connection)
  if (own === undefined || ours === undefined) throw new Error('a connection for tests has no keys')
  const { idpId } = connection
  return testIdpResponse({
    fault,
    email,
    inResponseTo: requestId,
    entityId: testIdpEntityId(baseUrl, idpId),
    privateKey: own.privateKey,
    serviceProvider: {
      entityId: entityIdOf(baseUrl, idpId),
      acsUrl: acsUrlOf(baseUrl, idpId),
      certificate: ours.certificate,
    },
    at: deps.now(),
  })
}

/** The id of a request by the HTTP-Redirect binding (SAML bindings section 3.4.4.1). */
function requestIdIn(samlRequest: string): string | undefined {
  try {
    const xml = inflateRawSync(Buffer.from(samlRequest, 'base64'), { maxOutputLength: maxRequestBytes })
    const limits = {
      length: maxRequestBytes,
      elements: 20,
      depth: 5,
      attributes: 20,
      allAttributes: 100,
      names: 20,
      comments: false,
    }
    return readXmlTree(xml.toString('utf8'), limits).attributes.ID
  } catch (error) {
    // Failed inflation throws a RangeError, or an error with a code of zlib.
    const isUnreadable = error instanceof XmlFault || (error instanceof Error && 'code' in error)
    if (isUnreadable) return undefined
    throw error
  }
}

/** Whether the request is an open one of this connection. */
async function isRequestAwaited(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  connection: LiveConnection,
  requestId: string,
): Promise<boolean> {
  const row = await db
    .selectFrom('saml_requests')
    .where(isOfConnection('saml_requests', connection))
    .where(isAwaited({ id: requestId, at: now() }))
    .select('id')
    .executeTakeFirst()
  return row !== undefined
}
