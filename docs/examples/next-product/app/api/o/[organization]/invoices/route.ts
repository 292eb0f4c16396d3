import { auth } from '../../../../../lib/auth'

const organization = ({ url }: Request) => new URL(url).pathname.split('/')[3]
export const POST = auth.protect((_request, known) => Response.json(known.organization), { organization })
