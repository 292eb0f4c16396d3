import { isInClusterText } from './cluster.js'

/**
 * What every connection of the service sets, as `show` writes it: limits of time, the time zone of what is read as text, and
 * how statements are planned (docs/decisions/0025). Behind a pooler in transaction mode the role has them instead.
 */
export const connectionSettings = {
  statement_timeout: '30s',
  idle_in_transaction_session_timeout: '1min',
  timezone: 'UTC',
  enable_seqscan: 'off',
  enable_mergejoin: 'off',
  plan_cache_mode: 'force_generic_plan',
} as const

/** Citus plans a statement for the server that has its rows once it knows the parameters, and refuses plans that know none. */
export const settingOutsideClusters = 'plan_cache_mode'

/**
 * Otherwise a statement whose client is gone keeps its locks until it ends. Not every system can detect that, and those that
 * cannot refuse the setting.
 */
export const settingsThatMayFail = { client_connection_check_interval: '2s' }

/** As one text, so that Postgres itself finds out whether it is in a cluster, and nothing waits for the answer. */
export function toSetStatements(settings: Readonly<Record<string, string>>): string {
  return Object.entries(settings)
    .map(([name, value]) =>
      name === settingOutsideClusters
        ? `select set_config('${name}', '${value}', false) where not ${isInClusterText}`
        : `set ${name} = '${value}'`,
    )
    .join('; ')
}
