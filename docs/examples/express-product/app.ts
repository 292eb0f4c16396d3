import { portico } from '@portico/sdk/express'
import express from 'express'

const auth = portico()
export const app = express().use(auth)

app.get('/', (req, res) => {
  res.type('text').send(req.auth.user ? `Hello ${req.auth.user.email}` : 'Sign in at /auth/sign-in')
})
app.get('/invoices', auth.requireUser(), (req, res) => {
  res.json({ organization: req.auth.organization, invoices: [] })
})
