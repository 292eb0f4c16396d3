import type { AccessTokenClaims, Verifier } from '@portico/sdk'
import { fastify, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { checkToken } from './check-token.js'

/** A Fastify app with a route for users alone. */
export function createFastifyApp(verifier: Verifier): FastifyInstance {
  const app = fastify()
  app.decorateRequest('claims')
  app.get('/me', { onRequest: protect }, (request) => ({
    user: request.getDecorator<AccessTokenClaims>('claims').sub,
  }))
  return app

  /** Lets a request pass with the claims as its decorator, or answers it. */
  async function protect(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> {
    const checked = await checkToken(verifier, request.headers.authorization)
    if (!('claims' in checked)) return reply.code(checked.status).headers(checked.headers).send()
    request.setDecorator('claims', checked.claims)
    return undefined
  }
}
