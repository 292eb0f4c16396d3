import { expect } from 'vitest'
import { password } from '../../../docs/examples/product/prepare.js'
import { addAuthenticator, platform, proposeNone } from '../../given/virtual-authenticator.js'
import type { OpenProduct } from './product-journey.js'

/** A passkey that is added on the account page, and is two factors. */
export async function signInByPasskey(product: OpenProduct): Promise<void> {
  const { page, open, signIn, expectAt, one } = product
  await addAuthenticator(page, platform)
  await proposeNone(page)
  await signIn(one)
  await page.getByText('Your account').click()
  await page.getByRole('link', { name: 'Passkeys' }).click()
  await page.locator('button[value=add]').click()
  await page.locator('button[value=remove]').waitFor({ state: 'attached' })
  await open('/')
  await page.getByText('Sign out').click()

  await page.getByText(`Sign in at ${one}`).click()
  await page.locator('button[value=passkey]').click()
  await expectAt(`/o/${one}/invoices`, one)
  await open('/payroll')
  await expectAt('/payroll', one)
  await page.getByText('Sign out').click()
}

/** The test provider of one organization: a newcomer, and the user who links it by their password. */
export async function signInByTestProvider(product: OpenProduct): Promise<void> {
  const { page, open, expectAt, email, three, origin } = product
  const newcomer = `newcomer-${Date.now()}@people.example`
  const arrive = async (address: string) => {
    await page.getByText(`Sign in at ${three}`).click()
    await page.getByText('Continue with Test provider').click()
    await page.locator('[name="subject"]').fill(address)
    await page.locator('[name="email"]').fill(address)
    await page.locator('[value="sign_in"]').click()
  }
  await open('/')
  await arrive(newcomer)
  await page.waitForURL(`${origin}/o/${three}/invoices`)
  expect(await page.locator('#user').textContent()).toBe(`${newcomer} at ${three}`)
  await page.getByText('Sign out').click()

  await arrive(email)
  await page.locator('[name="password"]').fill(password)
  await page.locator('[value="password"]').click()
  await expectAt(`/o/${three}/invoices`, three)
  await page.getByText('Sign out').click()
  await arrive(email)
  await expectAt(`/o/${three}/invoices`, three)
}
