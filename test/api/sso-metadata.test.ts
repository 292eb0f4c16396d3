import { etagOf, type SsoConnection } from '@portico/sdk'
import { describe, expect, test } from 'vitest'
import { longDescribe } from '../sampled.js'
import { anyEmail, anything } from '../given/given.js'
import { startService } from '../given/harness.js'
import { idpMetadata, ssoGivenOf } from '../given/sso-given.js'

const service = await startService()
const client = await service.client()
const given = ssoGivenOf(client)

const versionsOf = ({ metadata }: SsoConnection) => metadata.map(({ version, current }) => [version, current])

const warningsOf = ({ metadata }: SsoConnection) => metadata[0]?.warnings.map(({ code }) => code)

describe('uploading metadata', () => {
  test('configures the connection, and the onboarding has its XML', async () => {
    const { idp_id } = await given.connection({ sso_admin_email: anyEmail() })

    const changed = await client.ssoConnections.update({
      idp_id,
      metadata: idpMetadata({ entityId: 'https://idp.example/1', certificateDays: [365, 730] }),
      preload_associations: ['enterprise_connection_onboarding'],
    })

    expect(changed).toMatchObject({ state: 'configured', onboarding: { state: 'xml_provided' } })
    expect(changed.metadata).toEqual([
      {
        __type__: 'SsoMetadata',
        version: 1,
        current: true,
        entity_id: 'https://idp.example/1',
        sso_url: 'https://idp.example/sso',
        certificates: [
          expect.objectContaining({ subject: 'CN=idp.example' }),
          expect.objectContaining({ subject: 'CN=idp.example' }),
        ],
        valid_until: null,
        warnings: [],
        uploaded_by: 'api_key',
        inserted_at: expect.any(String),
      },
    ])
    expect(JSON.stringify(changed)).not.toContain('BEGIN CERTIFICATE')
  })

  test('makes the newest version current, and each earlier one can be used again', async () => {
    const { idp_id } = await given.connection()
    for (const metadata of [idpMetadata(), idpMetadata(), idpMetadata()])
      await client.ssoConnections.update({ idp_id, metadata })
    const read = await client.ssoConnections.get({ idp_id })
    expect(versionsOf(read)).toEqual([
      [3, true],
      [2, false],
      [1, false],
    ])

    const changed = await client.ssoConnections.useMetadata({ idp_id, version: 1 })
    expect(versionsOf(changed)).toEqual([
      [3, false],
      [2, false],
      [1, true],
    ])
    expect(etagOf(changed)).not.toBe(etagOf(read))
    expect(await client.ssoConnections.get({ idp_id })).toEqual(changed)
  })

  test('of many at once each is a version, and one is current', async () => {
    const { idp_id } = await given.connection()
    await Promise.all(
      Array.from({ length: 5 }, () => client.ssoConnections.update({ idp_id, metadata: idpMetadata() })),
    )
    const { metadata } = await client.ssoConnections.get({ idp_id })
    expect(metadata.map(({ version }) => version)).toEqual([5, 4, 3, 2, 1])
    expect(metadata.filter(({ current }) => current)).toHaveLength(1)
  })

  test('keeps ten versions beside the current one', async () => {
    const { idp_id } = await given.connection()
    const metadata = idpMetadata()
    for (let count = 0; count < 3; count++) await client.ssoConnections.update({ idp_id, metadata })
    await client.ssoConnections.useMetadata({ idp_id, version: 1 })
    for (let count = 0; count < 10; count++) await client.ssoConnections.update({ idp_id, metadata })
    const { metadata: kept } = await client.ssoConnections.get({ idp_id })
    expect(kept.map(({ version }) => version)).toEqual([13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3])
  })

  test('404: a version that the connection does not have, and the current one stays', async () => {
    const theirs = await given.connection()
    await client.ssoConnections.update({ idp_id: theirs.idp_id, metadata: idpMetadata() })
    await client.ssoConnections.update({ idp_id: theirs.idp_id, metadata: idpMetadata() })
    const { idp_id } = await given.connection()
    await client.ssoConnections.update({ idp_id, metadata: idpMetadata() })

    for (const version of [2, 0, 99_999_999])
      await expect(client.ssoConnections.useMetadata({ idp_id, version })).rejects.toMatchObject({
        status: 404,
        code: 'sso_metadata_not_found',
      })
    expect(versionsOf(await client.ssoConnections.get({ idp_id }))).toEqual([[1, true]])
  })

  test.each([
    ['not_xml', 'this is no XML'],
    ['not_metadata', '<a/>'],
    ['unusual_xml', `<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]>${idpMetadata()}`],
    ['address_not_https', idpMetadata().replace('https://idp.example/sso', 'javascript:alert(1)')],
  ])('422: names the fault %s of the document, and nothing is stored', async (code, metadata) => {
    const { idp_id } = await given.connection()
    await expect(client.ssoConnections.update({ idp_id, metadata, seats_limit: 4 })).rejects.toMatchObject({
      status: 422,
      code: 'invalid_parameters',
      fields: [{ path: 'metadata', code, message: expect.stringMatching(/^[A-Z].+\.$/) }],
    })
    expect(await client.ssoConnections.get({ idp_id })).toMatchObject({ metadata: [], seats_limit: 0 })
  })

  test('takes a file of 400 kB, where any other body is refused above 100', async () => {
    const { idp_id } = await given.connection()
    const metadata = idpMetadata() + ' '.repeat(400_000)
    expect(await client.ssoConnections.update({ idp_id, metadata })).toMatchObject({ state: 'configured' })
    await expect(
      client.ssoConnections.setUserPolicy({ idp_id, user_security_type: metadata as 'none' }),
    ).rejects.toMatchObject({ status: 413, code: 'body_too_large' })
    await expect(
      client.ssoConnections.update({ idp_id, metadata: ' '.repeat(600_000) }),
    ).rejects.toMatchObject({ status: 413, code: 'body_too_large' })
  })
})

describe('the warnings of metadata', () => {
  test('tell of certificates and metadata that end soon or have ended, by the clock', async () => {
    const late = await startService()
    const as = await late.client()
    const { idp_id } = await ssoGivenOf(as).connection()
    const from = late.clock.now()
    const validUntil = new Date(from.getTime() + 90 * 86_400_000)
    const metadata = idpMetadata({ from, certificateDays: [60, 100], validUntil })
    expect(warningsOf(await as.ssoConnections.update({ idp_id, metadata }))).toEqual([])

    const expected = [
      [31, ['certificate_expires_soon']],
      [61, ['certificate_expired']],
      [71, ['certificate_expired', 'certificate_expires_soon']],
      [91, ['metadata_expired', 'certificate_expired', 'certificate_expires_soon']],
      [101, ['metadata_expired', 'certificate_expired']],
    ] as const
    let day = 0
    for (const [then, codes] of expected) {
      await late.clock.advance((then - day) * 86_400)
      day = then
      // The earlier token has expired.
      const later = await late.client()
      expect([then, warningsOf(await later.ssoConnections.get({ idp_id }))]).toEqual([then, codes])
    }
  })

  test('tell that another connection is with the same identity provider, unless the key may not know', async () => {
    const metadata = idpMetadata()
    const mine = await given.connection()
    const theirs = await given.connection()
    const changed = await client.ssoConnections.update({ idp_id: mine.idp_id, metadata })
    expect(warningsOf(changed)).toEqual([])
    await client.ssoConnections.update({ idp_id: theirs.idp_id, metadata })

    const { idp_id } = mine
    expect(warningsOf(await client.ssoConnections.get({ idp_id }))).toEqual(['entity_id_shared'])
    const limited = await service.client({ organizationIds: [mine.organization_id] })
    expect(warningsOf(await limited.ssoConnections.get({ idp_id }))).toEqual([])
    await client.organizations.delete({ org_domain: theirs.__domain__ })
    expect(warningsOf(await client.ssoConnections.get({ idp_id }))).toEqual([])
  })
})

longDescribe('the daily look at certificates', () => {
  const day = 86_400

  /** A service with one connection whose certificates have these validities, and a function that advances the clock by days. */
  async function watched(...certificateDays: number[]) {
    const own = await startService()
    const { idp_id, __domain__: org_domain } = await ssoGivenOf(await own.client()).connection()
    const upload = async (days: readonly number[]) => {
      const metadata = idpMetadata({ from: own.clock.now(), certificateDays: days })
      await (await own.client()).ssoConnections.update({ idp_id, metadata })
    }
    await upload(certificateDays)
    const codes = async () => {
      const { data } = await (await own.client()).events.list({ code: 'sso.certificate.expire.success' })
      return data
    }
    const after = async (days: number) => {
      for (let passed = 0; passed < days; passed++) {
        await own.clock.advance(day + 1)
        await own.runJobs()
      }
      return (await codes()).length
    }
    return { own, idp_id, org_domain, upload, codes, after }
  }

  test('tells of the newest certificate of a connection 30 days before its end, and then once a week', async () => {
    const { after, codes, idp_id, org_domain, own } = await watched(40, 10)
    expect(await after(9)).toBe(0)
    expect(await after(3)).toBe(1)
    expect(await after(4)).toBe(1)
    expect(await after(4)).toBe(2)
    // Events continue after the certificate has expired.
    expect(await after(28)).toBe(6)

    const [event] = await codes()
    expect(event).toMatchObject({
      actor: { type: 'system' },
      data: { __type__: 'SsoConnection', idp_id, metadata: [{ version: 1 }] },
    })
    const logged = await (await own.client()).logEvents.list({ org_domain })
    expect(logged.data.filter(({ event_code }) => event_code === 'SSO_CERTIFICATE_EXPIRES')).toMatchObject(
      Array.from({ length: 6 }, () => ({ saml_identity_provider_id: idp_id })),
    )
  })

  test('is quiet about a connection that is switched off, and about one that has a newer certificate', async () => {
    const { after, upload, idp_id, own } = await watched(10)
    await (await own.client()).ssoConnections.disable({ idp_id })
    expect(await after(2)).toBe(0)
    await (await own.client()).ssoConnections.activate({ idp_id })
    expect(await after(1)).toBe(1)
    await upload([8, 365])
    expect(await after(14)).toBe(1)
    // A new certificate has not been reported yet.
    await upload([3])
    expect(await after(1)).toBe(2)
  })
})

test('the keys of a connection are made with it, and sealed', async () => {
  const { idp_id } = await given.connection({ email_domains: [`${anything()}.example`] })
  const keys = await service.query<{ purpose: string; certificate: string; sealed: string }>(
    `select purpose, certificate, encode(private_key_sealed, 'escape') as sealed from sso_keys
     where connection_id = (select id from sso_connections where idp_id = $1)`,
    [idp_id],
  )
  expect(keys).toEqual([
    {
      purpose: 'service_provider',
      certificate: expect.stringContaining('BEGIN CERTIFICATE'),
      sealed: expect.not.stringContaining('PRIVATE KEY'),
    },
  ])
})
