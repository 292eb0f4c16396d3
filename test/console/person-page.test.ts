import { expect, test } from 'vitest'
import { consoleGivenOf } from '../given/console-given.js'
import { flowGivenOf } from '../given/flow-given.js'
import { givenOf } from '../given/given.js'
import { startService } from '../given/harness.js'

const service = await startService({ variables: { SMTP_URL: 'smtp://mail.example' } })
const owner = await consoleGivenOf(service).owner(service.account)

async function look(path: string): Promise<string> {
  const { status, html } = await owner.visitor.request(`/console/${owner.account.domain}/${path}`)
  expect(status).toBe(200)
  return html
}

test('the page about a person says in words why the last attempt was refused, as the log does', async () => {
  const flows = flowGivenOf(service, await service.client())
  const { scene, visitor, page } = await flows.atPassword()
  await visitor.press(page, 'password', { password: 'wrong' })

  const person = `sandbox/people?email=${encodeURIComponent(scene.user.email)}`
  expect(await look(person)).toContain('was refused: the password was wrong.')
  expect(await look(`${person}&ui_locales=fr`)).toContain('a été refusée : le mot de passe était incorrect.')
  expect(await look(`sandbox/organizations/${scene.org_domain}/log-events`)).toContain(
    '<bdi title="password_wrong">the password was wrong</bdi>',
  )
})

test('it names the last mail, with what the server has answered where it has not accepted it', async () => {
  const client = await service.client({ environment: 'production' })
  const given = givenOf(client)
  const { domain: org_domain } = await given.organization()
  await given.application({ org_domain, organization_domain_scope: org_domain })
  const { email } = await given.user({ org_domain })
  const person = `production/people?email=${encodeURIComponent(email)}`
  const { mail } = service.deps
  const { send } = mail
  mail.send = () => Promise.reject(new Error('550 5.1.1 the mailbox is full'))
  try {
    await client.magicLink.createChallenge({ org_domain, user_email: email })
    await service.runJobs()
  } finally {
    mail.send = send
  }
  const refused = await look(person)
  expect(refused).toContain('The last mail (sign-in link), at ')
  expect(refused).toMatch(/was not accepted: (?!sign_in_link).*the mailbox is full/)

  await service.clock.advance(10)
  await service.runJobs()
  expect(await look(person)).toContain('The mail server accepted the last mail (sign-in link) at ')
})
