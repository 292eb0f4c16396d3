import { createVerifier, type Application, type Client } from '@portico/sdk'
import { expect, test } from 'vitest'
import { longTest } from '../sampled.js'
import { startService } from '../given/harness.js'
import { codeGivenOf, exchange } from './code-given.js'

const service = await startService()
const client = await service.client()

/** An application that every organization of the account can use. */
async function application(as: Client): Promise<Application> {
  const { domain: org_domain } = await as.organizations.create({ name: `Home ${Math.random()}` })
  return service.given.application({ org_domain }, as)
}

/** The tokens of a user of a new organization, who has signed in at the application. */
async function signedIn(as: Client, at: Application) {
  const { domain: org_domain } = await as.organizations.create({ name: `Customer ${Math.random()}` })
  const user = await service.given.user({ org_domain }, as)
  const codes = codeGivenOf(service, as)
  const code = await codes.code(
    { org_domain, application: at, user },
    { application_id: at.client_id, nonce: 'n1' },
  )
  const { body } = await exchange(service, { code })
  return { org_domain, user, accessToken: body.access_token ?? '', idToken: body.id_token ?? '' }
}

const ours = await application(client)

function verifierFor(...audience: string[]) {
  return createVerifier({
    baseUrl: service.baseUrl,
    account: service.account.domain,
    audience,
    environment: 'sandbox',
    now: () => service.clock.now().getTime(),
  })
}

longTest(
  'one verifier takes the tokens of every organization of the account, and says whose user it is',
  async () => {
    const verifier = verifierFor(ours.client_id)
    const all = await Promise.all([1, 2, 3].map(() => signedIn(client, ours)))

    expect(await verifier.preload(all.map(({ org_domain }) => org_domain))).toEqual([])
    for (const { org_domain, user, accessToken, idToken } of all) {
      const issuer = `${service.baseUrl}/t/${org_domain}`
      expect(await verifier.verifyAccessToken(accessToken)).toMatchObject({ org: org_domain, sub: user.id })
      expect(await verifier.verifyIdToken(idToken, { issuer, nonce: 'n1', accessToken })).toMatchObject({
        iss: issuer,
        org: org_domain,
      })
    }
  },
)

test('it refuses those of another account, and of the other environment', async () => {
  const foreign = await service.client({ account: await service.createAccount() })
  const production = await service.client({ environment: 'production' })
  const theirs = await signedIn(foreign, await application(foreign))
  const live = await application(production)
  const lives = await signedIn(production, live)

  await expect(verifierFor(ours.client_id).verifyAccessToken(theirs.accessToken)).rejects.toMatchObject({
    code: 'audience_mismatch',
  })
  await expect(
    verifierFor(ours.client_id, live.client_id).verifyAccessToken(lives.accessToken),
  ).rejects.toMatchObject({ code: 'environment_mismatch' })
})

test('it refuses those of an organization that was deleted before its keys were read', async () => {
  const { org_domain, accessToken } = await signedIn(client, ours)
  const production = await service.client({ environment: 'production' })
  await production.organizations.delete({ org_domain })

  await expect(verifierFor(ours.client_id).verifyAccessToken(accessToken)).rejects.toMatchObject({
    name: 'TokenError',
    code: 'issuer_unknown',
  })
})
