/**
 * The domain of the reserved account, whose organizations are the staff of every other account. It is a reserved slug, so that no
 * customer has it, and nothing of the account is reached with an API key: it has none.
 */
export const consoleAccountDomain = 'console'
