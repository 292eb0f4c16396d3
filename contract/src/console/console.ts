import type { AppRouter } from '@ts-rest/core'

/** The routes of what only the console does, for staff. They are called within the process, and have no public address. */
export const consoleContract = {} as const satisfies Record<string, AppRouter>
