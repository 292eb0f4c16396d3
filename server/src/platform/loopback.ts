const loopbackHosts: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])

/** Whether a host name, as a URL's `hostname` has it, is a name of this machine for itself. */
export function isLoopbackHost(hostname: string): boolean {
  return loopbackHosts.has(hostname)
}
