import { auth } from '../../../lib/auth'

export const GET = auth.protect((_request, { organization }) => Response.json({ organization, invoices: [] }))
