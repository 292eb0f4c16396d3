import { startPortico, type Portico, type PorticoOptions } from '@portico/sdk/testing'
import { atFileEnd } from '../../file-end.js'
import { program } from '../../cli/portico.js'

/** The installed command, built by the check before the tests. */
export const command = [process.execPath, program] as const

/** Starts an emulator that ends with the test file. */
export async function givenEmulator(options: PorticoOptions = {}): Promise<Portico> {
  const portico = await startPortico({ command: [...command], ...options })
  atFileEnd(portico.stop)
  return portico
}

/** An account with one organization with passwords and magic links. */
export const smallSeed = {
  accounts: [
    {
      name: 'Acme',
      api_keys: [{ name: 'Back end', environment: 'sandbox' }],
      organizations: [
        {
          name: 'Awesome company',
          sandbox: {
            applications: [
              {
                name: 'Storefront',
                application_type: 'react',
                allowed_redirect_urls: ['http://localhost:5173/callback'],
                allowed_origins_cors: ['http://localhost:5173'],
                allowed_logout_urls: ['http://localhost:5173/'],
              },
            ],
            password_connection: {},
            users: [
              {
                email: 'ada@awesome.example',
                email_verified: true,
                password: 'engine-of-1843-analytical',
                profile: { given_name: 'Ada' },
              },
            ],
          },
        },
      ],
    },
  ],
}

export const ada = { org_domain: 'awesome-company', user_email: 'ada@awesome.example' }
