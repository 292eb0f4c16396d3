// better-auth with its plugin for administrators, as its documents set it up. Parameters: the URL of an empty database, the port,
// and how many users it is to have.
import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import process from 'node:process'
import { betterAuth } from 'better-auth'
import { getMigrations } from 'better-auth/db/migration'
import { toNodeHandler } from 'better-auth/node'
import { admin } from 'better-auth/plugins'
import pg from 'pg'

const [databaseUrl, port, userCount] = process.argv.slice(2)
const pool = new pg.Pool({ connectionString: databaseUrl })
const options = {
  database: pool,
  baseURL: `http://127.0.0.1:${port}`,
  secret: randomBytes(32).toString('hex'),
  emailAndPassword: { enabled: true },
  plugins: [admin()],
  // As ours: its limit is raised, and the load is no browser of another site.
  rateLimit: { enabled: false },
  advanced: { disableCSRFCheck: true },
  telemetry: { enabled: false },
}
const { runMigrations } = await getMigrations(options)
await runMigrations()
const auth = betterAuth(options)

const person = {
  email: 'admin@people.example',
  password: randomBytes(16).toString('hex'),
  name: 'Ada Lovelace',
}
const { headers } = await auth.api.signUpEmail({ body: person, returnHeaders: true })
const cookie = headers.getSetCookie().map((each) => each.split(';')[0])
await pool.query(`update "user" set role = 'admin'`)
await pool.query(
  `insert into "user" (id, name, email, "emailVerified", "createdAt", "updatedAt", role)
   select md5(i::text), 'Ada Lovelace ' || i, 'user' || i || '@people.example', true, $2, $2, 'user'
   from generate_series(1, $1::integer) i`,
  [userCount, new Date()],
)
await pool.query('vacuum (analyze)')
const { rows } = await pool.query(`select id from "user" where role = 'user' order by md5(id) limit 10000`)
const ids = rows.map(({ id }) => id)

const handle = toNodeHandler(auth)
const server = createServer((req, res) => {
  if (req.url !== '/readyz') return handle(req, res)
  res.end(JSON.stringify({ cookie: cookie.join('; '), ids }))
})
server.listen(Number(port), '127.0.0.1')
process.once('SIGTERM', () => process.exit(0))
