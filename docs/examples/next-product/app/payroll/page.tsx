import { auth } from '../../lib/auth'
import { Payroll } from '../../lib/views'

export default async () => <Payroll {...await auth.requireUser({ acr: 'urn:portico:acr:mfa' })} />
