import { auth } from '../../lib/auth'

export default async function Invoices() {
  const { user, organization } = await auth.requireUser()
  return (
    <p>
      Hello {user.email}: no invoices of {organization.domain}
    </p>
  )
}
