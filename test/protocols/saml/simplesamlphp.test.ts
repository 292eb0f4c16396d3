import { newRequestId, signAuthnRequest } from '@portico/server/saml/authn-request'
import { readIdpMetadata, type IdpMetadata } from '@portico/server/saml/metadata'
import { makeServiceProviderKey, type ServiceProviderKey } from '@portico/server/saml/service-provider-key'
import { toServiceProviderMetadata } from '@portico/server/saml/service-provider-metadata'
import { openResponse, validateResponse } from '@portico/server/saml/validate-response'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  hasSimpleSaml,
  simpleSamlUser,
  startSimpleSaml,
  type KnownServiceProvider,
  type SimpleSaml,
} from '../../given/simplesamlphp.js'

const sp = {
  entityId: 'https://auth.example/saml/awesome/metadata',
  acsUrl: 'https://auth.example/saml/awesome/acs',
}

describe.skipIf(!hasSimpleSaml)('SimpleSAMLphp, which knows nothing of us', () => {
  let idp: SimpleSaml
  let metadata: IdpMetadata
  let key: ServiceProviderKey
  beforeAll(async () => {
    idp = await startSimpleSaml()
    metadata = readIdpMetadata(await idp.metadata())
    key = await makeServiceProviderKey('auth.example', new Date('2026-01-01T00:00:00Z'))
  })
  afterAll(() => idp.stop())

  const known = (changes: Partial<KnownServiceProvider>): KnownServiceProvider => ({
    metadata: toServiceProviderMetadata({ ...sp, certificates: [key.certificate] }),
    ...changes,
  })
  const validate = async (samlResponse: string) => {
    const { entityId, certificates } = metadata
    return validateResponse(await openResponse(samlResponse), {
      identityProvider: { entityId, certificates: certificates.map(({ pem }) => pem) },
      serviceProvider: { ...sp, privateKeys: [key.privateKey] },
      rules: { allowSha1: false, allowCbcUnsignedResponse: false },
      // SimpleSAMLphp uses the clock of the machine.
      at: new Date(performance.timeOrigin + performance.now()),
    })
  }
  const validated = async (samlResponse: string) => {
    const { checks, assertion } = await validate(samlResponse)
    expect(checks.filter(({ passed }) => !passed)).toEqual([])
    return assertion
  }
  const request = (privateKey = key.privateKey) => {
    const id = newRequestId()
    const at = new Date(performance.timeOrigin + performance.now())
    const { redirectUrl, postUrl } = metadata
    const sent = signAuthnRequest({ id, at, ...sp, privateKey, redirectUrl, postUrl, forceAuthn: false })
    if (sent.binding !== 'redirect') throw new Error('it has the redirect binding')
    return { id, url: sent.url }
  }

  test('gives metadata that we read', () => {
    expect(metadata).toMatchObject({
      entityId: idp.entityId,
      redirectUrl: `${idp.baseUrl}/saml2/idp/SSOService.php`,
      certificates: [{ subject: 'CN=idp.example' }],
    })
  })

  const ways: readonly [string, Partial<KnownServiceProvider>][] = [
    ['signs the response and the assertion', {}],
    ['signs the response alone', { signsAssertion: false }],
    ['signs the assertion alone', { signsResponse: false }],
    ['encrypts the assertion in a signed response', { encrypts: true }],
  ]
  for (const [title, how] of ways)
    test(`answers our signed request and ${title}, which we take`, async () => {
      await idp.trust([known(how)])
      const { id, url } = request()
      const { action, samlResponse } = await idp.signIn(url)
      expect(action).toBe(sp.acsUrl)
      const proved = await validated(samlResponse)
      expect(proved).toMatchObject({ nameId: simpleSamlUser.email, inResponseTo: id })
      expect({ ...proved?.attributes }).toEqual({ email: [simpleSamlUser.email], first_name: ['Ada'] })
    })

  test('encrypts by AES-CBC in a response that is not signed, which we refuse', async () => {
    await idp.trust([known({ encrypts: true, signsResponse: false })])
    const { checks } = await validate((await idp.signIn(request().url)).samlResponse)
    expect(checks.at(-1)).toMatchObject({ name: 'encryption_form', passed: false })
  })

  test('refuses a request that another key has signed', async () => {
    await idp.trust([known({})])
    const other = await makeServiceProviderKey('auth.example', new Date('2026-01-01T00:00:00Z'))
    await expect(idp.signIn(request(other.privateKey).url)).rejects.toThrow(/signature|Unable to validate/i)
  })

  test('sends what nobody has asked for, and says so', async () => {
    await idp.trust([known({})])
    const { samlResponse } = await idp.signIn(idp.unsolicitedUrl(sp.entityId))
    expect(await validated(samlResponse)).toMatchObject({ nameId: simpleSamlUser.email, inResponseTo: null })
  })
})
