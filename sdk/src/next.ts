import type { SessionOptions } from './session.js'
import { createNextAuth, type NextAuth, type NextRuntime } from './session/next-app.js'

export type { NextAuth, NextRuntime } from './session/next-app.js'

/** Loaded at the first request: tests and tools import an application without Next.js. */
const installed: NextRuntime = {
  headers: async () => (await import('next/headers.js')).headers(),
  redirect: async (path) => (await import('next/navigation.js')).redirect(path),
  pass: async (headers) => (await import('next/server.js')).NextResponse.next({ request: { headers } }),
}

/**
 * Makes the session layer of a Next.js application, 15 or 16, in a file of its own such as `lib/auth.ts`.
 *
 * @param options What is left out is read from the environment.
 * @param runtime What of Next.js is used; replaced in tests.
 * @throws TypeError that names every option that is missing or invalid; during a build, at the first request.
 * @example
 * ```ts
 * const auth = portico()
 * console.log(typeof auth.proxy, typeof auth.handlers.GET)
 * ```
 */
export function portico(options: SessionOptions = {}, runtime: NextRuntime = installed): NextAuth {
  return createNextAuth(options, runtime)
}
