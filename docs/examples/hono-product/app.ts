import { portico, type AuthVariables } from '@portico/sdk/hono'
import { Hono } from 'hono'
import { home, invoices, payroll } from '../product/pages.js'

const auth = portico({ claims: ['permissions'] })
const mayPay = auth.requirePermission('payroll:read', { acr: 'urn:portico:acr:mfa' })
const ofPath = auth.requireUser({ organization: ({ req }) => req.param()['organization'] })
export const app = new Hono<{ Variables: AuthVariables }>().use(auth.middleware)

app.get('/', (c) => c.html(home(c.var.auth)))
app.get('/o/:organization/invoices', ofPath, (c) => c.html(invoices(c.var.auth)))
app.post('/o/:organization/invoices', ofPath, (c) => c.json(c.var.auth.organization))
app.get('/payroll', mayPay, (c) => c.html(payroll(c.var.auth)))
