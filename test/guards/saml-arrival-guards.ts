import { guard, protocolTest } from './guard.js'

const folder = 'server/src/sso/sign-in'
const live = `${folder}/live-connection.ts`
const arrival = `${folder}/arrival.ts`
const complete = `${folder}/complete.ts`
const attempts = `${folder}/login-attempts.ts`
const pages = 'server/src/pages/sso/router.ts'

const signsIn = (title: string) => protocolTest('saml-sign-in', title)
const attacks = (title: string) => protocolTest('saml-attacks', title)

const strangers = (title: string) => protocolTest('saml-strangers', `what strangers post ${title}`)

const ends = signsIn('a sign-in by SSO ends at the application with a code for tokens that say sso')

const isRefused = (title: string) => attacks(`a response is refused ${title}`)
const usedOnce = (title: string) => attacks(`an assertion is used once ${title}`)

const altered = isRefused('whose NameID was altered')

/** Guards of SAML responses on arrival: answered request, replay, and browser. */
export const samlArrivalGuards = [
  guard({
    name: 'saml: connections that are switched off while a response is decided about',
    file: live,
    find: "state === 'tested' ? await shareByKey(trx, key) : await lockByKey(trx, key)",
    replace: "state === 'tested' ? await selectByKey(trx, key) : await selectByKey(trx, key)",
    red: isRefused('by a connection that is being switched off'),
    green: ends,
  }),
  guard({
    name: 'saml: requests of one connection are not answered at another',
    file: arrival,
    find: "where ${isOfConnection('saml_requests', use)}\n        and ${isAwaited(use)}",
    replace: 'where ${isAwaited(use)}',
    also: [
      {
        file: complete,
        find: 'const isOpen = lockedFlow?.connection_id === live.connectionId',
        replace: 'const isOpen = lockedFlow?.connection_id !== undefined',
      },
      {
        file: complete,
        find: 'completeRequested(deps, trx, signIn, request.flowId)',
        replace: 'completeRequested(deps, trx, signIn, request)',
      },
      { file: complete, find: '{ ...live, flowId },', replace: '{ ...live, ...flowId },' },
      {
        file: arrival,
        find: 'returning flow_id, admin_session_id, metadata_version',
        replace: 'returning flow_id, admin_session_id, metadata_version, organization_id',
      },
      {
        file: arrival,
        find: 'request.flow_id, request.admin_session_id, request.metadata_version',
        replace:
          'request.flow_id, request.admin_session_id, request.metadata_version, request.organization_id',
      },
      {
        file: arrival,
        find: '{ ...toAnsweredRequest(row), metadataVersion: version }',
        replace:
          '{ ...toAnsweredRequest(row), metadataVersion: version, organizationId: row.organization_id }',
      },
      {
        file: arrival,
        find: 'interface UseRow {',
        replace: 'interface UseRow {\n  readonly organization_id: string',
      },
    ],
    red: attacks(
      'connections do not mix a request of one is not answered at another, though both have the same identity provider',
    ),
    green: altered,
  }),
  guard({
    name: 'saml: sign-ins that went another way',
    file: complete,
    find: "{ steps: ['identity_provider'], browserHash",
    replace: "{ steps: ['identity_provider', 'identifier'], browserHash",
    also: [
      {
        file: complete,
        find: 'const isOpen = lockedFlow?.connection_id === live.connectionId',
        replace: 'const isOpen = lockedFlow !== undefined',
      },
    ],
    red: isRefused('for a sign-in that went another way meanwhile'),
    green: ends,
  }),
  guard({
    name: 'saml: traces of what a key has proved, apart from those of strangers',
    file: attempts,
    find: 'refusedChecks.find((checks) => failed !== undefined && checks.includes(failed))',
    replace: 'refusedChecks.flat()',
    red: strangers('hides nothing that a key has proved: its page has a reference that finds the reason'),
    green: altered,
  }),
  guard({
    name: 'saml: traces of signed responses that name nobody',
    file: attempts,
    find: 'sso_login_traces.name_id is not distinct from ${name}',
    replace: 'sso_login_traces.name_id = ${name}',
    red: strangers('that is signed and names nobody leaves 20 traces a day'),
    green: altered,
  }),
  guard({
    name: 'saml: handles and those who only look',
    file: pages,
    find: 'visit: continueAfterResponse',
    replace: 'get: continueAfterResponse',
    red: usedOnce('and not by who only looks'),
    green: ends,
  }),
]
