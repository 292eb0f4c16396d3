import type { Client } from '@portico/sdk'
import { expect } from 'vitest'
import { answerOf, callback, flowGivenOf, type FlowScene } from '../given/flow-given.js'
import type { Service } from '../given/harness.js'
import type { Visitor } from '../given/visitor.js'

export type AuthorizeGiven = ReturnType<typeof authorizeGivenOf>

/** Sign-ins on the pages, and what becomes of requests for them. */
export function authorizeGivenOf(service: Service, client: Client) {
  const flows = flowGivenOf(service, client)

  /** What the application is told, of a request that shows no page. */
  async function answerTo(
    scene: FlowScene,
    members: Record<string, string | undefined> = {},
    visitor = flows.visitorOf(),
  ): Promise<URLSearchParams> {
    const seen = await visitor.request(flows.authorizeUrl(scene, members))
    expect([seen.status, seen.location]).toEqual([303, expect.stringContaining(`${callback}?`)])
    return answerOf(seen)
  }

  /** Whether a request leads to the pages of a new flow. */
  async function beginsFlow(
    scene: FlowScene,
    members: Record<string, string | undefined>,
    visitor: Visitor,
  ): Promise<boolean> {
    const { location } = await visitor.request(flows.authorizeUrl(scene, members))
    return location?.startsWith(`/t/${scene.org_domain}/sign-in/`) ?? false
  }

  return { ...flows, answerTo, beginsFlow }
}
