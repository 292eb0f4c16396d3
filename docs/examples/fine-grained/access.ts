import { createAccessEvaluator, type AccessEvaluator } from '@portico/sdk'

export function createEngineAccess(engine: {
  readonly url: string
  readonly token: string
}): AccessEvaluator {
  return createAccessEvaluator({
    url: `${engine.url}/access/v1/evaluation`,
    token: engine.token,
    onFailure: (error) => console.error(error),
  })
}

/** Whether a user may write this invoice: of invoices the engine decides. */
export async function writeInvoice(
  access: AccessEvaluator,
  userId: string,
  invoiceId: string,
): Promise<void> {
  await access.requirePermission(userId, 'write', { type: 'invoice', id: invoiceId })
}
