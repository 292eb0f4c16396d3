import { auth } from './lib/auth'

export default auth.proxy
