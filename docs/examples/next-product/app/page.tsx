import { auth } from '../lib/auth'
import { Home } from '../lib/views'

export default async () => <Home {...await auth.getAuth()} />
