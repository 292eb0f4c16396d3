import { ssoChecks } from '@portico/contract/sso-checks'
import { findRulesOfConnection } from '../../sso/onboarding/connection-rules.js'
import { listDirectories } from '../../sso/onboarding/directories.js'
import { reachedEnvironments } from '../../sso/onboarding/reached-tenant.js'
import { listRoleRules } from '../../sso/onboarding/role-rules.js'
import { findTestResult, listTestResults, type TestResult } from '../../sso/onboarding/test-result.js'
import { assertedEmail, assertedProfile } from '../../sso/sign-in/asserted-identity.js'
import { directoryAddress, domainsAddress } from './connections.js'
import { donePage } from './done.js'
import { addressOf } from './onboarding-frame.js'
import {
  reachablePhases,
  testedVersion,
  viewOf,
  type OnboardingOutcome,
  type OnboardingRequest,
  type OnboardingStep,
} from './onboarding-request.js'
import { hasRoleRules } from './role-rules.js'
import { testResultPage, type ReadPerson } from './test-result.js'
import { testPage } from './test-sign-in.js'

/** The test sign-in, with the results of earlier ones. */
export const testStep: OnboardingStep = {
  show: async (request) => {
    const { deps, connection } = request
    if (!reachablePhases(connection).includes('tutorial')) return { goTo: 'provider' }
    const tests = await listTestResults(deps, connection)
    const hasMetadata = testedVersion(connection) !== null
    return { page: testPage({ ...viewOf(request, 'test'), hasMetadata, tests, now: deps.now() }) }
  },
  actions: {},
}

/** The end of the setup. */
export const doneStep: OnboardingStep = {
  show: async (request) => {
    const { deps, session, connection, frame } = request
    if (!reachablePhases(connection).includes('done')) return { goTo: 'metadata' }
    const tests = await listTestResults(deps, connection)
    const { uploadedVersion, currentVersion, isActive, connectionState, environment } = connection
    const directories = await listDirectories(deps, session)
    const hasDomains = reachedEnvironments(session).includes(environment)
    const rules = await findRulesOfConnection(deps, session, connection.idpId, request.requestId)
    const hasRoles = rules !== undefined && hasRoleRules(await listRoleRules(deps, rules))
    const hasDirectory = directories.some((directory) => directory.environment === environment)
    return {
      page: donePage({
        ...viewOf(request, 'done'),
        isActive,
        isWaiting: uploadedVersion !== null && uploadedVersion !== currentVersion,
        isTested: connectionState === 'tested' || tests.some(({ outcome }) => outcome === 'success'),
        rolesUrl: hasRoles ? addressOf(`/onboarding/${connection.idpId}`, 'roles', frame.texts) : undefined,
        domainsUrl: hasDomains ? domainsAddress(environment, frame.texts) : undefined,
        directoryUrl: hasDirectory ? directoryAddress(environment, frame.texts) : undefined,
      }),
    }
  },
  actions: {},
}

/** Shows the result of a test; undefined when the connection has no test with this id. */
export async function showTestResult(
  request: OnboardingRequest,
  attemptId: string,
): Promise<OnboardingOutcome | undefined> {
  const result = await findTestResult(request.deps, request.connection, attemptId)
  if (result === undefined) return undefined
  const { outcome, checks, failedCheck, attributes, requestId } = result
  const failed =
    failedCheck === null ? undefined : { name: failedCheck, mender: ssoChecks[failedCheck].mender }
  return {
    page: testResultPage({
      ...viewOf(request, 'test'),
      outcome,
      checks,
      failed,
      person: toPerson(result),
      attributes,
      requestId,
    }),
  }
}

/** The asserted user, read by the functions of a real sign-in. */
function toPerson({ nameId, email, attributes }: TestResult): ReadPerson {
  const asserted = { nameId: nameId ?? '', attributes: attributes ?? {} }
  const { given_name: givenName, family_name: familyName } = assertedProfile(asserted)
  return {
    nameId,
    email: email ?? assertedEmail(asserted) ?? null,
    givenName: givenName ?? null,
    familyName: familyName ?? null,
  }
}
