import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expectUnseen, prepare, signIn, type Connection } from './journey.js'
import { signInBySso } from './sso.js'
import { freePort, readCredentials, runCommand, startService, type Credentials } from './service.js'

/** The whole journey, in both environments, then a backup, a restore elsewhere and another sign-in. */
async function main(): Promise<void> {
  const home = await mkdtemp(join(tmpdir(), 'portico-demo-'))
  const [first, second] = [join(home, 'first'), join(home, 'second')]
  const backup = join(home, 'portico.backup')
  const port = await freePort()

  try {
    let service = await startService(first, port)
    const credentials = await readCredentials(first)
    tell('service', `started with a new database at ${service.baseUrl}`)
    const sandbox = connectionOf(credentials, 'sandbox')
    const production = connectionOf(credentials, 'production')

    const trial = await prepare(sandbox, 'sandbox', tell)
    await signIn(sandbox, trial, tell)
    await signInBySso(sandbox, trial, tell)
    await expectUnseen(production, trial, tell)
    const live = await prepare(production, 'production', tell, trial.organization)
    await signIn(production, live, tell)
    await expectUnseen(sandbox, live, tell)

    await runCommand(first, port, 'backup', backup)
    await service.stop()
    tell('backup', 'written while the service ran; the service is stopped')
    await mkdir(second, { mode: 0o700 })
    // A backup holds sealed values, and opens only with the master keys they were sealed with.
    await copyFile(join(first, 'master-keys'), join(second, 'master-keys'))
    await runCommand(second, port, 'restore', backup)
    service = await startService(second, port)
    tell('restore', 'the service runs on the restored data')
    const claims = await signIn(production, live, tell)
    await service.stop()

    process.stdout.write(
      `\nThe verified claims of the last access token:\n${JSON.stringify(claims, null, 2)}\n`,
    )
  } finally {
    await rm(home, { recursive: true, force: true })
  }
}

function connectionOf(credentials: Credentials, environment: 'sandbox' | 'production'): Connection {
  const { client_id, client_secret } = credentials[environment]
  return {
    baseUrl: credentials.base_url,
    domain: credentials.domain,
    clientId: client_id,
    clientSecret: client_secret,
  }
}

function tell(step: string, proof: string): void {
  process.stdout.write(`  ✓ ${step.padEnd(14)} ${proof}\n`)
}

await main()
