import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { freePort } from '../given/free-port.js'
import { requestIdIn } from '../given/saml-identity-provider.js'
import { besideOthers, type Figure } from './figures.js'
import { interleaved, measure, type Case, type Measured, type Settings } from './measure.js'
import { writeRequests, type LoadRequest } from './requests.js'
import { createIn, makeDirectory } from './row-scim.js'
import { onSamlStage, warmUpSaml, type SamlStage } from './row-saml.js'
import { grantRequests } from './row-tokens.js'
import { skewedData } from './data.js'
import { createUserRequests, getUserRequests } from './row-users.js'
import {
  getTokens,
  onPostgres,
  root,
  rowVariables,
  startServer,
  startService,
  stopContender,
  systemVariables,
  type Contender,
} from './stage.js'

const folder = join(root, 'test/bench/peers')

type Works = Readonly<Record<string, readonly LoadRequest[]>>

/** P1: better-auth, whose administrator does by a session what ours does by the token of an API key. */
export async function besideBetterAuth(settings: Settings): Promise<Figure[]> {
  installPeers()
  const data = await skewedData(settings)
  return onPostgres(data, async (url, postgresPid) => {
    const ours = await startService(data.dataDir)
    try {
      const tokens = await getTokens(ours, data)
      const list = {
        method: 'GET',
        path: '/api/v2/org/org-1/users?per_page=25',
        token: tokens.production,
      } as const
      const works: Works = {
        'POST one user': createUserRequests({ data, tokens }),
        'list 25': [list],
        'GET one user': getUserRequests({ data, tokens }),
      }
      const start = startOnDatabase('better-auth', [String(Math.floor(settings.users * 0.3))])
      return await onPeer(url, start, async (theirs, said) => {
        const figures: Figure[] = []
        for (const [work, requests] of Object.entries(betterAuthWorks(said))) {
          const cases = {
            ours: { contender: ours, requestsFile: writeRequests(works[work] ?? []) },
            others: { contender: theirs, requestsFile: writeRequests(requests) },
          }
          const measured = await interleaved({ postgresPid }, cases, settings)
          figures.push(besideOthers('P1', work, measured, 'better-auth'))
        }
        return figures
      })
    } finally {
      await stopContender(ours)
    }
  })
}

function betterAuthWorks({ cookie, ids }: Said): Works {
  const at = '/api/auth/admin'
  const body = { email: '{unique}@people.example', name: 'Grace Hopper' }
  return {
    'POST one user': [{ method: 'POST', path: `${at}/create-user`, body, cookie }],
    'list 25': [{ method: 'GET', path: `${at}/list-users?limit=25`, cookie }],
    'GET one user': ids.map((id) => ({ method: 'GET', path: `${at}/get-user?id=${id}`, cookie })),
  }
}

/** P2: oidc-provider in memory. */
export async function besideOidcProvider(settings: Settings): Promise<Figure[]> {
  const data = await skewedData(settings)
  return onPostgres(data, async (_url, postgresPid) => {
    const ours = await startService(data.dataDir)
    const client = data.credentials.sandbox
    const theirs = await startPeer('oidc-provider', [JSON.stringify(client)])
    try {
      const form = new URLSearchParams({ grant_type: 'client_credentials', ...client }).toString()
      const request = { method: 'POST', path: '/token', body: form } as const
      const cases = {
        ours: { contender: ours, requestsFile: writeRequests(grantRequests(data)) },
        others: { contender: theirs, requestsFile: writeRequests([request]) },
      }
      const measured = await interleaved({ postgresPid }, cases, settings)
      return [besideOthers('P2', 'client-credentials grant', measured, 'oidc-provider')]
    } finally {
      await Promise.all([ours, theirs].map(stopContender))
    }
  })
}

/** P3: saml-jackson: a response until the code, where ours goes on until the flow; and a user of a directory. */
export async function besideSamlJackson(settings: Settings): Promise<Figure[]> {
  installPeers()
  return onSamlStage(settings, { ...rowVariables.signIns, ...rowVariables.scim }, async (stage) => {
    const { databaseUrl, idp, ours } = stage
    return onPeer(databaseUrl, startOnDatabase('saml-jackson', [idp.metadata()]), async (theirs, said) => {
      const others: Case = {
        kind: 'once',
        contender: theirs,
        requestsFile: async () =>
          writeRequests(await respondTo(theirs, idp, jacksonsPerSecond * settings.seconds)),
      }
      await warmUpSaml(stage, stage.responses, settings)
      await warmUpSaml(stage, others, settings)
      const saml: { ours: Measured[]; others: Measured[] } = { ours: [], others: [] }
      for (let round = 0; round < settings.rounds; round += 1) {
        saml.ours.push(await measure(stage, stage.responses, settings.seconds))
        saml.others.push(await measure(stage, others, settings.seconds))
      }
      const [domain = ''] = stage.data.targets.map((target) => target.domain)
      const directory = await makeDirectory(ours, stage.tokens.sandbox, domain)
      const scim = await interleaved(
        stage,
        {
          ours: { contender: ours, requestsFile: writeRequests([createIn(directory)]) },
          others: { contender: theirs, requestsFile: writeRequests([createIn({ ...said, path: '/scim' })]) },
        },
        settings,
      )
      return [
        besideOthers('P3', 'SAML response', saml, 'saml-jackson'),
        besideOthers('P3', 'SCIM, POST one user', scim, 'saml-jackson'),
      ]
    })
  })
}

/** More than it takes in a second. */
const jacksonsPerSecond = 400
/** Of those whose requests are made at the same time. */
const atOnce = 8

/** Has so many users begin a sign-in, and signs the responses that answer. */
async function respondTo({ port }: Contender, idp: SamlStage['idp'], count: number): Promise<LoadRequest[]> {
  const baseUrl = `http://127.0.0.1:${port}`
  const requests: LoadRequest[] = []
  async function oneByOne(): Promise<void> {
    while (requests.length < count) {
      const answer = await fetch(`${baseUrl}/authorize`, { method: 'POST' })
      // What saml-jackson.mjs answers.
      const { redirect_url: sent } = (await answer.json()) as { readonly redirect_url: string }
      const email = `user${requests.length}@people.example`
      const SAMLResponse = idp.respond(
        {
          ...{ idp_id: 'bench', sp_id: 'https://saml.bench.example', acs_url: `${baseUrl}/acs` },
          requestId: requestIdIn(sent),
        },
        { nameId: email, attributes: { email, firstName: 'Ada', lastName: 'Lovelace' } },
      )
      const RelayState = new URL(sent).searchParams.get('RelayState')
      requests.push({ method: 'POST', path: '/acs', body: { SAMLResponse, RelayState } })
    }
  }
  await Promise.all(Array.from({ length: atOnce }, oneByOne))
  return requests
}

/** What a peer says at /readyz of how to use it, as the programs of that folder have it. */
interface Said {
  readonly cookie: string
  readonly ids: readonly string[]
  readonly secret: string
}

type StartOnDatabase = (databaseUrl: string) => Promise<Contender>

function startOnDatabase(name: string, args: readonly string[]): StartOnDatabase {
  return (databaseUrl) => startPeer(name, args, databaseUrl)
}

/** Runs work beside a peer that has a database of its own on the same Postgres. */
async function onPeer<Result>(
  url: string,
  start: StartOnDatabase,
  work: (theirs: Contender, said: Said) => Promise<Result>,
): Promise<Result> {
  const admin = new pg.Client({ connectionString: url })
  await admin.connect()
  const database = new URL(url)
  database.pathname = '/peer'
  try {
    await admin.query('drop database if exists peer with (force)')
    await admin.query('create database peer')
    const theirs = await start(database.href)
    try {
      const answer = await fetch(`http://127.0.0.1:${theirs.port}/readyz`)
      return await work(theirs, (await answer.json()) as Said)
    } finally {
      await stopContender(theirs)
    }
  } finally {
    await admin.query('drop database if exists peer with (force)')
    await admin.end()
  }
}

/** @param databaseUrl Undefined for one that has no database. */
async function startPeer(name: string, args: readonly string[], databaseUrl?: string): Promise<Contender> {
  const port = await freePort()
  const all = [...(databaseUrl === undefined ? [] : [databaseUrl]), String(port), ...args]
  const command = [process.execPath, join(folder, `${name}.mjs`), ...all]
  return startServer(command, port, { cwd: folder, env: { ...systemVariables(), NODE_ENV: 'production' } })
}

/** Takes minutes, and is done once. */
function installPeers(): void {
  if (existsSync(join(folder, 'node_modules'))) return
  process.stderr.write(`installing ${folder} …\n`)
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund']
  execFileSync('npm', args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] })
}
