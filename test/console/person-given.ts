import type { Unlock } from '@portico/contract/limits'
import type { Diagnosis, Finding } from '@portico/contract/people'
import { diagnosePerson } from '@portico/server/people/diagnose'
import { unlockPerson } from '@portico/server/people/unlock'
import { causeBy, operatorCaller, type Caller } from '@portico/server/tenant'
import type { Service } from '../given/harness.js'

/** Looks persons up, as the staff of the service's account do. */
export function personGivenOf(service: Service, members: Partial<Caller> = {}) {
  const cause = causeBy('look-up', 'operator', 'operator')
  const caller: Caller = { ...operatorCaller(service.account, 'sandbox', cause), ...members }

  const diagnoseAll = (email: string) => diagnosePerson(service.deps, caller, { email })
  const unlock = (input: Unlock) => unlockPerson(service.deps, caller, input)

  /** The diagnosis in the only organization that something of the address leads to. */
  async function diagnose(email: string): Promise<Diagnosis> {
    const { data } = await diagnoseAll(email)
    const [only] = data
    if (only === undefined || data.length > 1)
      throw new Error(`${data.length} organizations are told of ${email}`)
    return only
  }

  /** Why the owner of an address cannot sign in: the first finding that stops them. */
  async function stopOf(email: string): Promise<Finding | undefined> {
    const { verdict, findings } = await diagnose(email)
    const stop = findings.find(({ stops }) => stops)
    if ((verdict === 'cannot') !== (stop !== undefined)) throw new Error(`${verdict} is said of ${email}`)
    return stop
  }

  async function codesOf(email: string): Promise<string[]> {
    return (await diagnose(email)).findings.map(({ code }) => code)
  }

  return { diagnoseAll, diagnose, stopOf, codesOf, unlock }
}
