import type { Client } from '@portico/sdk'
import { expect } from 'vitest'
import { answerOf, callback, flowGivenOf, type FlowScene } from '../given/flow-given.js'
import type { Service } from '../given/harness.js'
import type { Visitor } from '../given/visitor.js'

export type AuthorizeGiven = ReturnType<typeof authorizeGivenOf>

/** Sign-ins on the hosted pages, and the answers to authorization requests. */
export function authorizeGivenOf(service: Service, client: Client) {
  const flows = flowGivenOf(service, client)

  /** The parameters returned to the application by a request that shows no page. */
  async function answerTo(
    scene: FlowScene,
    members: Record<string, string | undefined> = {},
    visitor = flows.visitorOf(),
  ): Promise<URLSearchParams> {
    const seen = await visitor.request(flows.authorizeUrl(scene, members))
    expect([seen.status, seen.location]).toEqual([303, expect.stringContaining(`${callback}?`)])
    return answerOf(seen)
  }

  /** Whether a request starts a new flow on the pages. */
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
