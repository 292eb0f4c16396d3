import type {
  ClockMove,
  EmulatorAccount,
  EmulatorClock,
  EmulatorKey,
  EmulatorState,
  JobsRun,
  NewEmulatorAccount,
  NewEmulatorKey,
} from '@portico/contract/emulator'
import type { OutboxMessage } from '@portico/contract/outbox'
import type { Dns } from './dns.js'
import type { Faults } from './faults.js'

/** What tests can do to an emulator; each is a route of its contract. */
export interface Control {
  readonly faults: Faults
  readonly dns: Dns
  state(): EmulatorState
  reset(): Promise<EmulatorState>
  clock(): EmulatorClock
  moveClock(move: ClockMove): Promise<EmulatorClock>
  runJobs(): Promise<JobsRun>
  messages(to: string | undefined | null): Promise<OutboxMessage[]>
  clearMessages(): Promise<number>
  createAccount(input: NewEmulatorAccount): Promise<EmulatorAccount>
  createKey(domain: string, input: NewEmulatorKey): Promise<EmulatorKey>
}
