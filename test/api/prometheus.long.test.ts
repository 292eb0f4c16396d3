import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { beforeAll, describe, expect, test } from 'vitest'
import { hasTool } from '../debian-tools.js'
import { deployFiles, expressionsOfDeployFiles, metricsIn } from '../given/deploy-files.js'
import { atFileEnd } from '../file-end.js'
import { freePort } from '../given/free-port.js'
import { startService } from '../given/harness.js'
import { startReceiver } from '../given/receiver.js'
import { startMetrics } from '../given/scrape.js'
import { webhooksOf } from './webhook-given.js'

/** The members of a Prometheus API answer that the tests read. */
interface Answer<Data> {
  readonly status: 'success' | 'error'
  readonly error?: string
  readonly data: Data
}

interface Series {
  readonly result: readonly { readonly value: readonly [number, string] }[]
}

// Prometheus itself decides whether an expression is valid.
describe.skipIf(!hasTool('prometheus'))('a Prometheus that reads the service', () => {
  let address: string

  async function ask<Data>(path: string): Promise<Answer<Data>> {
    // The form is that of Prometheus' documentation.
    return (await (await fetch(`${address}/api/v1/${path}`)).json()) as Answer<Data>
  }
  async function seriesOf(expr: string): Promise<Series['result']> {
    const { status, error, data } = await ask<Series>(`query?query=${encodeURIComponent(expr)}`)
    expect({ status, error }, expr).toEqual({ status: 'success', error: undefined })
    return data.result
  }

  beforeAll(async () => {
    const service = await startService()
    const given = webhooksOf(service, await service.client())
    await given.subscribed(await startReceiver())
    await given.happen()
    // Recurring jobs become due.
    await service.clock.advance(3600)
    await service.runJobs()
    address = await startPrometheus(await startMetrics(service))
    // Rates need at least two samples.
    const scrapes = 'count_over_time(portico_db_up[5m]) >= 3'
    while ((await ask<Series>(`query?query=${encodeURIComponent(scrapes)}`)).data?.result.length !== 1)
      await pause(100)
  }, 60_000)

  test('has samples of every metric that the alert rules and the dashboard name', async () => {
    const names = new Set(expressionsOfDeployFiles().flatMap(({ expr }) => metricsIn(expr)))
    const empty: string[] = []
    for (const name of names) if ((await seriesOf(name)).length === 0) empty.push(name)
    expect(empty).toEqual([])
  })

  test('evaluates every expression of the dashboard to something', async () => {
    const empty: string[] = []
    for (const { name, expr } of expressionsOfDeployFiles().filter(({ from }) => from === 'dashboard'))
      if ((await seriesOf(expr)).length === 0 && !/ > 0$/.test(expr)) empty.push(`${name}: ${expr}`)
    expect(empty).toEqual([])
  })

  test('takes the alert rules, evaluates each without an error, and fires none for a service at rest', async () => {
    execFileSync('promtool', ['check', 'rules', deployFiles.rules])
    interface Groups {
      readonly groups: readonly {
        readonly rules: readonly { name: string; health: string; state: string }[]
      }[]
    }
    const names = expressionsOfDeployFiles().flatMap(({ from, name }) => (from === 'rules' ? [name] : []))
    let rules: Groups['groups'][number]['rules']
    do rules = (await ask<Groups>('rules')).data.groups.flatMap((group) => group.rules)
    while (rules.some(({ health }) => health === 'unknown'))
    expect(rules.map(({ name, health, state }) => ({ name, health, state }))).toEqual(
      names.map((name) => ({ name, health: 'ok', state: 'inactive' })),
    )
  })
})

// As promtool reads values: 0x3 is four samples of 0, a minute apart.
test.skipIf(!hasTool('prometheus')).each([
  ['PorticoAnswersRepaired', 'portico_answers_repaired_total{route="users.get"}', '0x3 1x20'],
  ['PorticoBreachChecksFail', 'portico_breach_checks_total{outcome="failed"}', '0x3 2x20'],
  ['PorticoMailFails', 'portico_jobs_total{name="send_magic_link",outcome="failed"}', '0x3 10x20'],
])('the alert %s tells of the first that is counted', (alertname, series, values) => {
  const folder = mkdtempSync(join(tmpdir(), 'portico-promtool-'))
  const file = join(folder, 'alerts.json')
  const expr = `count(ALERTS{alertname="${alertname}",alertstate="firing"})`
  const fires = {
    interval: '1m',
    input_series: [{ series, values }],
    promql_expr_test: [{ expr, eval_time: '12m', exp_samples: [{ labels: '{}', value: 1 }] }],
  }
  writeFileSync(file, JSON.stringify({ rule_files: [deployFiles.rules], tests: [fires] }))
  try {
    execFileSync('promtool', ['test', 'rules', file])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

/** Starts a Prometheus of its own that reads every second; it ends with the file. */
async function startPrometheus(target: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'portico-prometheus-'))
  const { host, pathname } = new URL(target)
  const config = join(folder, 'prometheus.json')
  // JSON is valid YAML.
  writeFileSync(
    config,
    JSON.stringify({
      global: { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '1s' },
      scrape_configs: [
        { job_name: 'portico', metrics_path: pathname, static_configs: [{ targets: [host] }] },
      ],
      rule_files: [deployFiles.rules],
    }),
  )
  const listen = `127.0.0.1:${await freePort()}`
  const child = spawn(
    'prometheus',
    [
      `--config.file=${config}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=${listen}`,
      '--log.level=error',
    ],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  )
  const ended = new Promise((resolve) => child.once('exit', resolve))
  atFileEnd(async () => {
    child.kill('SIGKILL')
    await ended
    rmSync(folder, { recursive: true, force: true })
  })
  const isReady = () =>
    fetch(`http://${listen}/-/ready`).then(
      (answer) => answer.ok,
      () => false,
    )
  while (child.exitCode === null && !(await isReady())) await pause(50)
  if (child.exitCode !== null) throw new Error('Prometheus ended')
  return `http://${listen}`
}
