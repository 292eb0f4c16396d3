import type { RequestHandler } from 'express'
import type { Deps } from '../../delivery/deps.js'
import { findCaller } from '../../delivery/request-context.js'
import { open, seal, SealError, type MasterKeys } from '../../platform/crypto/seal.js'
import { asChanges, asReads, furthest, latest } from '../../platform/db/positions.js'

const header = 'Portico-Position'
/** Of changes that ran at once a caller has a position each. For more the primary answers. */
const maxPositions = 20

/**
 * Lets the replica answer the lists of a request that only reads, as far as it has the changes that the caller tells of, and
 * tells callers where a change of theirs is. For a service with a replica.
 */
export function readOwnChanges({ keys }: Pick<Deps, 'keys'>): RequestHandler {
  return (req, res, next) => {
    const accountId = findCaller(req)?.accountId
    if (accountId === undefined) {
      next()
      return
    }
    if (req.method === 'GET' || req.method === 'HEAD') {
      asReads({ accountId, seen: newestPosition(keys.master, accountId, req.get(header)) }, next)
      return
    }
    const onChange = (position: string) => {
      if (!res.headersSent) res.set(header, sealPosition(keys.master, accountId, position))
    }
    asChanges({ accountId, onChange }, next)
  }
}

/** A position as callers of an account are told it. Sealed, because the log tells how much all accounts write. */
export function sealPosition(master: MasterKeys, accountId: string, position: string): string {
  return seal(master, contextOf(accountId), position).toString('base64url')
}

/** The newest of the positions that a caller has sent; of some that do not open, one that no replica has reached. */
export function newestPosition(
  master: MasterKeys,
  accountId: string,
  sent: string | undefined,
): string | undefined {
  const positions = sent?.split(',', maxPositions + 1) ?? []
  if (positions.length > maxPositions) return furthest
  const opened = positions.map((position) => openPosition(master, accountId, position))
  return opened.length === 0 ? undefined : opened.reduce(latest)
}

function openPosition(master: MasterKeys, accountId: string, position: string): string {
  try {
    return open(master, contextOf(accountId), Buffer.from(position, 'base64url')).toString()
  } catch (error) {
    if (error instanceof SealError) return furthest
    throw error
  }
}

function contextOf(accountId: string) {
  return { purpose: 'read_position', scope: accountId, aad: 'read_position' }
}
