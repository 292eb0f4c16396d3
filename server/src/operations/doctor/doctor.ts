import type { Config } from '../../platform/config/config.js'
import type { OpenDeps } from '../../delivery/deps.js'
import { examineApplications } from './applications.js'
import { examineEmailDomains } from './email-domains.js'
import { domainsMigration, examineComingDomains } from './coming-domains.js'
import { examineConsoleOwners } from './console-owners.js'
import { examineCounts } from './counts.js'
import { examineDirect, examinePooler, examineReplica } from './database-ways.js'
import { examineDefaultRedirections } from './default-redirections.js'
import { reading, failedCheck, type Check, type Finding } from './finding.js'
import {
  examineApiKeys,
  examineCanary,
  examineCertificates,
  examineSeals,
  examineSigningKeys,
} from './keys.js'
import { examineRequiredMetadata } from './metadata.js'
import { examineDeliveries, examineEvents, examineJobs } from './overdue.js'
import { examineParents } from './parents.js'
import { examineRelayAddresses } from './relay-addresses.js'
import { examineRoleMappings } from './role-mappings.js'
import { examineSchema } from './schema.js'
import { examineProductNames } from './product-names.js'
import {
  examineClock,
  examineMail,
  examineMigrations,
  examinePasskeys,
  examineProxies,
  examineTraces,
  examineVersion,
} from './surroundings.js'

export interface Examination {
  /** Whether only the conditions of a start are checked, which reads no table of records. */
  readonly isBeforeStart: boolean
}

/** Checks the configuration, and the services outside the database that it names. */
export async function examineSurroundings(
  config: Config,
  { isBeforeStart }: Examination,
): Promise<Finding[]> {
  const proxies = examineProxies(config)
  return isBeforeStart
    ? [proxies]
    : [proxies, examinePasskeys(config), await examineMail(config), ...(await examineTraces(config))]
}

const checksBeforeStart: Readonly<Record<string, Check>> = {
  Schema: examineSchema,
  'Master keys': examineCanary,
}

const checksOfRecords: Readonly<Record<string, Check>> = {
  Counts: examineCounts,
  'Master keys': examineSeals,
  'Signing keys': examineSigningKeys,
  'API keys': examineApiKeys,
  Certificates: examineCertificates,
  Jobs: examineJobs,
  Deliveries: examineDeliveries,
  Events: examineEvents,
  Metadata: examineRequiredMetadata,
  Applications: examineApplications,
  'Default redirections': examineDefaultRedirections,
  'Product names': examineProductNames,
  Console: examineConsoleOwners,
  'E-mail domains': examineEmailDomains,
  'Role mappings': examineRoleMappings,
  'Relay addresses': examineRelayAddresses,
}

const checksOfComing: Readonly<Record<string, Check>> = {
  'Coming with the migrations': examineComingDomains,
}

/** Checks the database and its records, and changes nothing. Findings are in the order of repair. */
export async function examineDatabase(deps: OpenDeps, { isBeforeStart }: Examination): Promise<Finding[]> {
  const findings = [
    await examineVersion(deps),
    await examineClock(deps),
    ...(await examinePooler(deps)),
    ...(await examineDirect(deps)),
    ...(await examineReplica(deps)),
    examineMigrations(deps),
  ]
  if (deps.pendingMigrations.length > 0) {
    const isComing = !isBeforeStart && deps.pendingMigrations[0] === domainsMigration
    return isComing ? [...findings, ...(await examineEach(deps, checksOfComing))] : findings
  }
  if (isBeforeStart) return [...findings, ...(await examineEach(deps, checksBeforeStart))]
  return [
    ...findings,
    ...(await examineParents(deps)),
    ...(await examineEach(deps, { Schema: examineSchema, ...checksOfRecords })),
  ]
}

/** Runs each check by itself, so that a failing one does not hide the others. */
async function examineEach(deps: OpenDeps, checks: Readonly<Record<string, Check>>): Promise<Finding[]> {
  const findings: Finding[] = []
  const { config, keys, now } = deps
  for (const [name, check] of Object.entries(checks)) {
    try {
      findings.push(...(await reading(deps, (db) => check({ db, config, keys, at: now() }))))
    } catch (error) {
      findings.push(failedCheck(name, error))
    }
  }
  return findings
}
