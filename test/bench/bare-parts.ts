import { generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import pg from 'pg'

/** Opens the pool as server/src/platform/db/connect.ts does. */
export function openPool(databaseUrl: string): pg.Pool {
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    max: 10,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 60_000,
    pipeline: true,
    application_name: 'bare',
  })
  pool.on('error', () => undefined)
  return pool
}

/** The API key behind a request. */
export interface Caller {
  readonly accountId: string
  readonly environment: string
  readonly apiKeyId: string
}

export interface UserRow {
  readonly id: string
  readonly organization_id: string
  readonly active: boolean
  readonly email: string
  readonly email_verified: boolean
  readonly phone_number_verified: boolean
  readonly phone_numbers: { primary: boolean; value: string }[]
  readonly profile: Record<string, string | null>
  readonly address: Record<string, string | null>
  readonly avatar_hexa_color: string
  readonly version: number
  readonly inserted_at: Date
  readonly updated_at: Date
  readonly deleted_at: Date | null
  readonly metadata: readonly MetadataRow[]
}

interface MetadataRow {
  readonly id: string
  readonly value: string
  readonly key_id: string
  readonly name: string
  readonly type: string
  readonly required: boolean
}

export const selectUser = `
  select id, organization_id, active, email, email_verified, phone_number_verified, phone_numbers, profile, address,
    avatar_hexa_color, version, inserted_at, updated_at, deleted_at, (
      select coalesce(jsonb_agg(jsonb_build_object(
        'id', data.id, 'value', data.value, 'key_id', key.id, 'name', key.name, 'type', key.type, 'required', key.required
      ) order by key.name), '[]')
      from user_metadata data
      join meta_keys key on key.account_id = data.account_id and key.organization_id = data.organization_id
        and key.id = data.meta_key_id
      where data.account_id = users.account_id and data.environment = users.environment
        and data.organization_id = users.organization_id and data.user_id = users.id
    ) as metadata
  from users
  where account_id = $1 and environment = $2 and id = $4 and organization_id = (
    select id from organizations where account_id = $1 and domain = $3 and deleted_at is null
  )`

export function toUser(row: UserRow, domain: string, environment: string) {
  const { profile, address } = row
  const phone = row.phone_numbers.find((number) => number.primary)?.value ?? null
  const place = {
    formatted: address.formatted ?? null,
    street_address: address.street_address ?? null,
    locality: address.locality ?? null,
    region: address.region ?? null,
    postal_code: address.postal_code ?? null,
    country: address.country ?? null,
  }
  return {
    __type__: 'User',
    __domain__: domain,
    __environment__: environment,
    id: row.id,
    active: row.active,
    email: row.email,
    email_verified: row.email_verified,
    phone_number: phone,
    phone_number_verified: row.phone_number_verified,
    phone_numbers: row.phone_numbers,
    address: place,
    identities: [],
    metadata: row.metadata.map((data) => toMetadata(data, domain)),
    profile: {
      given_name: profile.given_name ?? null,
      family_name: profile.family_name ?? null,
      name: `${profile.given_name} ${profile.family_name}`,
      nickname: profile.nickname ?? null,
      preferred_username: profile.preferred_username ?? null,
      birthdate: profile.birthdate ?? null,
      gender: profile.gender ?? null,
      locale: profile.locale ?? null,
      zoneinfo: profile.zoneinfo ?? null,
      picture: profile.picture ?? null,
      profile: profile.profile ?? null,
      website: profile.website ?? null,
      email: row.email,
      phone_number: phone,
      address: place,
    },
    avatar_hexa_color: row.avatar_hexa_color,
    inserted_at: row.inserted_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  }
}

function toMetadata(row: MetadataRow, domain: string) {
  const { id, value, key_id, name, type, required } = row
  const key = { __type__: 'MetaKey', __domain__: domain, id: key_id, name, type, required }
  return { __type__: 'MetaData', id, key, value }
}

export function uuidv7(at: Date): string {
  const time = at.getTime().toString(16).padStart(12, '0')
  const random = randomBytes(10).toString('hex')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random.slice(1, 4)}-8${random.slice(5, 8)}-${random.slice(8)}`
}

export async function readText(req: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of req) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}

export async function readJson(req: IncomingMessage): Promise<unknown> {
  return JSON.parse(await readText(req))
}

export function answer(res: ServerResponse, status: number, body: object): void {
  const text = JSON.stringify(body)
  res.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
  })
  res.end(text)
}

/** A key of the same algorithm as the service's, which are also opened only once per process. */
const signingKey: KeyObject = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey

export function signToken(kid: string, claims: object): string {
  const input = `${toPart({ alg: 'ES256', typ: 'at+jwt', kid })}.${toPart(claims)}`
  const signature = sign('sha256', Buffer.from(input), { key: signingKey, dsaEncoding: 'ieee-p1363' })
  return `${input}.${signature.toString('base64url')}`
}

export function toPart(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}
