import { z } from 'zod/v4'
import { id, personal } from '../core/fields.js'

/** The actor behind the user of a token (RFC 8693 section 4.1). */
export const Act = z.object({
  iss: z.string(),
  sub: personal(z.string()).describe('Unique at the issuer'),
  impersonation: id().optional().describe('Id of the impersonation'),
})
