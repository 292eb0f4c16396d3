import { portico } from '@portico/sdk/express'
import express from 'express'
import { home, invoices, payroll } from '../product/pages.js'

const auth = portico({ claims: ['permissions'] })
const mayPay = auth.requirePermission('payroll:read', { acr: 'urn:portico:acr:mfa' })
const ofPath = auth.requireUser({ organization: (req) => req.params['organization'] })
export const app = express().use(auth)

app.get('/', (req, res) => void res.send(home(req.auth)))
app.get('/o/:organization/invoices', ofPath, (req, res) => void res.send(invoices(req.auth)))
app.post('/o/:organization/invoices', ofPath, (req, res) => void res.json(req.auth.organization))
app.get('/payroll', mayPay, (req, res) => void res.send(payroll(req.auth)))
