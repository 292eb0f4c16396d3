import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { exampleOf } from '@portico/contract/record'
import { User } from '@portico/contract/users'
import { createClient, openMagicLink } from '@portico/sdk'
import { signTestEvent } from '@portico/sdk/webhooks'
import { expect, test } from 'vitest'
import { hasPackage, hasTool } from '../debian-tools.js'
import { besideService } from './beside-start.js'

const docs = fileURLToPath(new URL('../../docs/', import.meta.url))
const hasPython = hasTool('python3')
const hasJwt = ['python3-jwt', 'python3-cryptography'].every(hasPackage)

interface Credentials {
  readonly base_url: string
  readonly domain: string
  readonly sandbox: { readonly client_id: string; readonly client_secret: string }
}

test.skipIf(!hasPython)(
  'docs/guides/curl.md: the program in Python, run beside npm start, prints the organizations of the key',
  async () => {
    await besideService(async (home) => {
      await clientOf(home).organizations.create({ name: 'Awesome company' })
      await writeFile(join(home, 'first.py'), programOf('curl'))

      expect(await python(['first.py'], { cwd: home })).toBe('awesome-company\n')
    })
  },
)

test.skipIf(!hasJwt)(
  'docs/guides/protect-a-route.md: the program in Python takes the token of a user, and no other',
  async () => {
    await besideService(async (home) => {
      const { organization, audience, token } = await signedIn(home)
      const program = programOf('protect-a-route')
        .replace('https://auth.example', credentialsIn(home).base_url)
        .replace('0190c8b0-3f4e-7d5c-b6a7-98f0e1d2c3b4', audience)
        .replace('production', 'sandbox')
      const [head = '', body = '', signature = ''] = token.split('.')
      const changed = `${head}.${body}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`
      const headers = [`Bearer ${token}`, `Bearer ${changed}`, 'Bearer', 'Bearer a.b.c', '', token]
      const end = 'import json, sys\nprint(json.dumps([answer(each) for each in json.load(sys.stdin)]))'
      const said = await python(['-c', `${program}\n${end}`], {
        // The packages of Debian belong to its own interpreter.
        command: '/usr/bin/python3',
        cwd: join(docs, 'examples/protected-route'),
        input: JSON.stringify(headers),
      })

      const [[status, claims], ...refused] = JSON.parse(said)
      expect([status, claims.org, claims.aud]).toEqual([200, organization, audience])
      expect(refused).toEqual(headers.slice(1).map(() => [401, {}]))
    })
  },
)

test.skipIf(!hasPython)(
  'docs/guides/webhooks.md: the function in Python takes what the service has signed, and nothing else',
  async () => {
    const [key, before] = ['whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=', 'whsec_before']
    const event = {
      code: 'user.user.create.success',
      data: { ...exampleOf(User), email: 'ä@people.example' },
    } as const
    const [good, old, early] = await Promise.all(
      [0, -310_000, 310_000].map((offsetMs) =>
        signTestEvent(event, key, { now: () => Date.now() + offsetMs }),
      ),
    ).then((all) => all.map(({ body, headers }) => [body, headers['service-signature'] ?? '', key] as const))
    if (!good || !old || !early) throw new Error('nothing was signed')
    const [body, header] = good
    const [, seconds = '', signature = ''] = /^t=(\d+),v1=(.+)$/.exec(header) ?? []
    const cases = [
      good,
      [body, `t=${seconds},v1=sha256.other,v0=${signature}`, key],
      old,
      early,
      [`${body} `, header, key],
      [body, header, before],
      [body, `t=${Number(seconds) - 1},v1=${signature}`, key],
      [body, `v1=${signature}`, key],
      [body, 'nonsense', key],
      [body, `t=${seconds}`, key],
    ]
    const end = `
import sys
def outcome(body, header, key):
    try:
        return verify_webhook(body.encode(), header, key)["code"]
    except ValueError:
        return "refused"
print(json.dumps([outcome(*case) for case in json.load(sys.stdin)]))`

    const said = await python(['-c', programOf('webhooks') + end], { input: JSON.stringify(cases) })

    const code = 'user.user.create.success'
    expect(JSON.parse(said)).toEqual([code, code, ...cases.slice(2).map(() => 'refused')])
  },
)

/** The program in Python that a guide has. */
function programOf(guide: string): string {
  const text = readFileSync(join(docs, `guides/${guide}.md`), 'utf8')
  const [program, ...others] = [...text.matchAll(/^```python\n([^]*?)^```$/gm)].map(([, block]) => block)
  if (program === undefined || others.length > 0) throw new Error(`${guide} has not one program in Python`)
  return program
}

function python(
  args: readonly string[],
  { command = 'python3', cwd, input = '' }: { command?: string; cwd?: string; input?: string },
): Promise<string> {
  const env = { PATH: process.env.PATH, PYTHONDONTWRITEBYTECODE: '1' }
  return new Promise((resolve, reject) => {
    const child = execFile(command, [...args], { env, cwd }, (error, stdout) =>
      error === null ? resolve(stdout) : reject(error),
    )
    child.stdin?.end(input)
  })
}

function credentialsIn(home: string): Credentials {
  // Written by the service, in this form.
  return JSON.parse(readFileSync(join(home, '.data/credentials.json'), 'utf8')) as Credentials
}

function clientOf(home: string) {
  const { base_url: baseUrl, domain, sandbox } = credentialsIn(home)
  return createClient({ baseUrl, domain, clientId: sandbox.client_id, clientSecret: sandbox.client_secret })
}

/** A user who has signed in to an application of the whole account. */
async function signedIn(home: string): Promise<{ organization: string; audience: string; token: string }> {
  const client = clientOf(home)
  const { domain: org_domain } = await client.organizations.create({ name: 'Awesome company' })
  const { client_id: application_id } = await client.applications.create({
    org_domain,
    name: 'Storefront',
    application_type: 'react',
    allowed_redirect_urls: ['https://store.example/callback'],
    allowed_origins_cors: [],
    allowed_logout_urls: [],
  })
  const user_email = 'ada@people.example'
  await client.users.create({ org_domain, email: user_email })
  const { magic_link } = await client.magicLink.createChallenge({
    org_domain,
    user_email,
    application_id,
    redirect_uri: 'https://store.example/callback',
    send_email: false,
  })
  const { code } = await openMagicLink(magic_link ?? '')
  const { access_token } = await client.oauth.token({ grant_type: 'authorization_code', code })
  return { organization: org_domain, audience: application_id, token: access_token }
}
