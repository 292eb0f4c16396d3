import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readConfig } from '@portico/server/config'
import { secretVariables, Variables } from '@portico/server/variables'
import { afterAll, describe, expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { z } from 'zod/v4'
import { hasTool } from '../debian-tools.js'
import { Deployment, Kustomization, Manifest, PodDisruptionBudget, Service } from './kubernetes-schema.js'
import { readDockerfile } from './dockerfile.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = join(root, 'docs/deploy')
const read = (name: string) => readFileSync(join(folder, name), 'utf8')

/** A stop takes DRAIN_SECONDS and 5 at most (server/src/app/open-process.ts). */
const stopSeconds = readConfig({}).drainMs / 1000 + 5

const secrets = mkdtempSync(join(tmpdir(), 'portico-deploy-'))
afterAll(() => rmSync(secrets, { recursive: true }))
const secretValues: Readonly<Record<string, string>> = {
  DATABASE_URL_FILE: 'postgres://portico:password@db.example.com:5432/portico',
  MASTER_KEYS_FILE: 'v1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=',
  SMTP_URL_FILE: 'smtps://portico:password@mail.example.com',
}

/** The configuration that settings of a file make, with secrets in files as it hands them over. */
function configurationOf(settings: Readonly<Record<string, unknown>>) {
  const known = [...Object.keys(Variables.shape), ...secretVariables.map((name) => `${name}_FILE`)]
  expect(Object.keys(settings).filter((name) => !known.includes(name))).toEqual([])
  const values = Object.entries(settings).map(([name, value]) => {
    const secret = secretValues[name]
    if (secret === undefined) return [name, String(value)]
    writeFileSync(join(secrets, name), secret)
    return [name, join(secrets, name)]
  })
  return readConfig({ ...dockerfile.variables, ...Object.fromEntries(values) })
}

const dockerfile = readDockerfile(readFileSync(join(root, 'Dockerfile'), 'utf8'))

describe('the Dockerfile', () => {
  test('has every workspace installed, and ends as a user that is not root', () => {
    const { workspaces } = z
      .object({ workspaces: z.array(z.string()) })
      .parse(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')))
    const copied = dockerfile.stages[0]?.steps.flatMap(({ kind, args }) => (kind === 'COPY' ? [args] : []))

    expect(copied).toEqual(
      expect.arrayContaining(workspaces.map((name) => [`${name}/package.json`, `${name}/`])),
    )
    expect(dockerfile.user).toMatch(/^[1-9]\d*:[1-9]\d*$/)
    expect(dockerfile.stages.map(({ base }) => base)).toEqual(['node:24-slim', 'node:24-slim'])
  })

  test('sends the builder neither secrets nor what was made for another system', () => {
    const ignored = readFileSync(join(root, '.dockerignore'), 'utf8').split('\n')

    expect(ignored).toEqual(
      expect.arrayContaining(['.git', '.data', '.env', '**/node_modules', '**/dist', '**/*.tsbuildinfo']),
    )
  })

  test('makes it production', () => {
    expect(dockerfile.variables).toMatchObject({ NODE_ENV: 'production', HOST: '0.0.0.0' })
    expect(() => readConfig(dockerfile.variables)).toThrow('DATABASE_URL must name a Postgres database')
  })
})

describe('docs/deploy/kubernetes', () => {
  const files = readdirSync(join(folder, 'kubernetes')).filter((name) => name !== 'kustomization.yaml')
  const objects = files.flatMap((name) =>
    parseAllDocuments(read(`kubernetes/${name}`)).map((document) => Manifest.parse(document.toJS())),
  )
  const kustomization = Kustomization.parse(parse(read('kubernetes/kustomization.yaml')))
  const deployments = objects.flatMap((object) => Deployment.safeParse(object).data ?? [])

  test('is a kustomization of all its files, and its namespace', () => {
    expect(kustomization.resources.toSorted()).toEqual(files.toSorted())
    expect(objects.filter(({ kind }) => kind === 'Namespace').map(({ metadata }) => metadata.name)).toEqual([
      kustomization.namespace,
    ])
  })

  test('has settings that a process starts with', () => {
    const [{ literals }] = kustomization.configMapGenerator
    const config = configurationOf(Object.fromEntries(literals.map(settingOf)))

    expect(config).toMatchObject({ isProduction: true, isHttps: true, metricsHost: '0.0.0.0' })
  })

  test('mounts the secrets where the settings name them', () => {
    const paths = kustomization.configMapGenerator[0].literals.flatMap((literal) => {
      const [name, value] = settingOf(literal)
      return name.endsWith('_FILE') ? [value] : []
    })
    for (const { spec } of deployments) {
      const { volumes, containers, initContainers = [] } = spec.template.spec
      expect(volumes.map((volume) => volume.name)).toEqual(['secrets'])
      for (const { volumeMounts } of [...containers, ...initContainers])
        expect(paths.every((path) => volumeMounts.some((at) => path.startsWith(`${at.mountPath}/`)))).toBe(
          true,
        )
    }
  })

  test('lets a pod finish what it has begun before it is killed', () => {
    expect(deployments.map(({ metadata }) => metadata.name)).toEqual(['portico-serve', 'portico-worker'])
    for (const { spec } of deployments) {
      const [{ lifecycle }] = spec.template.spec.containers
      const waits = Number(lifecycle?.preStop.exec.command[1] ?? 0)
      expect(spec.template.spec.terminationGracePeriodSeconds).toBeGreaterThan(waits + stopSeconds)
    }
  })

  test('selects the pods of each deployment by it and by one budget, and those that serve by the service', () => {
    const budgets = objects.flatMap((object) => PodDisruptionBudget.safeParse(object).data ?? [])
    const services = objects.flatMap((object) => Service.safeParse(object).data ?? [])
    for (const { metadata, spec } of deployments) {
      const { labels } = spec.template.metadata
      const [{ ports, startupProbe, readinessProbe, livenessProbe }] = spec.template.spec.containers
      const names = ports.map(({ name }) => name)
      expect(spec.selector.matchLabels).toEqual(labels)
      expect(metadata.labels).toEqual(labels)
      expect(budgets.filter((budget) => isEqual(budget.spec.selector.matchLabels, labels))).toHaveLength(1)
      for (const { httpGet } of [startupProbe, readinessProbe, livenessProbe])
        expect(names).toContain(httpGet.port)
    }
    expect(
      services.map(({ spec }) => [spec.selector, spec.ports.map(({ targetPort }) => targetPort)]),
    ).toEqual([[deployments[0]?.spec.template.metadata.labels, ['http']]])
  })

  test.each([
    ['allowPrivilegeEscalation: false', 'allowPrivilegeEscalation: true'],
    ['readOnlyRootFilesystem: true', 'readOnlyRootFileSystem: true'],
    ['runAsNonRoot: true', 'runAsNonRoots: true'],
    ['path: /readyz', 'path: /healthz'],
    ['memory: 768Mi', 'memory: 768M'],
  ])('would not be taken with a slip: %s', (right, wrong) => {
    const text = read('kubernetes/serve.yaml')
    expect(text).toContain(right)

    expect(Manifest.safeParse(parse(text.replaceAll(right, wrong))).success).toBe(false)
  })

  function settingOf(literal: string): [string, string] {
    const [name = '', ...value] = literal.split('=')
    return [name, value.join('=')]
  }
})

describe('docs/deploy/compose.yaml', () => {
  const service = z.strictObject({
    build: z.string().optional(),
    image: z.string(),
    command: z.array(z.string()).optional(),
    environment: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
    secrets: z.array(z.string()).optional(),
    depends_on: z
      .record(
        z.string(),
        z.strictObject({ condition: z.enum(['service_healthy', 'service_completed_successfully']) }),
      )
      .optional(),
    healthcheck: z
      .union([
        z.strictObject({ disable: z.literal(true) }),
        z.strictObject({ test: z.array(z.string()), interval: z.string(), retries: z.int() }),
      ])
      .optional(),
    read_only: z.literal(true).optional(),
    cap_drop: z.tuple([z.literal('ALL')]).optional(),
    security_opt: z.tuple([z.literal('no-new-privileges:true')]).optional(),
    restart: z.enum(['unless-stopped', 'on-failure']),
    stop_grace_period: z
      .string()
      .regex(/^\d+s$/)
      .optional(),
    ports: z.array(z.string()).optional(),
    volumes: z.array(z.string()).optional(),
    shm_size: z.string().optional(),
  })
  const Compose = z.strictObject({
    name: z.literal('portico'),
    'x-portico': z.unknown(),
    services: z.record(z.string(), service),
    secrets: z.record(z.string(), z.strictObject({ file: z.string() })),
    volumes: z.record(z.string(), z.null()),
    networks: z.strictObject({
      default: z.strictObject({
        ipam: z.strictObject({ config: z.tuple([z.strictObject({ subnet: z.cidrv4() })]) }),
      }),
    }),
  })
  const text = read('compose.yaml').replaceAll(/\$\{DOMAIN(?::\?[^}]*)?\}/g, 'auth.example.com')
  const compose = Compose.parse(parse(text, { merge: true }))
  const ours = Object.entries(compose.services).filter(([, { image }]) => image === 'portico')

  test('has two processes, a worker and the migrations, of the image, read-only and with settings that start', () => {
    expect(ours.map(([name, { command }]) => [name, command])).toEqual([
      ['migrate', ['migrate']],
      ['portico-1', ['serve', '--no-worker']],
      ['portico-2', ['serve', '--no-worker']],
      ['worker', ['worker']],
    ])
    for (const [, { build, read_only, cap_drop, stop_grace_period = '', environment = {} }] of ours) {
      expect({ build, read_only, cap_drop }).toEqual({ build: '../..', read_only: true, cap_drop: ['ALL'] })
      expect(Number.parseInt(stop_grace_period, 10)).toBeGreaterThan(stopSeconds)
      const { trustedProxies, isProduction } = configurationOf(environment)
      expect({ trustedProxies, isProduction }).toEqual({
        trustedProxies: [compose.networks.default.ipam.config[0].subnet],
        isProduction: true,
      })
    }
  })

  test('asks the worker where the healthcheck of the image does', () => {
    const worker = compose.services['worker']?.environment ?? {}

    expect(String(worker['METRICS_PORT'])).toBe(dockerfile.variables['PORT'])
    expect(dockerfile.healthcheck.join(' ')).toContain('process.env.PORT')
  })

  test('names secrets, services, volumes and files that are there', () => {
    for (const { secrets: named = [], depends_on = {}, volumes = [] } of Object.values(compose.services)) {
      expect(named.filter((name) => !(name in compose.secrets))).toEqual([])
      expect(Object.keys(depends_on).filter((name) => !(name in compose.services))).toEqual([])
      const sources = volumes.map((volume) => volume.split(':')[0] ?? '')
      const isThere = (source: string) =>
        source.startsWith('.') ? existsSync(join(folder, source)) : source in compose.volumes
      expect(sources.filter((source) => !isThere(source))).toEqual([])
    }
    const upstreams = String(compose.services['caddy']?.environment?.['PORTICO_UPSTREAMS']).split(' ')
    expect(upstreams).toEqual(['portico-1:3000', 'portico-2:3000'])
  })
})

describe('docs/deploy/systemd', () => {
  const units = ['portico@.service', 'portico-worker.service', 'portico-migrate.service']
  const linesOf = (unit: string, name: string) =>
    read(`systemd/${unit}`)
      .split('\n')
      .flatMap((line) => (line.startsWith(`${name}=`) ? [line.slice(name.length + 1)] : []))

  test('confines all its units in the same way', () => {
    expect(readdirSync(join(folder, 'systemd')).toSorted()).toEqual(units.toSorted())
    const [first, ...others] = units.map((unit) =>
      read(`systemd/${unit}`).split('\n# V8 ')[1]?.split('\n\n')[0]?.trim(),
    )
    expect(first).toContain('DynamicUser=true')
    for (const other of others) expect(other).toBe(first)
  })

  test.each(units)('%s has settings that a process starts with, and time to stop', (unit) => {
    const own = linesOf(unit, 'Environment').flatMap((line) => line.split(' '))
    const credentials = linesOf(unit, 'LoadCredential').map((line) => `%d/${line.split(':')[0] ?? ''}`)
    const settings = own.map((setting) => setting.replaceAll('%i', '1').split('='))
    const files = settings.filter(([name = '']) => name.endsWith('_FILE'))

    expect(files.map(([, path]) => path)).toEqual(credentials)
    expect(
      configurationOf({ ...Object.fromEntries(settings), BASE_URL: 'https://auth.example.com' }),
    ).toMatchObject({
      isProduction: true,
    })
    for (const time of linesOf(unit, 'TimeoutStopSec')) expect(Number(time)).toBeGreaterThan(stopSeconds)
  })

  test.skipIf(!hasTool('systemd-analyze'))('has units that systemd finds nothing wrong with', () => {
    for (const unit of units) writeFileSync(join(secrets, unit), runnable(unit))
    writeFileSync(join(secrets, 'portico@1.service'), runnable('portico@.service'))
    writeFileSync(
      join(secrets, 'wrong.service'),
      runnable('portico-worker.service').replace('PrivateTmp', 'PrivateTemp'),
    )

    expect(complaintsAbout('portico@1.service', 'portico-worker.service', 'portico-migrate.service')).toBe('')
    expect(complaintsAbout('wrong.service')).toContain('PrivateTemp')
  })

  /** With programs and folders that are on this machine. */
  function runnable(unit: string): string {
    return read(`systemd/${unit}`)
      .replaceAll('/usr/bin/node', process.execPath)
      .replaceAll('/opt/portico', secrets)
  }

  function complaintsAbout(...names: string[]): string {
    const paths = names.map((name) => join(secrets, name))
    const args = ['-c', 'exec systemd-analyze verify --man=no "$@" 2>&1', 'sh', ...paths]
    return execFileSync('sh', args, { encoding: 'utf8' })
  }
})

function isEqual(one: object, other: object): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}
