import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { tablesWith, textOfBackup } from '../api/stored-text.js'
import { anyEmail, anything } from '../given/given.js'
import { startService } from '../given/harness.js'
import { givenFolder, portico, porticoJson, type Outcome } from './portico.js'

const service = await startService()

function variables(): Record<string, string> {
  return { DATABASE_URL: service.databaseUrl, MASTER_KEYS: service.masterKeys }
}

/** A user, and the command options for its organization. */
async function givenPerson() {
  const { domain: org_domain } = await service.given.organization()
  const { id, email } = await service.given.user({ org_domain, email: `canary-${anyEmail()}` })
  const scope = ['--environment', 'sandbox', '--organization', org_domain]
  return { org_domain, id, email, scope: ['--account', service.account.domain, ...scope] }
}

function run(...args: string[]): Promise<Outcome> {
  return portico(args, variables())
}

describe('portico export-user', () => {
  test('writes a file for its owner alone, over none that is there, or to stdout', async () => {
    const { id, email, scope } = await givenPerson()
    const out = join(givenFolder(), 'person.json')

    const { code, stdout } = await run('export-user', ...scope, '--email', email.toUpperCase(), '--out', out)

    expect([code, stdout]).toEqual([0, expect.stringContaining(out)])
    expect(statSync(out).mode & 0o777).toBe(0o600)
    const user = expect.objectContaining({ id, email, deleted_at: null }) as unknown
    expect(JSON.parse(readFileSync(out, 'utf8'))).toMatchObject({ __type__: 'UserExport', user })
    const again = await run('export-user', ...scope, '--id', id, '--out', out)
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('exists already')])
    expect(await porticoJson(['export-user', ...scope, '--id', id], variables())).toMatchObject({ user })
  })

  test('says in a sentence whom it cannot find, and wants one way to name them', async () => {
    const { org_domain, id, email, scope } = await givenPerson()
    const fault = async (...args: string[]) => {
      const { code, stderr } = await run('export-user', ...scope, ...args)
      return [code, stderr]
    }

    expect(await fault('--email', anyEmail())).toEqual([1, expect.stringContaining('has no such user')])
    expect(await fault()).toEqual([1, expect.stringContaining('either --id')])
    expect(await fault('--id', id, '--email', email)).toEqual([1, expect.stringContaining('either --id')])
    expect(await fault('--id', anything())).toEqual([1, expect.stringContaining('It is a UUID.')])
    await (await service.client()).users.delete({ org_domain, user_id: id })
    await service.given.user({ org_domain, email })
    expect(await fault('--email', email)).toEqual([1, expect.stringContaining(`${id} (deleted `)])
  })
})

describe('portico erase-user', () => {
  test('leaves nothing of the person in the database and in a backup made afterwards', async () => {
    const { id, email, scope } = await givenPerson()

    const asked = await run('erase-user', ...scope, '--email', email)
    expect([asked.code, asked.stderr]).toEqual([1, expect.stringContaining('add --yes')])
    expect(await tablesWith(service, email)).toEqual(['events', 'users'])

    const { code, stdout } = await run('erase-user', ...scope, '--email', email, '--yes')
    expect([code, stdout]).toEqual([0, expect.stringContaining(`Erased the user ${id}`)])
    expect(await tablesWith(service, email)).toEqual([])
    const file = join(givenFolder(), 'backup')
    await porticoJson(['backup', file], variables())
    expect(textOfBackup(file)).toContain(id)
    expect(textOfBackup(file)).not.toContain(email)
    const again = await run('erase-user', ...scope, '--id', id, '--yes')
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('has erased them')])
  })
})
