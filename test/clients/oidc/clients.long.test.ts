import { test } from 'vitest'
import { hasPackage } from '../../debian-tools.js'
import { startService } from '../../given/harness.js'
import { debianClients, libraries } from './clients.js'
import { journeyOf } from './journey.js'

// Long, because an interpreter and an Apache start, and each of the other libraries signs in users of three organizations.
const service = await startService()
const client = await service.client()
const journey = journeyOf(service, client)

const { authlib, modAuthOpenidc } = debianClients
const hasAuthlib = ['python3-authlib', 'python3-flask', 'python3-requests'].every(hasPackage)

test.skipIf(!hasAuthlib)(
  'Authlib: login, userinfo, a rotation of keys, refresh, another login and logout',
  () => journey.run(authlib),
)

test.skipIf(!hasPackage('libapache2-mod-auth-openidc'))(
  'mod_auth_openidc: login, userinfo, a rotation of keys, refresh, another login and logout',
  () => journey.run(modAuthOpenidc),
)

const across = 'users of three organizations, with the one configuration of their account'

test.each(libraries.slice(3))(`$name: ${across}`, (of) => journey.runAcross(of))

test.skipIf(!hasAuthlib)(`Authlib: ${across}`, () => journey.runAcross(authlib))

test.skipIf(!hasPackage('libapache2-mod-auth-openidc'))(`mod_auth_openidc: ${across}`, () =>
  journey.runAcross(modAuthOpenidc),
)
