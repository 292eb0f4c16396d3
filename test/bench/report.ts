import { readFile, writeFile } from 'node:fs/promises'
import { cellsOf, headings, judged, missedMark, toTable, type Figure } from './figures.js'
import { isPeerRow, isRowName, rowNames } from './goals.js'
import { describeMachine } from './machine.js'
import { webhookCount } from './delivery-stage.js'
import { peers } from './peers.js'
import { raisedLimit } from './stage.js'

const unwritten = 'Not explained yet.'

interface Report {
  /** The lines of the tables by the row they belong to, as cells. */
  readonly lines: ReadonlyMap<string, readonly string[][]>
  /** Why a goal is missed, by row and measure. */
  readonly reasons: ReadonlyMap<string, string>
}

interface About {
  readonly date: string
  readonly users: number
  readonly rounds: number
  readonly versions: readonly string[]
}

/** Writes figures into the report; the other rows and all reasons that are in it stay, beside the goals of today. */
export async function writeReport(path: string, figures: readonly Figure[], about: About): Promise<void> {
  const known = await readReport(path)
  const measured = new Set<string>(figures.map(({ row }) => row))
  const lines = rowNames.flatMap((row) =>
    measured.has(row)
      ? figures.filter((figure) => figure.row === row).map((figure) => cellsOf(figure, about))
      : (known.lines.get(row) ?? []),
  )
  await writeFile(path, render(lines, known.reasons, about))
}

export async function readReport(path: string): Promise<Report> {
  return parseReport(await readFile(path, 'utf8').catch(() => ''))
}

function render(lines: readonly (readonly string[])[], reasons: Report['reasons'], about: About): string {
  const missed = lines.filter((cells) => cells.includes(missedMark))
  const sections = missed.map((cells) => {
    const title = titleOf(cells)
    return `### ${title}\n\n${reasons.get(title) ?? unwritten}\n`
  })
  const isPeers = ([row = '']: readonly string[]) => isPeerRow(row)
  return `${introduction(about)}
${toTable(
  headings,
  lines.filter((cells) => !isPeers(cells)),
)}

${besidePeers(lines.filter(isPeers))}
## Missed goals

${sections.length === 0 ? 'None.\n' : sections.join('\n')}`
}

function besidePeers(lines: readonly (readonly string[])[]): string {
  const notes = peers.map(({ row, name, version, without }) => `- ${row}, ${name} ${version}: ${without}`)
  return `## Beside peers

\`npm run bench -- peers\` runs other services beside ours (\`test/bench/peers\`), in turn, on the same Postgres, and prints what
both cost. It installs them, from a lock file, when they are not there. The ratio is ours by theirs, of the CPU of server and Postgres.

${lines.length === 0 ? 'Not measured yet.' : toTable(headings, lines)}

What each does not do, by its source:

${notes.join('\n')}
`
}

function titleOf([row, what]: readonly string[]): string {
  return `${row}: ${what}`
}

function introduction(about: About): string {
  const setting = Object.entries(raisedLimit).map(([name, value]) => `\`${name}=${value}\``)
  return `# Benchmarks

\`npm run bench -- <row> [--write]\` measures these figures on any machine and writes this page; rows that were not run
keep their figures, beside the goals of today. \`npm run bench -- --quick\` measures all rows but F1, F2 and P1 to P3, and S2 where Citus is,
in five minutes, the first run a little longer because it makes the samples, and prints each figure beside this page's. It is rough, with small samples and one short round: a figure
of half or twice the page's may be noise; run that row again without \`--quick\`. The machine of ${about.date}:

${[...describeMachine(), ...about.versions].map((line) => `- ${line}`).join('\n')}

Machines are shared and noisy, so a figure is a ratio measured in one run, or the CPU time per request of the server and
Postgres together. Each is the median of its rounds, which alternate between what is compared, after a warm-up; a ratio is
the median of the rounds' ratios, which is not the quotient of the medians that are printed. 25 connections are kept alive. The service runs as it ships, but for
${setting.join(', ')}, for C1, whose sign-ins begin at one address, \`SIGN_INS_BEGUN_PER_IP\`, and for C2 and C3
\`SCIM_RATE_PER_SECOND\`.

The sample has ${about.users.toLocaleString('en')} users in 1,000 organizations: one with 3 users of 10, one with 1 of 10, 998 that share
the rest. Requests go to random organizations, environments and users. A7 has samples of its own, with as many users. B6 has 1,000,000 users. E2 has one
with the users that it names in one organization, a tenth as many organizations with a user each, and ten times as many events,
beside one with a thousandth of each. The rows D1 to D5 have one of 1,000 accounts with 300 events each. Deliveries go to ${webhookCount} webhooks, each of another account, whose
receivers are ports of one process on the core of the load, over https.

**Bare** (\`test/bench/bare.ts\`) is the honest limit in the same process model: node:http, the same pool and named
statements, one statement a request, the token verified through the same kind of cache, JSON.stringify; no framework, no
validation, no contract. For A5, B3, B4, B7 and B8 it sends a statement for each thing that is read or written, one by one in
transactions. Codes, refresh tokens and sessions of these two are inserted before their rounds; a code is bound by PKCE and has no
refresh token, and refreshes go round among 2,000 chains. For B1 it is
Argon2id itself (\`test/bench/raw-argon2.ts\`): the library verifies one hash with the same parameters, as many at once, in a
process that does nothing else. For C1 it is node-saml itself (\`test/bench/raw-node-saml.ts\`): it validates the responses
that the service has had in the same round, one after the other and each several times. Ours are two requests for each response, the
post without cookies and the browser's next one; the flows and requests that they answer are made before the rounds, by way
of the pages, and their users have signed in so before. For D1 it is a loop
(\`test/bench/bare-deliveries.ts\`) that posts events which are in memory, as many at once, over https connections that are
kept as the service keeps them, with the service's check of the target: nothing is claimed, signed or stored.

E1 counts each answer but a success as a failure, and looks at the memory after a collection. E3 deals the same 25
connections over the processes, all on the core of the server. B6 is the work of B4 where the request names no organization:
the last used session of the browser does, of one or of ten; its list is that of 500 addresses in turn. B7 is a sign-in by passkey on a page of an application: a challenge and the assertion that
answers it, for a code; bare verifies with the same library. B8 is a mailed invitation with two roles, of
a new address each time, inserted before its round, which is five times as long as others: a browser that can make passkeys opens its URL, sends
the form of its page and follows the redirect that leads to the application with a code. Bare has the same page, user, roles, flow, session and code, with
their four events and three log lines; it counts no limit and does not note the time of the sign-in. The service believes \`TRUSTED_PROXIES=127.0.0.1\`, so that each
browser has an address of its own. R1 and R2 are of users with five roles, from the API, a group, a
value of a directory and a sign-in, beside reading one user, and beside the work of B3 in organizations without mappings. R3 is the work of A5 by one caller, while a change of ten mappings is
applied to the users of a directory. K1 and K2 are pages of the console, which 200 owners of the account ask for, since each may ask for 600 a
minute and look 60 people up. S1 is one process with 25 callers and one Postgres, beside one with 50 callers, who deal their requests over the accounts
of two databases of 50,000 users at most, each on a Postgres of its own. CPU and shares are those of servers without a limit. For the requests a second each Postgres
has a tenth of a core, by a control group, so that it is full before the process is; where none can be written, as without root, they are not measured. With 25 callers
in place of 50, two servers took 1.16 to 1.24 of the CPU of one for a read (2026-11-30, three runs), as one did for half the callers. S2 is the work of A1, A2 and A4 in a schema of a Citus cluster, a coordinator and
two workers with that much, whose CPU is the sum of all three. The rows F1 and F2
are those of somebody who has cloned the repository, on all cores of an idle machine.
`
}

/** Reads back what render() has written. */
function parseReport(text: string): Report {
  const lines = new Map<string, string[][]>()
  for (const [, row = '', rest = ''] of text.matchAll(/^\| ([A-Z]\d+) +\|(.*)\|$/gm)) {
    if (!isRowName(row)) continue
    const cells = judged(
      row,
      rest.split('|').map((cell) => cell.trim()),
    )
    lines.set(row, [...(lines.get(row) ?? []), cells])
  }
  const reasons = new Map<string, string>()
  for (const [, title = '', reason = ''] of text.matchAll(
    /^### ([A-Z]\d+: .*)\n([^]*?)(?=\n### |$(?![^]))/gm,
  )) {
    if (reason.trim() !== unwritten) reasons.set(title, reason.trim())
  }
  return { lines, reasons }
}
