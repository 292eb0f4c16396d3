import { portico, type AuthVariables } from '@portico/sdk/hono'
import { Hono } from 'hono'

const auth = portico()
const app = new Hono<{ Variables: AuthVariables }>().use(auth.middleware)

app.get('/', (c) => c.text(`Hello ${c.var.auth.user?.email ?? 'stranger: sign in at /auth/sign-in'}`))
app.get('/invoices', auth.requireUser(), (c) =>
  c.json({ organization: c.var.auth.organization, invoices: [] }),
)
export default app
