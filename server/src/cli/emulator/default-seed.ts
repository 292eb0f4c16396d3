/** The seed of an emulator without one: one of each, in the sandbox. */
export const defaultSeed = `accounts:
  - name: Acme
    api_keys:
      - name: Back end
        environment: sandbox
      - name: Back end
        environment: production
    organizations:
      - name: Awesome company
        sandbox:
          applications:
            - name: Storefront
              application_type: react
              allowed_redirect_urls: [http://localhost:5173/callback]
              allowed_origins_cors: [http://localhost:5173]
              allowed_logout_urls: [http://localhost:5173/]
          magic_link_connection:
            active: true
          password_connection: {}
          users:
            - email: ada@awesome.example
              email_verified: true
              password: engine-of-1843-analytical
              profile:
                given_name: Ada
                family_name: Lovelace
`
