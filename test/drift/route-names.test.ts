import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../clients/sdk/packed.js'
import { findRouteNames } from './route-names.js'

const written = [...sourcesIn('sdk/src'), ...sourcesIn('server/src/cli/emulator'), 'server/src/cli/mock.ts']

test('SDK, mock and emulator name no route: what they know of routes, the contract says', () => {
  const found = written.flatMap((file) =>
    findRouteNames(file, readFileSync(join(root, file), 'utf8')).map((place) => `${file}:${place}`),
  )

  expect(written.length).toBeGreaterThan(40)
  expect(found).toEqual([])
})

test.each([
  [`const tokenOperation = 'oauth.apiToken'`],
  ['type Refusal<Name> = Name extends `oauth.${string}` ? 1 : 2'],
  [`if (route.resource === 'oauth') return 1`],
  ['const url = `${issuer}/.well-known/jwks.json`'],
  ['const issuer = `${base}/t/${domain}`'],
  [`router.use('/_emulator')`],
  [`const path = '/api/v2/users'`],
  ['void resources.events.list({})'],
  ['const { list } = resources.events'],
  ['const { list: read } = client.events'],
])('%s would be found', (line) => {
  expect(findRouteNames('source.ts', `${imported}\n${line}`)).toHaveLength(1)
})

test.each([
  [`// oauth.apiToken is at /oauth/token`],
  [`/** client.users.create({}) */`],
  [`import { users } from '../users/users.js'`],
  [`const type = 'application/json'`],
  ['void control.outbox.list({})'],
  [`const place = ['organizations', 0]`],
])('%s would not', (line) => {
  expect(findRouteNames('source.ts', `${imported}\n${line}`)).toEqual([])
})

const imported = `import { client } from './client.js'`

/** Every hand-written source of a folder, without tests and fixtures. */
function sourcesIn(folder: string): string[] {
  return readdirSync(join(root, folder))
    .filter((name) => /\.ts$/.test(name) && !/^generated|\.(test|given)\.ts$/.test(name))
    .map((name) => `${folder}/${name}`)
}
