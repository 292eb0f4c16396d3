import { initContract } from '@ts-rest/core'
import { z } from 'zod/v4'
import { open, scopes } from '../core/access.js'
import { environment, filterText, flag, id, list, text, timestamp } from '../core/fields.js'
import { OutboxMessage } from './outbox.js'
import { record } from '../core/record.js'

/** Errors of the emulator's control: status and meaning. */
export const emulatorErrorCodes = {
  invalid_parameters: { status: 422, message: 'The request has members that cannot be used.' },
  clock_behind: { status: 409, message: 'The clock only moves forward; reset sets it back.' },
  account_not_found: { status: 404, message: 'The emulator has no account with this domain.' },
  fault_not_declared: {
    status: 422,
    message: 'The operation does not declare this answer, so the service never returns it.',
  },
  malformed_request: { status: 400, message: 'The request cannot be read.' },
  body_too_large: { status: 413, message: 'The body is too large: send at most 100 kB.' },
  misdirected: {
    status: 421,
    message: 'An emulator answers by a name of this machine alone: ask localhost, 127.0.0.1 or [::1].',
  },
  internal_error: { status: 500, message: 'The emulator failed; see its log.' },
  not_ready: { status: 503, message: 'The emulator is starting: try again in a second.' },
} as const
export type EmulatorErrorCode = keyof typeof emulatorErrorCodes

/** Error codes of every route of the control. */
export const anyRefusal = [
  'malformed_request',
  'body_too_large',
  'misdirected',
  'internal_error',
  'not_ready',
] as const satisfies readonly EmulatorErrorCode[]

/** The error body with one of some codes. */
export function problemOf<const Code extends EmulatorErrorCode>(codes: readonly Code[]) {
  return z.object({ error: z.object({ code: z.enum(codes), message: z.string() }) })
}

/** The error answers of a route by status. */
function refusals<const Code extends EmulatorErrorCode>(...codes: Code[]) {
  const statuses = new Set(codes.map((code) => emulatorErrorCodes[code].status))
  const answers = [...statuses].map((status) => [
    status,
    problemOf(codes.filter((code) => emulatorErrorCodes[code].status === status)),
  ])
  // The entries are exactly the statuses of the codes.
  return Object.fromEntries(answers) as Record<
    (typeof emulatorErrorCodes)[Code]['status'],
    ReturnType<typeof problemOf<Code>>
  >
}

export const EmulatorKey = record(
  'EmulatorKey',
  {
    name: z.string(),
    environment: environment(),
    client_id: z.string(),
    client_secret: z.string(),
  },
  {
    name: 'Back end',
    environment: 'sandbox',
    client_id: '0190c8b0-0000-7000-8000-000000000000',
    client_secret: 'keysandbox_x',
  },
)
export type EmulatorKey = z.output<typeof EmulatorKey>

export const EmulatorAccount = record(
  'EmulatorAccount',
  {
    id: id(),
    domain: z.string(),
    api_keys: z.array(EmulatorKey).describe('API keys that the seed or this API created, with their secrets'),
  },
  {
    id: '0190c8b0-0000-7000-8000-000000000001',
    domain: 'acme',
    api_keys: [
      {
        name: 'Back end',
        environment: 'sandbox',
        client_id: '0190c8b0-0000-7000-8000-000000000000',
        client_secret: 'keysandbox_x',
      },
    ],
  },
)
export type EmulatorAccount = z.output<typeof EmulatorAccount>

export const EmulatorClock = record(
  'EmulatorClock',
  {
    now: timestamp(),
    jobs_run: z.int().describe('Jobs and deliveries that ended while the clock moved'),
  },
  { now: '2026-03-14T09:26:53.589Z', jobs_run: 0 },
)
export type EmulatorClock = z.output<typeof EmulatorClock>

export const EmulatorState = record(
  'EmulatorState',
  {
    base_url: z.string(),
    database_url: z.string().describe('Database of the current run; a reset replaces it'),
    now: timestamp(),
    runs_jobs: z.boolean().describe('true: jobs run automatically; false: only on request'),
    accounts: z.array(EmulatorAccount),
  },
  {
    base_url: 'http://localhost:3000',
    database_url: 'postgres://portico@127.0.0.1:5432/run_1',
    now: '2026-03-14T09:26:53.589Z',
    runs_jobs: true,
    accounts: [{ id: '0190c8b0-0000-7000-8000-000000000001', domain: 'acme', api_keys: [] }],
  },
)
export type EmulatorState = z.output<typeof EmulatorState>

export const JobsRun = record(
  'JobsRun',
  { jobs_run: z.int().describe('Jobs and deliveries that ended, successfully or not') },
  { jobs_run: 1 },
)
export type JobsRun = z.output<typeof JobsRun>

export const ClockMove = z
  .strictObject({
    by_seconds: z
      .number()
      .min(0)
      .max(100 * 365 * 86_400)
      .optional()
      .describe('Seconds to move ahead; required without to'),
    to: z.iso
      .datetime({ offset: true, error: 'must be a date and time such as 2026-03-14T09:26:53Z' })
      .optional()
      .describe('Time to move to, instead of by_seconds'),
    run_jobs: flag()
      .default(true)
      .describe('Whether jobs that become due run before the answer, each at its own time'),
  })
  .refine(({ by_seconds, to }) => (by_seconds === undefined) !== (to === undefined), {
    path: ['by_seconds'],
    message: 'or to is needed, and not both',
  })
  .meta({ examples: [{ by_seconds: 960 }] })
export type ClockMove = z.output<typeof ClockMove>

export const NewFault = z
  .strictObject({
    operation: z
      .string()
      .describe('Name of the operation in the contract: resource and verb, separated by a dot'),
    code: z
      .string()
      .optional()
      .describe('Error code that the operation declares; for an OAuth endpoint one of RFC 6749'),
    status: z
      .int()
      .optional()
      .describe('Status of the answer if code is omitted; its first declared code is answered'),
    latency_ms: z.int().min(0).max(60_000).optional().describe('Delay before the answer, in milliseconds'),
    reset: z.boolean().optional().describe('true: the connection is closed without an answer'),
    retry_after_seconds: z.int().min(0).max(3600).optional().describe('Value of Retry-After in the answer'),
    times: z
      .int()
      .min(1)
      .max(1_000_000)
      .optional()
      .describe('Number of requests that it affects; default: all'),
  })
  .meta({ examples: [{ operation: 'users.list', code: 'unavailable', retry_after_seconds: 0, times: 2 }] })
export type NewFault = z.output<typeof NewFault>

export const Fault = record(
  'Fault',
  {
    operation: z.string(),
    code: z.string().nullable(),
    status: z.int().nullable(),
    latency_ms: z.int(),
    reset: z.boolean(),
    retry_after_seconds: z.int().nullable(),
    remaining: z.int().nullable().describe('Number of requests that it will still affect; null: all'),
    met: z.int().describe('Number of requests that it has affected'),
  },
  {
    operation: 'resource.verb',
    code: 'unavailable',
    status: 503,
    latency_ms: 0,
    reset: false,
    retry_after_seconds: 1,
    remaining: 2,
    met: 0,
  },
)
export type Fault = z.output<typeof Fault>

export const FaultList = record('FaultList', { data: z.array(Fault) }, { data: [] })

export const EmulatorOutbox = record(
  'EmulatorOutbox',
  { data: z.array(OutboxMessage).describe('Newest first, from both environments and all accounts') },
  { data: [] },
)

export const NewDnsAnswer = z
  .strictObject({
    texts: list(text(2_000), 50).optional().describe('TXT records of the name'),
    answer: z
      .enum(['none', 'no_answer'])
      .optional()
      .describe('Instead of texts: the name has no record, or no server answers'),
  })
  .refine(({ texts, answer }) => (texts === undefined) !== (answer === undefined), {
    path: ['texts'],
    message: 'or answer is needed, and not both',
  })
  .meta({ examples: [{ texts: ['token=k3vq7m2xw5ta4hzj6ybr2n5cdpfg3e7s'] }] })
export type NewDnsAnswer = z.output<typeof NewDnsAnswer>

export const DnsAnswer = record(
  'DnsAnswer',
  {
    name: z.string(),
    texts: z.array(z.string()).nullable(),
    answer: z.enum(['none', 'no_answer']).nullable(),
  },
  { name: '_portico-challenge.corp.test', texts: ['token=k3vq7m2xw5ta4hzj6ybr2n5cdpfg3e7s'], answer: null },
)
export type DnsAnswer = z.output<typeof DnsAnswer>

export const Cleared = record(
  'Cleared',
  { cleared: z.int().describe('Number of removed entries') },
  { cleared: 0 },
)

export const NewEmulatorAccount = z
  .strictObject({
    name: text(100, 1),
    plan: z.enum(['free', 'unlimited']).default('unlimited'),
  })
  .meta({ examples: [{ name: 'Second account' }] })
export type NewEmulatorAccount = z.output<typeof NewEmulatorAccount>

export const NewEmulatorKey = z
  .strictObject({
    name: text(100, 1).default('API key'),
    environment: environment().default('sandbox'),
    scopes: list(z.enum(scopes), scopes.length, 1).optional().describe('Scopes of the key; default: all'),
    organization_ids: list(id(), 100, 1)
      .optional()
      .describe('Organizations to which the key is limited; default: all'),
    expires_at: z.iso.datetime({ offset: true }).optional(),
  })
  .meta({ examples: [{ name: 'Reader', environment: 'sandbox', scopes: ['read:users'] }] })
export type NewEmulatorKey = z.output<typeof NewEmulatorKey>

export const emulatorTag = {
  name: 'Emulator',
  description:
    'How tests steer an emulator of Portico, which `portico emulate` starts: its clock, its faults, what it sent. ' +
    'Bodies are JSON, and a member that an operation does not know is refused. No key is needed: whoever asks is a program on the ' +
    'same machine, and a request that comes from a page of a browser or through a proxy gets 404, as if there were no control. ' +
    'A refusal is `{"error": {"code", "message"}}`.',
}
const metadata = open({ tag: emulatorTag })
const c = initContract()

/** The path of the control, which no route of the service uses. */
export const controlPath = '/_emulator'

/** The path of the OpenAPI document of the control. */
export const controlDocumentPath = `${controlPath}/openapi.json`

const options = { strictStatusCodes: true, pathPrefix: controlPath } as const

/**
 * The control of an emulator by tests: its clock, its faults, the messages it sent. Separate from the contract, so that the
 * service, its client and its documents do not contain it.
 */
export const emulator = {
  state: c.router(
    {
      get: {
        method: 'GET',
        path: '/state',
        summary: 'Get the addresses of the emulator, and its accounts with their keys',
        responses: { 200: EmulatorState },
        metadata,
      },
      reset: {
        method: 'POST',
        path: '/reset',
        summary: 'Restore the seeded state: data, clock, outbox and faults',
        body: c.noBody(),
        responses: { 200: EmulatorState },
        metadata,
      },
    },
    options,
  ),
  clock: c.router(
    {
      get: {
        method: 'GET',
        path: '/clock',
        summary: 'Get the time of the emulator',
        responses: { 200: EmulatorClock },
        metadata,
      },
      move: {
        method: 'POST',
        path: '/clock',
        summary: 'Move the clock ahead, and run the jobs that become due',
        body: ClockMove,
        responses: { 200: EmulatorClock, ...refusals('clock_behind', 'invalid_parameters') },
        metadata,
      },
    },
    options,
  ),
  jobs: c.router(
    {
      run: {
        method: 'POST',
        path: '/jobs',
        summary: 'Run every job and delivery that is due, and wait for completion',
        body: c.noBody(),
        responses: { 200: JobsRun },
        metadata,
      },
    },
    options,
  ),
  faults: c.router(
    {
      add: {
        method: 'POST',
        path: '/faults',
        summary: 'Make an operation fail, hang or answer late',
        body: NewFault,
        responses: { 201: Fault, ...refusals('invalid_parameters', 'fault_not_declared') },
        metadata,
      },
      list: {
        method: 'GET',
        path: '/faults',
        summary: 'List the faults in the order in which they apply',
        responses: { 200: FaultList },
        metadata,
      },
      clear: {
        method: 'DELETE',
        path: '/faults',
        summary: 'Remove all faults',
        responses: { 200: Cleared },
        metadata,
      },
    },
    options,
  ),
  outbox: c.router(
    {
      list: {
        method: 'GET',
        path: '/outbox',
        summary: 'Run the jobs that are due, then list the mails and text messages that were sent',
        query: z.object({ to: filterText().describe('Address or number of the recipient') }),
        responses: { 200: EmulatorOutbox },
        metadata,
      },
      clear: {
        method: 'DELETE',
        path: '/outbox',
        summary: 'Delete all messages',
        responses: { 200: Cleared },
        metadata,
      },
    },
    options,
  ),
  dns: c.router(
    {
      set: {
        method: 'PUT',
        path: '/dns/:name',
        summary: 'Set what a name has as TXT records; other names have none, and no name server is asked',
        pathParams: z.object({ name: z.string().meta({ examples: ['_portico-challenge.corp.test'] }) }),
        body: NewDnsAnswer,
        responses: { 200: DnsAnswer, ...refusals('invalid_parameters') },
        metadata,
      },
    },
    options,
  ),
  accounts: c.router(
    {
      create: {
        method: 'POST',
        path: '/accounts',
        summary: 'Create an account with a key for each environment',
        body: NewEmulatorAccount,
        responses: { 201: EmulatorAccount, ...refusals('invalid_parameters') },
        metadata,
      },
      createKey: {
        method: 'POST',
        path: '/accounts/:account_domain/api-keys',
        summary: 'Create an API key of an account',
        pathParams: z.object({ account_domain: z.string().meta({ examples: ['acme'] }) }),
        body: NewEmulatorKey,
        responses: { 201: EmulatorKey, ...refusals('account_not_found', 'invalid_parameters') },
        metadata,
      },
    },
    options,
  ),
}
