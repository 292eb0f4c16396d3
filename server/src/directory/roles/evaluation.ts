import type {
  AccessConfiguration,
  AccessDecision,
  AccessDecisions,
  AccessQuestion,
  AccessQuestions,
} from '@portico/contract/access-evaluation'
import type { FieldError } from '@portico/contract/errors'
import { sql, type Kysely } from 'kysely'
import { organizationIdOf } from '../../platform/db/organization-id.js'
import type { DB } from '../../platform/db/schema.js'
import { lookup, sqlStatement } from '../../platform/db/statement.js'
import { ofEnvironment, ofTenant } from '../../platform/db/tenant-predicate.js'
import { ApiError } from '../../platform/errors.js'
import { mayReadUsers, type Caller, type Tenant } from '../../platform/tenant.js'
import type { Deps } from '../../delivery/deps.js'
import { rolesOfUser, type RoleOfUserRow } from '../users/roles-of-user.js'

type Asker = Tenant & Pick<Caller, 'scopes'>

/**
 * Whether a user has a permission now (OpenID AuthZEN Authorization API 1.0 section 6).
 *
 * @throws ApiError `organization_not_found`
 */
export async function evaluateAccess(
  { db }: Pick<Deps, 'db'>,
  asker: Asker,
  question: AccessQuestion,
): Promise<AccessDecision> {
  const facts = await findFacts(db, asker, [question])
  return decide(asker, facts, question)
}

/**
 * The same of several questions, whose missing members are those beside them (section 7): all of them are answered.
 *
 * @throws ApiError `organization_not_found`, and `invalid_parameters` for a question without subject or action.
 */
export async function evaluateAllAccess(
  { db }: Pick<Deps, 'db'>,
  asker: Asker,
  { evaluations, options: _options, ...defaults }: AccessQuestions,
): Promise<AccessDecisions> {
  const questions = toQuestions(defaults, evaluations)
  const facts = await findFacts(db, asker, questions)
  return { evaluations: questions.map((question) => decide(asker, facts, question)) }
}

/** Where an organization's questions are asked; it need not be there. */
export function toAccessConfiguration({ config }: Pick<Deps, 'config'>, domain: string): AccessConfiguration {
  if (domain === '') throw new ApiError('malformed_request')
  const point = `${config.baseUrl}/api/v2/org/${domain}`
  return {
    policy_decision_point: point,
    access_evaluation_endpoint: `${point}/access/evaluation`,
    access_evaluations_endpoint: `${point}/access/evaluations`,
  }
}

type PartialQuestion = AccessQuestions['evaluations'][number]

function toQuestions(defaults: PartialQuestion, all: readonly PartialQuestion[]): AccessQuestion[] {
  const fields: FieldError[] = []
  const questions = all.flatMap((one, index): AccessQuestion[] => {
    const { subject, action, ...others } = { ...defaults, ...one }
    if (subject !== undefined && action !== undefined) return [{ ...others, subject, action }]
    const missing = subject === undefined ? 'subject' : 'action'
    fields.push({
      path: `evaluations.${index}.${missing}`,
      code: 'invalid_type',
      message: 'must be here, or beside evaluations',
    })
    return []
  })
  if (fields.length > 0) throw new ApiError('invalid_parameters', { fields })
  return questions
}

interface UserFacts {
  readonly id: string
  readonly active: boolean
  readonly held: readonly RoleOfUserRow[]
}

/** What the answers depend on. */
interface Facts {
  readonly users: ReadonlyMap<string, UserFacts>
  /** The declared ones of those that are asked about. */
  readonly permissions: ReadonlySet<string>
}

/** @throws ApiError `organization_not_found` */
async function findFacts(db: Kysely<DB>, asker: Asker, questions: readonly AccessQuestion[]): Promise<Facts> {
  const [row] = await selectFacts(db, {
    ...asker,
    ids: questions.map(({ subject }) => subject.id),
    names: questions.map(({ action }) => action.name),
  })
  if (row === undefined || row.organization_id === null) throw new ApiError('organization_not_found')
  return {
    users: new Map(row.users.map((user) => [user.id, user])),
    permissions: new Set(row.permissions),
  }
}

interface Wanted extends Pick<Tenant, 'accountId' | 'environment' | 'domain' | 'organizationIds'> {
  readonly ids: readonly string[]
  readonly names: readonly string[]
}

const selectFacts = sqlStatement(
  (wanted: Wanted) => sql<{ organization_id: string | null; users: UserFacts[]; permissions: string[] }>`
    select ${organizationIdOf(wanted)} as organization_id,
      (
        select coalesce(jsonb_agg(jsonb_build_object('id', users.id, 'active', users.active, 'held', ${rolesOfUser()})), '[]')
        from users
        where ${ofTenant(wanted, 'users')} and users.deleted_at is null
          and users.id = any(${wanted.ids}::uuid[])
      ) as users,
      array(
        select name from permissions
        where ${ofEnvironment({ accountId: wanted.accountId, environment: wanted.environment })}
          and name = any(${wanted.names}::text[])
      ) as permissions`,
  lookup,
)

function decide(asker: Asker, { users, permissions }: Facts, question: AccessQuestion): AccessDecision {
  const { subject, action, resource } = question
  const user = users.get(subject.id)
  const no = (reason: AccessDecision['context']['reason']): AccessDecision => ({
    decision: false,
    context: { reason, granted_by: [] },
  })
  if (resource !== undefined && resource.type !== 'organization') return no('resource_type_unknown')
  if (!permissions.has(action.name)) return no('permission_not_found')
  if (user === undefined) return no(mayReadUsers(asker) ? 'user_not_found' : 'not_granted')
  if (!user.active) return no('user_inactive')
  const granting = user.held.filter((role) => role.permissions.includes(action.name))
  const isElsewhere = resource !== undefined && resource.id !== asker.domain
  if (granting.length === 0 || isElsewhere) return no('not_granted')
  const granted_by = granting
    .map(({ name, source }) => ({ role: name, source }))
    .toSorted((one, other) => (`${one.role} ${one.source}` < `${other.role} ${other.source}` ? -1 : 1))
  return { decision: true, context: { reason: 'granted', granted_by } }
}
