import { auth } from '../../lib/auth'
import { Payroll } from '../../lib/views'

const mayPay = { acr: 'urn:portico:acr:mfa', permission: 'payroll:read' }
export default async () => <Payroll {...await auth.requireUser(mayPay)} />
