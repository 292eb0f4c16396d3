import type { Client } from '@portico/sdk'
import { beforeAll, describe, expect, test } from 'vitest'
import { answerOf } from '../flow-given.js'
import { startService, type Service } from '../harness.js'
import { samlGivenOf, type SamlGiven } from '../saml-given.js'

// It verifies some two hundred responses.

let service: Service
let client: Client
let given: SamlGiven

beforeAll(async () => {
  service = await startService()
  client = await service.client()
  given = samlGivenOf(service, client)
})

describe('what strangers post', () => {
  test('is no more than one old response that somebody has kept', async () => {
    const scene = await given.scene()
    const { idp, connection, org_domain } = scene
    const kept = idp.respond({ ...connection, requestId: '_old' }, { issuedAt: -3800, notOnOrAfter: 300 })
    for (let count = 0; count < 203; count++) expect((await given.post(scene, kept)).status).toBe(403)

    const traces = () => client.ssoConnections.listLoginTraces({ idp_id: connection.idp_id })
    expect((await traces()).total).toBe(200)
    expect((await given.lastTrace(scene)).failed_check).toBe('issued_at')
    const [logged] = await service.query<{ count: string }>(
      `select count(*) from log_events where domain = $1 and event_code = 'SSO_END_USER_SAML_FAILED'`,
      [org_domain],
    )
    expect(logged?.count).toBe('200')
    expect(answerOf((await given.signIn(scene)).landed).get('code')).not.toBeNull()
  }, 60_000)
})
