import { accessToken } from './access-token.js'
import { assertions } from './assertions.js'
import { backChannelLogout } from './backchannel.js'
import { basicOpRequests } from './basic-op-requests.js'
import { basicOpTokens } from './basic-op.js'
import type { Check, Group } from './check.js'
import { configOp } from './config-op.js'
import { introspection } from './introspection.js'
import { rpInitiatedLogout } from './logout.js'
import { oauthFramework } from './oauth.js'
import { pkce } from './pkce.js'
import { revocation } from './revocation.js'
import { security } from './security.js'
import { serverMetadataChecks } from './server-metadata.js'

/** Every check, by certification plan and specification. */
export const groups: readonly Group[] = [
  configOp,
  { title: 'Basic OP', checks: [...basicOpTokens, ...basicOpRequests], least: 40 },
  rpInitiatedLogout,
  backChannelLogout,
  oauthFramework,
  pkce,
  revocation,
  introspection,
  assertions,
  serverMetadataChecks,
  accessToken,
  security,
]

export const checks: readonly Check[] = groups.flatMap((group) => group.checks)
