import { emulator } from '@portico/contract/emulator'
import { initServer } from '@ts-rest/express'
import type { Control } from './control.js'

const s = initServer()

export function emulatorRoutes(control: Control) {
  return {
    state: s.router(emulator.state, {
      get: () => Promise.resolve({ status: 200, body: control.state() }),
      reset: async () => ({ status: 200, body: await control.reset() }),
    }),
    clock: s.router(emulator.clock, {
      get: () => Promise.resolve({ status: 200, body: control.clock() }),
      move: async ({ body }) => ({ status: 200, body: await control.moveClock(body) }),
    }),
    jobs: s.router(emulator.jobs, {
      run: async () => ({ status: 200, body: await control.runJobs() }),
    }),
    faults: s.router(emulator.faults, {
      add: ({ body }) => Promise.resolve({ status: 201, body: control.faults.add(body) }),
      list: () => Promise.resolve({ status: 200, body: { data: control.faults.list() } }),
      clear: () => Promise.resolve({ status: 200, body: { cleared: control.faults.clear() } }),
    }),
    outbox: s.router(emulator.outbox, {
      list: async ({ query }) => ({ status: 200, body: { data: await control.messages(query.to) } }),
      clear: async () => ({ status: 200, body: { cleared: await control.clearMessages() } }),
    }),
    dns: s.router(emulator.dns, {
      set: ({ params, body }) => Promise.resolve({ status: 200, body: control.dns.set(params.name, body) }),
    }),
    accounts: s.router(emulator.accounts, {
      create: async ({ body }) => ({ status: 201, body: await control.createAccount(body) }),
      createKey: async ({ params, body }) => ({
        status: 201,
        body: await control.createKey(params.account_domain, body),
      }),
    }),
  }
}
