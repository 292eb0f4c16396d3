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

/** More than a request of ours has. */
const maxRequestBytes = 10_000

/** Who is asked at the built-in identity provider, and by which request. */
export interface TestIdpVisit {
  readonly connection: LiveConnection
  /** Null where nobody has asked: a sign-in that begins at the identity provider. */
  readonly requestId: string | null
}

/**
 * The built-in identity provider of a connection: in the sandbox alone, and where the connection has chosen it. It
 * vouches for whomever it is told to.
 */
async function findTestIdp(db: Kysely<DB>, idpId: string): Promise<LiveConnection | undefined> {
  const connection = await findLiveConnection(db, idpId)
  const isTest = connection?.environment === 'sandbox' && connection.providerType === 'test'
  return isTest ? connection : undefined
}

/**
 * What a browser brings to the built-in identity provider.
 *
 * @param samlRequest As the address has it; empty where nobody has asked.
 * @returns Undefined when there is no such identity provider, or the request is none of ours that waits for an answer.
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

/** Whom the built-in identity provider is told to vouch for. */
interface TestIdpChoice {
  readonly email: string
  readonly fault: TestIdpFault
  /** Null where nobody has asked. */
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
      comments: false,
    }
    return readXmlTree(xml.toString('utf8'), limits).attributes.ID
  } catch (error) {
    // What cannot be inflated is a RangeError, or has a code of zlib's.
    const isUnreadable = error instanceof XmlFault || (error instanceof Error && 'code' in error)
    if (isUnreadable) return undefined
    throw error
  }
}

/** Whether the request is one of this connection's that waits for its answer. */
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
