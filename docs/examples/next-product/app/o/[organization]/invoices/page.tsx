import { auth } from '../../../../lib/auth'
import { Invoices, type OfPath } from '../../../../lib/views'

export default async ({ params }: OfPath) => <Invoices {...await auth.requireUser(await params)} />
